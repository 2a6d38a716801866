import type { RawReport } from '../contract/shell-family.js';

const FRAME = /\x1e([0-9a-f]{24})\0/g;
/** The same for a search within: `matchAll` begins where its expression stands. */
const NESTED = new RegExp(FRAME);
const START_BYTES = 1 + 24 + 1;
/** A frame that never closes is a program's own bytes; after this much nobody waits for its end. */
const OPEN_LIMIT = 1024 * 1024;

/**
 * Cuts `\x1e NONCE \0 field \0 … NONCE \0` out of what came on the control stream. Everything else there is stray text
 * of traps. A frame counts only when it closes with its own nonce, so bytes in between cannot end it. A subshell writes
 * its end whenever it comes, also in the middle of the shell's account, which is written in pieces: a frame that is
 * waited for is found within another one as well. One that nobody waits for is not, so no field can imitate one.
 */
export function cutFrames(
  bytes: Uint8Array,
  isExpected: (nonce: string) => boolean,
): { reports: RawReport[]; stray: string; rest: Uint8Array } {
  // latin1 keeps one character a byte.
  const text = asBuffer(bytes).toString('latin1');
  const reports: RawReport[] = [];
  const stray: string[] = [];
  let done = 0;
  let rest: string | undefined;
  FRAME.lastIndex = 0;
  for (let match = FRAME.exec(text); match; match = FRAME.exec(text)) {
    const nonce = match[1]!;
    const inside = match.index + START_BYTES;
    const end = text.indexOf(`${nonce}\0`, inside);
    if (end < 0) {
      if (!isExpected(nonce) || text.length - match.index >= OPEN_LIMIT) {
        FRAME.lastIndex = match.index + 1;
        continue;
      }
      stray.push(text.slice(done, match.index));
      done = text.length;
      rest = text.slice(match.index, inside) + withoutFrames(text.slice(inside), isExpected, reports);
      break;
    }
    stray.push(text.slice(done, match.index));
    done = end + nonce.length + 1;
    reports.push({ nonce, fields: fieldsOf(withoutFrames(text.slice(inside, end), isExpected, reports)) });
    FRAME.lastIndex = done;
  }
  if (rest === undefined) {
    const keep = partialStart(text, done);
    stray.push(text.slice(done, keep));
    rest = text.slice(keep);
  }
  return { reports, stray: utf8(stray.join('')), rest: Buffer.from(rest, 'latin1') };
}

/** The text without the whole frames in it that somebody waits for; those go to `reports`. */
function withoutFrames(text: string, isExpected: (nonce: string) => boolean, reports: RawReport[]): string {
  if (!text.includes('\x1e')) return text;
  let left = '';
  let done = 0;
  for (const match of text.matchAll(NESTED)) {
    const nonce = match[1]!;
    const inside = match.index + START_BYTES;
    const end = match.index < done || !isExpected(nonce) ? -1 : text.indexOf(`${nonce}\0`, inside);
    if (end < 0) continue;
    left += text.slice(done, match.index);
    done = end + nonce.length + 1;
    reports.push({ nonce, fields: fieldsOf(text.slice(inside, end)) });
  }
  return left + text.slice(done);
}

const fieldsOf = (body: string): string[] => (body === '' ? [] : utf8(body.slice(0, -1)).split('\0'));

/** Where the beginning of a frame start may be cut off by the end of the bytes. */
function partialStart(text: string, from: number): number {
  const last = text.lastIndexOf('\x1e');
  if (last < from || text.length - last >= START_BYTES) return text.length;
  return /^\x1e[0-9a-f]*$/.test(text.slice(last)) ? last : text.length;
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const utf8 = (latin1: string): string => (/[\x80-\xff]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1);
