import { secretNames } from './secret-names.js';
import type { Finder } from './spans.js';

const SHORTEST = 6;
const SHORTEST_LINE = 12;

/** Values that a secret-looking variable may have and that would redact half of every text. */
const COMMON =
  /^(?:true|false|null|none|undefined|enabled|disabled|default|always|never|required|optional|inherit|password|passwd|secret|token|redacted|\d{1,7}|\/(?:[\w.-]+(?:\/[\w.-]+)?)?\/?|(.)\1*)$/i;

/** Variables that everything names: a secret that equals one of them is none. */
const PLACES = ['HOME', 'USER', 'LOGNAME', 'PWD', 'OLDPWD', 'SHELL', 'HOSTNAME', 'LANG', 'TERM', 'TMPDIR'];

/** The values that must not appear: those of secret-looking variables, long enough and not common. */
export function secretValues(env: Readonly<Record<string, string>>): string[] {
  const plain = new Set(PLACES.map(name => env[name]));
  const values = secretNames(env)
    .map(name => env[name]!)
    .flatMap(value => [value, value.trim(), ...(/:\/\/[^/\s:@]*:([^/\s@]+)@/.exec(value)?.slice(1) ?? [])]);
  const lines = values.filter(value => value.includes('\n')).flatMap(value => value.split(/\r?\n/));
  const all = [...values, ...lines.map(line => line.trim()).filter(line => line.length >= SHORTEST_LINE)];
  return [...new Set(all)].filter(value => value.length >= SHORTEST && !COMMON.test(value) && !plain.has(value));
}

/** What is invisible, or moves what stands beside it. */
const CONTROL = /[\p{C}\p{Zl}\p{Zp}]/gu;
const NOT_PLAIN = /[^ -~\n]/gu;

/** How a value looks where it is shown: escaped for JSON, a shell, a URL or a terminal, or base64. */
function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const shown = (characters: RegExp, form: (hex: string) => string): string =>
    value.replace(characters, character => form(character.codePointAt(0)!.toString(16)));
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    value.replaceAll('\n', '\r\n'),
    value.replaceAll("'", "'\\''"),
    value.replace(/["\\$`]/g, '\\$&'),
    value.replace(/[^\w@%+=:,./-]/g, '\\$&'),
    shown(CONTROL, hex => `\\x${hex.padStart(2, '0')}`),
    shown(CONTROL, hex => `\\u${hex.padStart(4, '0')}`),
    shown(CONTROL, hex => `\\u{${hex}}`),
    shown(CONTROL, hex => `<U+${hex.toUpperCase().padStart(4, '0')}>`),
    shown(NOT_PLAIN, hex => `<U+${hex.toUpperCase().padStart(4, '0')}>`),
    shown(CONTROL, hex => `<U+${hex.toUpperCase().padStart(4, '0')}>`).replaceAll('<U+000A>', '⏎'),
    percentEncoded(value),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
  ];
}

function percentEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // A lone surrogate has no such form.
    return value;
  }
}

export interface Registered {
  readonly find: Finder;
  /** Length of the longest form: a stream looks back this far. 0: nothing is registered. */
  readonly longest: number;
  /** The same for forms with a line end in them. */
  readonly longestAcrossLines: number;
  /** Fast no. */
  mayHold(text: string): boolean;
}

/** A finder of literal values, all in one expression: the longest form first, so that no rest of it stays. */
export function createRegistered(values: readonly string[]): Registered {
  const forms = [...new Set(values.flatMap(formsOf))].filter(form => form.length >= SHORTEST).sort((a, b) => b.length - a.length);
  const across = forms.filter(form => form.includes('\n'));
  const lengths = { longest: forms[0]?.length ?? 0, longestAcrossLines: across[0]?.length ?? 0 };
  if (forms.length === 0) return { ...lengths, find: () => {}, mayHold: () => false };
  const source = forms.map(form => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|');
  const all = new RegExp(source, 'g');
  const any = new RegExp(source);
  return {
    ...lengths,
    mayHold: text => any.test(text),
    find(text, found) {
      // A match may begin inside another one, so the search goes on one character later, not behind it.
      for (all.lastIndex = 0; ; ) {
        const match = all.exec(text);
        if (!match) return;
        found.push({ from: match.index, start: match.index, end: match.index + match[0].length, kind: 'env' });
        all.lastIndex = match.index + 1;
      }
    },
  };
}
