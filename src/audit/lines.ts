import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { MAX_LINE } from './record.js';

const readAsync = promisify(read);
const BLOCK = 256 * 1024;
const LINE_FEED = 0x0a;

/** One line of a file. `complete` is false for what stands after the last line feed. `from` and `to` are byte offsets. */
export interface Line {
  readonly bytes: Buffer;
  readonly complete: boolean;
  readonly from: number;
  readonly to: number;
}

/**
 * The lines of a file from `offset` on, in bounded memory: a line longer than the log ever writes ends the reading as an
 * incomplete one. Lines stay bytes, because decoding would hide a damaged U+FFFD.
 */
export async function* linesOf(fd: number, offset = 0, end = Number.POSITIVE_INFINITY): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let from = offset;
  let at = offset;
  while (at < end) {
    const block = Buffer.allocUnsafe(Math.min(BLOCK, end - at));
    const { bytesRead } = await readAsync(fd, block, 0, block.length, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    rest = rest.length === 0 ? block.subarray(0, bytesRead) : Buffer.concat([rest, block.subarray(0, bytesRead)]);
    let start = 0;
    for (let feed = rest.indexOf(LINE_FEED); feed >= 0; feed = rest.indexOf(LINE_FEED, start)) {
      const to = from + (feed - start) + 1;
      yield { bytes: rest.subarray(start, feed), complete: true, from, to };
      start = feed + 1;
      from = to;
    }
    rest = rest.subarray(start);
    if (rest.length > MAX_LINE) break;
  }
  if (rest.length > 0) yield { bytes: rest, complete: false, from, to: from + rest.length };
}

/** The last complete line of a file, found from its end; `torn` counts the bytes after it. */
export function lastLine(fd: number): { bytes: Buffer; torn: number } | undefined {
  const { size } = fstatSync(fd);
  for (let length = Math.min(16 * 1024, size); length > 0; length = Math.min(length * 8, size)) {
    const block = Buffer.allocUnsafe(length);
    const got = block.subarray(0, readSync(fd, block, 0, length, size - length));
    const end = got.lastIndexOf(LINE_FEED);
    const start = end > 0 ? got.lastIndexOf(LINE_FEED, end - 1) : -1;
    if (end >= 0 && (start >= 0 || length === size)) {
      return { bytes: got.subarray(start + 1, end), torn: got.length - end - 1 };
    }
    if (length === size || length > MAX_LINE) break;
  }
  return undefined;
}

/** Open to read a file of the log; never through a symbolic link, never waiting for a pipe. */
export function openToRead(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Do something with an opened file and close it whatever happens. */
export function reading<T>(path: string, what: (fd: number) => T): T {
  const fd = openToRead(path);
  try {
    return what(fd);
  } finally {
    closeSync(fd);
  }
}
