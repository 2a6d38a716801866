import type { Chunk } from '../contract/execution.js';
import type { Captured } from '../contract/result.js';
import { headEnd } from './code-points.js';
import { createHeadTail } from './head-tail.js';
import { countNewlines } from './lines.js';
import type { SpoolWriter } from './spool.js';
import { joined } from './truncation.js';

/** Bytes of one stream that a result keeps in memory (design 11). */
export const DEFAULT_KEPT_BYTES = 65_536;

const CODE_POINT_BYTES = 4;

export interface CollectorOptions {
  /** Bytes kept in memory and shown in `Captured.text`: half for the head, the rest for the tail. Default 65,536. */
  readonly limitBytes?: number;
  /** Where everything goes once the stream is longer than the limit. Absent: the middle of a long stream is lost. */
  readonly spool?: SpoolWriter;
}

/** One stream of one command: bounded in memory, complete in its spool up to the quota, never ending the session (P8). */
export interface Collector {
  /** Takes a copy. After `end` it does nothing. */
  write(bytes: Uint8Array): void;
  readonly bytes: number;
  /** Newlines so far. */
  readonly lines: number;
  /**
   * At most `max` bytes from offset `from`, also while the stream grows. With `max` >= 4 a piece ends inside a code point
   * only where the stream itself, or what is kept of it, does. Bytes that were neither kept nor spooled are skipped: empty
   * `bytes`, and `next` after the gap.
   */
  read(from: number, max: number): Promise<Chunk>;
  /** Drops everything from the first occurrence of `beginning` on, as long as all of the stream is in memory. */
  cutAt(beginning: string): void;
  /** No more bytes come. */
  end(): void;
  /** The stream as a result shows it; before `end` as far as it came, and then without a final digest. */
  captured(): Promise<Captured>;
}

export function createCollector(options: CollectorOptions = {}): Collector {
  const { limitBytes = DEFAULT_KEPT_BYTES, spool } = options;
  const headBytes = Math.floor(limitBytes / 2);
  const kept = createHeadTail(headBytes, limitBytes - headBytes);
  let lines = 0;
  let ended = false;

  function take(from: number, max: number): { at: number; bytes: Uint8Array } {
    if (!kept.overflowed) return { at: from, bytes: Buffer.from(kept.head().subarray(from, from + max)) };
    if (spool && from < spool.bytes) return { at: from, bytes: spool.read(from, max) };
    if (from < headBytes) return { at: from, bytes: Buffer.from(kept.head().subarray(from, from + max)) };
    const tail = kept.tail();
    const begins = kept.total - tail.length;
    if (from < begins) return { at: begins, bytes: new Uint8Array(0) };
    return { at: from, bytes: tail.subarray(from - begins, from - begins + max) };
  }

  return {
    get bytes() {
      return kept.total;
    },
    get lines() {
      return lines;
    },
    write(bytes) {
      if (ended || bytes.length === 0) return;
      if (spool && kept.total + bytes.length > limitBytes) {
        // Most commands never come here, so no file is made for them.
        if (!kept.overflowed) spool.write(kept.head());
        spool.write(bytes);
      }
      kept.write(bytes);
      lines += countNewlines(bytes);
    },
    async read(from, max) {
      if (from >= kept.total || max <= 0) return { bytes: new Uint8Array(0), next: from, end: ended && from >= kept.total };
      const { at, bytes } = take(from, max);
      const newest = at + bytes.length === kept.total;
      // The rest of a code point may still come, but not to a reader who never takes that many bytes.
      const cut = newest ? !ended && max >= CODE_POINT_BYTES : bytes.length >= CODE_POINT_BYTES;
      const whole = cut ? headEnd(bytes, bytes.length) : bytes.length;
      const next = at + whole;
      return { bytes: bytes.subarray(0, whole), next, end: ended && next === kept.total };
    },
    cutAt(beginning) {
      const at = kept.overflowed ? -1 : kept.head().indexOf(beginning, 0, 'latin1');
      if (at < 0) return;
      kept.cut(at);
      lines = countNewlines(kept.head());
    },
    end() {
      ended = true;
    },
    async captured() {
      const bytes = kept.total;
      if (!kept.overflowed) return { text: kept.head().toString('utf8'), bytes, omittedBytes: 0 };
      const { text, omittedBytes } = joined({ head: kept.head(), tail: kept.tail(), total: bytes });
      const full = ended ? spool?.end() : undefined;
      return full ? { text, bytes, omittedBytes, full } : { text, bytes, omittedBytes };
    },
  };
}
