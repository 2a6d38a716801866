import type { RawReport } from '../contract/shell-family.js';

const FRAME = /\x1e([0-9a-f]{24})\0/g;
const START_BYTES = 1 + 24 + 1;
/** A frame that never closes is a program's own bytes; after this much nobody waits for its end. */
const OPEN_LIMIT = 1024 * 1024;

/**
 * Cuts `\x1e NONCE \0 field \0 … NONCE \0` out of what came on the control stream. Everything else there is stray text
 * of traps. A frame counts only when it closes with its own nonce, so bytes in between cannot end it.
 */
export function cutFrames(bytes: Uint8Array): { reports: RawReport[]; stray: string; rest: Uint8Array } {
  // latin1 keeps one character a byte, so offsets in `text` are offsets in `bytes`.
  const text = asBuffer(bytes).toString('latin1');
  const reports: RawReport[] = [];
  const stray: string[] = [];
  let done = 0;
  let open = -1;
  FRAME.lastIndex = 0;
  for (let match = FRAME.exec(text); match; match = FRAME.exec(text)) {
    const nonce = match[1]!;
    const inside = match.index + START_BYTES;
    const end = text.indexOf(`${nonce}\0`, inside);
    if (end < 0) {
      if (open < 0 && text.length - match.index < OPEN_LIMIT) open = match.index;
      FRAME.lastIndex = match.index + 1;
      continue;
    }
    if (done < match.index) stray.push(text.slice(done, match.index));
    const body = text.slice(inside, end);
    reports.push({ nonce, fields: body === '' ? [] : utf8(body.slice(0, -1)).split('\0') });
    done = end + nonce.length + 1;
    open = -1;
    FRAME.lastIndex = done;
  }
  const keep = open >= done ? open : Math.max(done, partialStart(text, done));
  if (done < keep) stray.push(text.slice(done, keep));
  return { reports, stray: stray.length > 0 ? utf8(stray.join('')) : '', rest: bytes.subarray(keep) };
}

/** Where the beginning of a frame start may be cut off by the end of the bytes. */
function partialStart(text: string, from: number): number {
  const last = text.lastIndexOf('\x1e');
  if (last < from || text.length - last >= START_BYTES) return text.length;
  return /^\x1e[0-9a-f]*$/.test(text.slice(last)) ? last : text.length;
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const utf8 = (latin1: string): string => (/[\x80-\xff]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1);
