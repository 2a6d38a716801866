import { isKindOfMark, isMark } from './mark.js';
import { isSecretName } from './secret-names.js';
import type { Finder, Span } from './spans.js';

/**
 * A name and what separates it from its value: `NAME=`, `"name": `, `--name `, `Header: `. The look-behind lets an attempt
 * begin only where a word begins, and every repetition is bounded.
 */
const NAME = /(?<![\w.-])(-{0,2}[A-Za-z_][\w.-]{0,63})(["'\\]{0,4}[ \t]{0,4}(?::=|=>|[=:])[ \t]{0,4}|[ \t]{1,8})/g;

const SECRET_HINT = /pass|pwd|secret|token|key|auth|cred|jwt|otp|pat|bearer/i;
const SCHEME = /(?:bearer|basic|token|digest|negotiate|apikey)[ \t]{1,8}/iy;
const OPENING = /\\{0,8}["']/y;
const BARE = /[^\s"'`;&|<>()]+/y;
const LONGEST_QUOTED = 8_192;

const TRIVIAL = /^(?:true|false|null|none|nil|undefined|yes|no|on|off|\*+|x{3,}|\.{3,}|-+)$/i;

const VARIABLE = /^\$(?:\w+|\{\w+\})$/;
const BRACED = /\$\{\w+\}/y;

interface Value {
  readonly start: number;
  readonly end: number;
  readonly quote: '"' | "'" | undefined;
}

/** Values of secret-looking names: assignments, options, headers, fields. References such as `$TOKEN` stay readable. */
export const findAssignments: Finder = (text, found) => {
  if (!SECRET_HINT.test(text)) return;
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match; match = NAME.exec(text)) {
    const name = match[1]!;
    const separator = match[2]!;
    const spaced = separator.trim() === '';
    // A value may hold the next name, so only the name itself is spent; a value that goes is spent as well.
    let next = match.index + name.length;
    if (SECRET_HINT.test(name) && (!spaced || name.startsWith('-')) && isSecretName(name)) {
      const span = valueSpan(text, match.index, { at: next + separator.length, separator, spaced });
      if (span) {
        found.push(span);
        next = span.end;
      }
    }
    NAME.lastIndex = next;
  }
};

function valueSpan(text: string, from: number, place: { at: number; separator: string; spaced: boolean }): Span | undefined {
  if (isKindOfMark(text, from) || (place.spaced && text[place.at] === '-')) return undefined;
  const value = readValue(text, place.at);
  if (!value) return undefined;
  SCHEME.lastIndex = value.start;
  let { start, end } = value;
  const schemed = SCHEME.test(text) && SCHEME.lastIndex < text.length;
  if (schemed) {
    start = SCHEME.lastIndex;
    if (!value.quote) end = bareEnd(text, start);
  }
  const secret = text.slice(start, end);
  const field = place.separator.includes(':');
  if (secret.length < (field ? 5 : 3) || isMark(secret) || TRIVIAL.test(secret)) return undefined;
  // No credential of a header begins with a dollar; a password in a field may.
  if (field && schemed ? VARIABLE.test(secret) : isReference(secret, value.quote, place)) return undefined;
  return { from, start, end, kind: 'value' };
}

/** The value at a place: quoted (escaped quotes too), else up to white space or a shell operator. */
function readValue(text: string, at: number): Value | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) {
    const end = bareEnd(text, at);
    return end > at ? { start: at, end, quote: undefined } : undefined;
  }
  const start = at + opening.length;
  const quote = opening.at(-1) as '"' | "'";
  const closing = closingAt(text, start, opening);
  if (closing !== undefined) return { start, end: closing, quote };
  const end = bareEnd(text, start);
  return end > start ? { start, end, quote } : undefined;
}

function closingAt(text: string, start: number, opening: string): number | undefined {
  const last = Math.min(text.length, start + LONGEST_QUOTED);
  for (let at = start; at < last; at += 1) {
    if (text.startsWith(opening, at)) return at;
    if (opening === '"' && text[at] === '\\') at += 1;
  }
  return undefined;
}

function bareEnd(text: string, start: number): number {
  BARE.lastIndex = start;
  if (!BARE.test(text)) return start;
  let end = BARE.lastIndex;
  BRACED.lastIndex = start;
  const least = BRACED.test(text) ? BRACED.lastIndex : start;
  while (end > least && /[\\,}\]]/.test(text[end - 1]!)) end -= 1;
  return end;
}

/** An expansion or a placeholder tells no secret, and a reviewer wants to read it. In single quotes it is literal. */
function isReference(value: string, quote: Value['quote'], place: { separator: string }): boolean {
  if (/^(?:\$\{\w+\}|\{\{[^{}]{0,80}\}\}|<[^<>]{0,80}>|%\w+%)$/.test(value)) return quote !== "'";
  if (quote === "'" || place.separator.includes(':')) return false;
  return quote ? /^\$(?:\w+|\([^()]{0,4096}\))$/.test(value) : /^\$(?:\w+$|$)/.test(value);
}
