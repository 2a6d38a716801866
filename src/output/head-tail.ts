const FIRST_BYTES = 1_024;

/**
 * The first `headBytes` and the last `tailBytes` of a stream, in one buffer that never grows beyond their sum. While the
 * stream fits, it holds everything. Written bytes are copied, so a caller may use its chunk again.
 */
export interface HeadTail {
  write(bytes: Uint8Array): void;
  /** Bytes written so far. */
  readonly total: number;
  /** true: something in the middle is gone. */
  readonly overflowed: boolean;
  /** Keep only the first `total` bytes. Only while nothing is gone. */
  cut(total: number): void;
  /** The beginning: everything while nothing is gone, else `headBytes`. A view: copy it before the next write. */
  head(): Buffer;
  /** The end: empty while nothing is gone, else `tailBytes`. A copy. */
  tail(): Buffer;
}

export function createHeadTail(headBytes: number, tailBytes: number): HeadTail {
  const limit = headBytes + tailBytes;
  let kept = Buffer.alloc(0);
  let total = 0;
  // Once the stream overflows, kept[headBytes..limit] becomes a ring and this is where its oldest byte stands.
  let oldest = headBytes;

  function grow(needed: number): void {
    if (needed <= kept.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(needed, kept.length * 2, FIRST_BYTES)));
    kept.copy(larger, 0, 0, total);
    kept = larger;
  }

  function turn(bytes: Uint8Array): void {
    if (tailBytes === 0) return;
    if (bytes.length >= tailBytes) {
      kept.set(bytes.subarray(bytes.length - tailBytes), headBytes);
      oldest = headBytes;
      return;
    }
    const untilEnd = Math.min(bytes.length, limit - oldest);
    kept.set(bytes.subarray(0, untilEnd), oldest);
    if (untilEnd < bytes.length) kept.set(bytes.subarray(untilEnd), headBytes);
    oldest += bytes.length;
    if (oldest >= limit) oldest -= tailBytes;
  }

  return {
    get total() {
      return total;
    },
    get overflowed() {
      return total > limit;
    },
    write(bytes) {
      const room = Math.max(0, limit - total);
      const fitting = Math.min(room, bytes.length);
      if (fitting > 0) {
        grow(total + fitting);
        kept.set(fitting === bytes.length ? bytes : bytes.subarray(0, fitting), total);
      }
      if (fitting < bytes.length) turn(bytes.subarray(fitting));
      total += bytes.length;
    },
    cut(wanted) {
      if (total <= limit) total = Math.min(total, wanted);
    },
    head: () => kept.subarray(0, total > limit ? headBytes : total),
    tail: () =>
      total > limit ? Buffer.concat([kept.subarray(oldest, limit), kept.subarray(headBytes, oldest)]) : Buffer.alloc(0),
  };
}
