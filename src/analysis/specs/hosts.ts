import type { Word } from '../../contract/analysis.js';
import { isKnown, leadOf } from './paths.js';

/**
 * Host of a URL, of `user@host:path`, of `host:port/…` or of a bare name, lower case. An opaque word gives its host where
 * the known part holds all of it (`https://host/…`), else stays opaque. `file:` has none: undefined.
 */
export function hostOf(word: Word): Word | undefined {
  const text = leadOf(word);
  const url = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([/?#]|$)/i.exec(text);
  if (url) {
    if (url[1]!.toLowerCase() === 'file') return undefined;
    if (!isKnown(word) && url[3] === '') return { opaque: word.opaque, lead: '' };
    return { text: bare(url[2]!) };
  }
  if (/^file:/i.test(text)) return undefined;
  if (!isKnown(word)) return { opaque: word.opaque, lead: '' };
  const scp = /^(?:[^@/]*@)?([^/:]+):/.exec(text);
  return { text: scp ? bare(scp[1]!) : bare(text.split('/')[0]!) };
}

/** Without user, port and brackets. */
const bare = (authority: string): string =>
  authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();

/** The path of a `file:` URL, its `%2e` read as the signs they stand for. undefined: it is none. */
export function filePathOf(word: Word): Word | undefined {
  const path = /^file:(?:\/\/[^/]*)?(.*)$/is.exec(leadOf(word))?.[1];
  if (path === undefined) return undefined;
  const text = path.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return isKnown(word) ? { text } : { opaque: word.opaque, lead: text };
}
