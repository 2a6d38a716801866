import type { Redactor } from '../contract/redactor.js';
import { findAssignments } from './assignments.js';
import { findCookies } from './cookies.js';
import { findLoginFlags } from './login-flags.js';
import { isMark, mark } from './mark.js';
import { findPrivateKeys } from './private-keys.js';
import { createRegistered, secretValues } from './registered.js';
import { isSecretName } from './secret-names.js';
import { type Finder, merged, type Span, withMarks } from './spans.js';
import { createRedactionStream } from './stream.js';
import { findTokens } from './tokens.js';
import { findUrls } from './urls.js';

export interface RedactorOptions {
  /** Environment of whoever asks and of the shell: values of its secret-looking variables are known secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Further redaction, after ours. One that throws costs the text: it is replaced as a whole. */
  readonly extra?: readonly ((text: string) => string)[];
}

/** One cheap look at every string; most strings end here. */
const MAY_HOLD =
  /pass|pwd|secret|token|key|auth|cred|cookie|jwt|bearer|:\/\/|gh[pousr]_|_pat|glpat|npm_|aiza|xox|xapp|a[ks]ia|abia|acca|sk[-_]|rk_|eyj|sg\.|ya29|hf_|-----begin|(?:sql|db|7z|mongo\w*|docker|podman|nerdctl|helm|skopeo|buildah|oc|az|influx|zip|-cli|ldap\w+|curl|smbclient|openssl|_v1_|api_|whsec|glsa|pypi|gsk|pplx|r8|shp|fo1|figd)/i;

const FINDERS: readonly Finder[] = [findTokens, findUrls, findPrivateKeys, findAssignments, findCookies, findLoginFlags];

const SHORTEST_FIELD = 3;
const REMEMBERED_NAMES = 2_000;

/** The redactor of one process or session (P10). Linear in the length of the text. */
export function createRedactor(options: RedactorOptions): Redactor {
  const registered = createRegistered(secretValues(options.env));
  const extra = options.extra ?? [];
  const secretFields = new Map<string, boolean>();

  function find(text: string): Span[] {
    const found: Span[] = [];
    registered.find(text, found);
    if (MAY_HOLD.test(text)) for (const finder of FINDERS) finder(text, found);
    return found.length > 0 ? merged(found) : found;
  }

  function after(text: string): string {
    try {
      return extra.reduce((result, redact) => redact(result), text);
    } catch {
      return mark('unread', text);
    }
  }

  function redact(text: string): string {
    if (text.length < SHORTEST_FIELD) return text;
    if (!registered.mayHold(text) && !MAY_HOLD.test(text)) return extra.length > 0 ? after(text) : text;
    return after(withMarks(text, find(text)));
  }

  function isSecretField(name: string): boolean {
    let known = secretFields.get(name);
    if (known === undefined) {
      known = isSecretName(name);
      if (secretFields.size < REMEMBERED_NAMES) secretFields.set(name, known);
    }
    return known;
  }

  function redactField(name: string, value: unknown): unknown {
    if (typeof value !== 'string') return redactAny(value);
    if (value.length >= SHORTEST_FIELD && isSecretField(name)) return isMark(value) ? value : mark('value', value);
    return redact(value);
  }

  /** The same object when nothing in it is secret. */
  function redactAny(value: unknown): unknown {
    if (typeof value === 'string') return redact(value);
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) {
      let copy: unknown[] | undefined;
      for (let at = 0; at < value.length; at += 1) {
        const item = redactAny(value[at]);
        if (item !== value[at]) {
          copy ??= [...value];
          copy[at] = item;
        }
      }
      return copy ?? value;
    }
    let changed = false;
    const entries = Object.entries(value).map(([name, field]) => {
      const item = redactField(name, field);
      changed ||= item !== field;
      return [name, item] as const;
    });
    return changed ? Object.fromEntries(entries) : value;
  }

  return {
    redact,
    redactValue: <T>(value: T): T => redactAny(value) as T,
    stream: () => createRedactionStream({ ...registered, find, after }),
  };
}
