import { ShellgateError } from '../contract/error.js';
import { headEnd, tailStart } from './code-points.js';
import { createErrorLineTruncator } from './error-lines.js';
import { createHeadTail } from './head-tail.js';
import { marker } from './marker.js';

/** How a long output is shortened. Limits count the bytes that stay; the marker comes on top. */
export type Truncation =
  /** Half from the beginning, the rest from the end (S3-09). `limitBytes` > 0. */
  | { readonly strategy: 'head_tail'; readonly limitBytes: number }
  /** 40 % of each end, by whole lines where that keeps most of it, and at most 20 error-like lines between (S1-09, S1-10). 0: no limit. */
  | { readonly strategy: 'head_tail_errors'; readonly limitBytes: number }
  /** Everything up to `limitChars` Unicode code points, else a preview of `previewBytes`: the rest belongs in a file. */
  | { readonly strategy: 'inline'; readonly limitChars: number; readonly previewBytes: number };

/** The limits that the source documents fix. */
export const TRUNCATIONS = {
  /** 64 KiB of each stream. */
  stream: { strategy: 'head_tail', limitBytes: 65_536 },
  /** 100,000 bytes of stdout and stderr together: see `truncateStreams`. */
  combined: { strategy: 'head_tail_errors', limitBytes: 100_000 },
  /** 30,000 characters to a model. */
  inline: { strategy: 'inline', limitChars: 30_000, previewBytes: 2_048 },
} as const satisfies Record<string, Truncation>;

export interface Truncated {
  /** Decoded as UTF-8; where bytes were left out stands the marker. */
  readonly text: string;
  readonly truncated: boolean;
  /** Bytes of the original in `text`; with `omittedBytes` it gives the original's length. */
  readonly keptBytes: number;
  readonly omittedBytes: number;
}

/** The same for output that comes in pieces, in bounded memory: any cut into pieces gives what the whole gives. */
export interface Truncator {
  write(bytes: Uint8Array): void;
  end(): Truncated;
}

/** Shorten a whole output. Errors: `LIMIT_INVALID`. */
export function truncate(bytes: Uint8Array, truncation: Truncation): Truncated {
  const truncator = createTruncator(truncation, bytes.length);
  truncator.write(bytes);
  return truncator.end();
}

/** Both streams of a command under one limit (S1-13): a stream that needs less than half leaves the rest to the other. */
export function truncateStreams(
  streams: { readonly stdout: Uint8Array; readonly stderr: Uint8Array },
  truncation: Extract<Truncation, { strategy: 'head_tail_errors' }> = TRUNCATIONS.combined,
): { readonly stdout: Truncated; readonly stderr: Truncated } {
  const [out, err] = shareLimit(truncation.limitBytes, [streams.stdout.length, streams.stderr.length]);
  return { stdout: withErrors(streams.stdout, out), stderr: withErrors(streams.stderr, err) };
}

/** What of one limit each of two streams may keep. 0 means no limit, so both keep everything. */
export function shareLimit(limitBytes: number, [first, second]: readonly [number, number]): [number, number] {
  if (requireLimit(limitBytes, 0) === 0 || first + second <= limitBytes) return [first, second];
  const half = Math.floor(limitBytes / 2);
  if (first <= half) return [first, limitBytes - first];
  if (second <= half) return [limitBytes - second, second];
  return [half, limitBytes - half];
}

function withErrors(bytes: Uint8Array, limitBytes: number): Truncated {
  const truncator = createErrorLineTruncator(limitBytes, bytes.length);
  truncator.write(bytes);
  return truncator.end();
}

/**
 * `totalBytes` is the length of the output, which `head_tail_errors` has to know before; its spool tells it.
 * Errors: `LIMIT_INVALID`, `LENGTH_UNKNOWN`.
 */
export function createTruncator(truncation: Truncation, totalBytes?: number): Truncator {
  switch (truncation.strategy) {
    case 'head_tail':
      return headTailTruncator(requireLimit(truncation.limitBytes, 1));
    case 'head_tail_errors': {
      if (totalBytes === undefined) throw new ShellgateError('LENGTH_UNKNOWN', 'head_tail_errors needs the length of the output');
      const limitBytes = requireLimit(truncation.limitBytes, 0);
      return createErrorLineTruncator(limitBytes === 0 ? totalBytes : limitBytes, totalBytes);
    }
    case 'inline':
      requireLimit(truncation.limitChars, 0);
      requireLimit(truncation.previewBytes, 1);
      return inlineTruncator(truncation);
  }
}

function requireLimit(limit: number, least: number): number {
  if (Number.isSafeInteger(limit) && limit >= least) return limit;
  throw new ShellgateError('LIMIT_INVALID', `an output limit must be a whole number of at least ${least}, not ${limit}`);
}

function headTailTruncator(limitBytes: number): Truncator {
  const headBytes = Math.floor(limitBytes / 2);
  const kept = createHeadTail(headBytes, limitBytes - headBytes);
  return {
    write: bytes => kept.write(bytes),
    end: () => (kept.overflowed ? joined({ head: kept.head(), tail: kept.tail(), total: kept.total }) : whole(kept.head())),
  };
}

function inlineTruncator({ limitChars, previewBytes }: Extract<Truncation, { strategy: 'inline' }>): Truncator {
  // A code point is at most four bytes: what is longer than this cannot fit.
  const most = Math.max(limitChars * 4, previewBytes * 2);
  const kept = createHeadTail(most, previewBytes);
  return {
    write: bytes => kept.write(bytes),
    end() {
      if (!kept.overflowed) {
        const bytes = kept.head();
        if (countCodePoints(bytes) <= limitChars) return whole(bytes);
        return truncate(bytes, { strategy: 'head_tail', limitBytes: previewBytes });
      }
      const headBytes = Math.floor(previewBytes / 2);
      const tail = kept.tail().subarray(headBytes);
      return joined({ head: kept.head(), tail, total: kept.total, headBytes });
    },
  };
}

/** Code points of UTF-8: every byte that continues none. */
function countCodePoints(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count += 1;
  return count;
}

function whole(bytes: Buffer): Truncated {
  return { text: bytes.toString('utf8'), truncated: false, keptBytes: bytes.length, omittedBytes: 0 };
}

/** Head, marker, tail; no code point cut. */
export function joined(parts: { head: Buffer; tail: Buffer; total: number; headBytes?: number }): Truncated {
  const head = parts.head.subarray(0, headEnd(parts.head, parts.headBytes ?? parts.head.length));
  const tail = parts.tail.subarray(tailStart(parts.tail, 0));
  const keptBytes = head.length + tail.length;
  const omittedBytes = parts.total - keptBytes;
  const text = `${head.toString('utf8')}${marker(omittedBytes)}${tail.toString('utf8')}`;
  return { text, truncated: true, keptBytes, omittedBytes };
}
