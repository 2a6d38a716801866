import { headEnd, tailStart } from './code-points.js';
import { createHeadTail } from './head-tail.js';
import { marker } from './marker.js';
import type { Truncated, Truncator } from './truncation.js';

/** The words of S1-10, in these spellings and no others. */
const ERROR_WORD = /error|Error|ERROR|failed|Failed|FAILED|exception|Exception|Traceback|panic|PANIC/g;
const MOST_LINES = 20;
const END_SHARE = 0.4;
const NEWLINE = 10;

/**
 * 40 % of the limit from each end and error-like lines of the middle within the rest (S1-09 to S1-13). An end consists of
 * whole lines when those are at least half of its share, else it is cut at a code point. `totalBytes` must be what will be
 * written.
 */
export function createErrorLineTruncator(limitBytes: number, totalBytes: number): Truncator {
  if (totalBytes <= limitBytes) return keepAll(totalBytes);
  const share = Math.floor(limitBytes * END_SHARE);
  // One byte more than the tail tells whether the tail begins a line.
  const ends = createHeadTail(share, share + 1);
  const lines = createLineScanner(limitBytes - 2 * share);
  let begun = false;

  function scan(bytes: Uint8Array): void {
    if (begun) {
      lines.write(bytes);
      return;
    }
    if (ends.total < share) return;
    begun = true;
    const head = wholeHead(ends.head().subarray(0, share));
    lines.begin(head.at, head.insideLine);
    lines.write(ends.head().subarray(head.at, share));
    lines.write(bytes.subarray(share - (ends.total - bytes.length)));
  }

  return {
    write(bytes) {
      if (bytes.length === 0) return;
      ends.write(bytes);
      scan(bytes);
    },
    end() {
      const both = Buffer.concat([ends.head(), ends.tail()]);
      const head = both.subarray(0, wholeHead(both.subarray(0, share)).at);
      const window = both.subarray(both.length - share);
      const tail = window.subarray(wholeTail(window, both[both.length - share - 1]));
      const errors = lines.endingBefore(totalBytes - tail.length);
      const keptBytes = head.length + errors.length + tail.length;
      const omittedBytes = totalBytes - keptBytes;
      const text = `${head.toString('utf8')}${marker(omittedBytes)}${errors.toString('utf8')}${tail.toString('utf8')}`;
      return { text, truncated: true, keptBytes, omittedBytes };
    },
  };
}

function keepAll(totalBytes: number): Truncator {
  const kept = createHeadTail(totalBytes, 0);
  return {
    write: bytes => kept.write(bytes),
    end: (): Truncated => ({
      text: kept.head().toString('utf8'),
      truncated: false,
      keptBytes: kept.total,
      omittedBytes: 0,
    }),
  };
}

/** Where the head ends. `insideLine`: no line end was near enough. */
function wholeHead(window: Buffer): { at: number; insideLine: boolean } {
  const lineEnd = window.lastIndexOf(NEWLINE) + 1;
  if (lineEnd > 0 && lineEnd >= window.length / 2) return { at: lineEnd, insideLine: false };
  return { at: headEnd(window, window.length), insideLine: window.length > 0 };
}

/** Where in its window the tail begins, given the byte before the window. */
function wholeTail(window: Buffer, before: number | undefined): number {
  if (before === NEWLINE) return 0;
  const lineStart = window.indexOf(NEWLINE) + 1;
  return lineStart > 0 && lineStart <= window.length / 2 ? lineStart : tailStart(window, 0);
}

interface LineScanner {
  /** The middle begins at this offset of the stream, perhaps inside a line that counts as cut. */
  begin(offset: number, insideLine: boolean): void;
  write(bytes: Uint8Array): void;
  /** The chosen lines that end at or before this offset. */
  endingBefore(offset: number): Buffer;
}

/** The first error-like lines that fit into a budget together. */
function createLineScanner(budget: number): LineScanner {
  const chosen: { readonly end: number; readonly bytes: Buffer }[] = [];
  let left = budget;
  let unfinished = Buffer.alloc(0);
  let skipping = false;
  let offset = 0;

  /** In order, so lines of the tail, which are dropped at the end, never took the place of earlier ones. */
  function search(lines: Buffer): void {
    const text = lines.toString('latin1');
    ERROR_WORD.lastIndex = 0;
    for (let hit = ERROR_WORD.exec(text); hit && chosen.length < MOST_LINES; hit = ERROR_WORD.exec(text)) {
      const start = text.lastIndexOf('\n', hit.index) + 1;
      const end = text.indexOf('\n', hit.index) + 1;
      ERROR_WORD.lastIndex = end;
      if (end - start > left) continue;
      left -= end - start;
      chosen.push({ end: offset + end, bytes: Buffer.from(lines.subarray(start, end)) });
    }
  }

  return {
    begin(at, insideLine) {
      offset = at;
      skipping = insideLine;
    },
    write(bytes) {
      if (chosen.length === MOST_LINES) return;
      let fresh = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      if (skipping) {
        const lineEnd = fresh.indexOf(NEWLINE) + 1;
        skipping = lineEnd === 0;
        offset += skipping ? fresh.length : lineEnd;
        fresh = fresh.subarray(skipping ? fresh.length : lineEnd);
      }
      const all = unfinished.length > 0 ? Buffer.concat([unfinished, fresh]) : fresh;
      const lineEnd = all.lastIndexOf(NEWLINE) + 1;
      if (lineEnd > 0) search(all.subarray(0, lineEnd));
      offset += lineEnd;
      unfinished = Buffer.from(all.subarray(lineEnd));
      if (unfinished.length <= budget) return;
      // Too long to be chosen, so only its end is of interest.
      offset += unfinished.length;
      unfinished = Buffer.alloc(0);
      skipping = true;
    },
    endingBefore: limit => Buffer.concat(chosen.filter(line => line.end <= limit).map(line => line.bytes)),
  };
}
