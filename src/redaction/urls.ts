import { isMark } from './mark.js';
import type { Finder } from './spans.js';

/** `://user:password@`, the password up to the last `@` before the path. Slashes end it, so attempts never overlap. */
const USERINFO = /:\/\/[^\s/:@"'`<>]{0,255}:([^\s/"'`<>]{1,1024})@/g;

/** `://token@`: a user name this long is a token. */
const LONG_USER = /:\/\/([\w.~%+-]{20,255})@/g;

const isReference = (value: string): boolean => /^(?:\$\{?\w+\}?|\*+|x+)$/i.test(value);

/** The secret part of a URL's user information. */
export const findUrls: Finder = (text, found) => {
  if (!text.includes('://')) return;
  for (const pattern of [USERINFO, LONG_USER]) {
    for (const match of text.matchAll(pattern)) {
      const secret = match[1]!;
      const end = match.index + match[0].length - 1;
      if (!isMark(secret) && !isReference(secret)) {
        found.push({ from: match.index, start: end - secret.length, end, kind: 'url-password' });
      }
    }
  }
};

/** Is there a password in a URL of this text? */
export function holdsUserinfo(text: string): boolean {
  const found: Parameters<Finder>[1] = [];
  findUrls(text, found);
  return found.length > 0;
}
