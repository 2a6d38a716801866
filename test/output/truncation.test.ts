import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createTruncator,
  shareLimit,
  TRUNCATIONS,
  type Truncated,
  type Truncation,
  truncate,
  truncateStreams,
} from '../../src/output/truncation.js';
import { verifies } from '../helpers/verifies.js';

const markerOf = (bytes: number): string => `\n[... truncated ${bytes} bytes ...]\n`;
const headTail = (text: string, limitBytes: number): Truncated =>
  truncate(Buffer.from(text), { strategy: 'head_tail', limitBytes });
const withErrors = (text: string, limitBytes: number): Truncated =>
  truncate(Buffer.from(text), { strategy: 'head_tail_errors', limitBytes });

describe('head and tail', () => {
  test.each([
    ['x'.repeat(100_000), 65_536, 'x'.repeat(32_768), 34_464, 'x'.repeat(32_768)],
    ['ABCDEFGHIJ', 5, 'AB', 5, 'HIJ'],
    ['AAAAAAAAAA', 4, 'AA', 6, 'AA'],
    ['abc', 1, '', 2, 'c'],
    ['😀'.repeat(10), 20, '😀😀', 24, '😀😀'],
  ])('%.12s… with a limit of %i', (text, limit, head, omitted, tail) => {
    verifies('S3-09', 'J05', 'J06', 'J07');
    expect(headTail(text, limit)).toEqual({
      text: `${head}${markerOf(omitted)}${tail}`,
      truncated: true,
      keptBytes: Buffer.byteLength(head + tail),
      omittedBytes: omitted,
    });
  });

  test.each(['', 'abcde', '😀', 'a\n\n'])('what fits stays as it is: %j', text => {
    verifies('S3-09', 'J06');
    const bytes = Buffer.byteLength(text);
    expect(headTail(text, Math.max(bytes, 1))).toEqual({ text, truncated: false, keptBytes: bytes, omittedBytes: 0 });
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('a limit of %d is an error', limitBytes => {
    verifies('S3-09', 'J06');
    const expected = expect.objectContaining({ code: 'LIMIT_INVALID' });
    expect(() => createTruncator({ strategy: 'head_tail', limitBytes })).toThrow(expected);
    expect(() => createTruncator({ strategy: 'inline', limitChars: 1, previewBytes: limitBytes })).toThrow(expected);
  });

  test('bytes that are no UTF-8 are kept up to the last one', () => {
    const { text, keptBytes, omittedBytes } = truncate(Buffer.alloc(100, 0xff), { strategy: 'head_tail', limitBytes: 20 });
    expect([text.match(/\ufffd/g)!.length, keptBytes, omittedBytes]).toEqual([20, 20, 80]);
    // Continuation bytes that continue nothing: at the tail's edge three of them may be taken for a cut code point.
    expect(truncate(Buffer.alloc(100, 0x80), { strategy: 'head_tail', limitBytes: 20 }).keptBytes).toBeGreaterThanOrEqual(17);
  });
});

const numbered = (special?: string): string =>
  Array.from({ length: 100 }, (_, n) => `${n === 50 && special !== undefined ? special : `line ${n}`}\n`).join('');
const linesFrom = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join('');

describe('both ends and the errors between', () => {
  test('whole lines of both ends', () => {
    verifies('S1-09', 'S1-11', 'G10');
    expect(Buffer.byteLength(numbered())).toBe(790);
    expect(withErrors(numbered(), 200).text).toBe(`${linesFrom(0, 10)}${markerOf(632)}${linesFrom(90, 99)}`);
  });

  test('an error line of the middle', () => {
    verifies('S1-10', 'G11');
    const line = 'Traceback (most recent call last):';
    const shortened = withErrors(numbered(line), 200);
    expect(shortened.text).toBe(`${linesFrom(0, 10)}${markerOf(624)}${line}\n${linesFrom(90, 99)}`);
    expect(shortened.keptBytes).toBe(193);
  });

  test('a line that is longer than everything', () => {
    verifies('S1-13', 'G12', 'G13');
    expect(withErrors('a'.repeat(1_000), 100).text).toBe(`${'a'.repeat(40)}${markerOf(920)}${'a'.repeat(40)}`);
    const long = withErrors(`error ${'x'.repeat(1_000)}`, 100);
    expect(long.keptBytes).toBeLessThanOrEqual(100);
    expect(long.text).toBe(`error ${'x'.repeat(34)}${markerOf(926)}${'x'.repeat(40)}`);
  });

  test.each('error Error ERROR failed Failed FAILED exception Exception Traceback panic PANIC'.split(' '))(
    '%s makes a line worth keeping',
    word => {
      verifies('S1-10');
      expect(withErrors(numbered(`>>${word}<<`), 300).text).toContain(`\n>>${word}<<\n`);
    },
  );

  test.each(['eRROR', 'Fail', 'Panicked', 'warning'])('%s does not', word => {
    verifies('S1-10');
    expect(withErrors(numbered(`>>${word}<<`), 300).text).not.toContain(word);
  });

  test('at most twenty of them, the first ones, and none that does not fit', () => {
    verifies('S1-10', 'S1-13');
    const errors = Array.from({ length: 50 }, (_, n) => `error ${String(n).padStart(2, '0')}\n`).join('');
    const text = `${'-'.repeat(5_000)}\n${errors}${'-'.repeat(5_000)}\n`;
    const kept = withErrors(text, 2_000).text.match(/error \d\d/g)!;
    expect(kept).toEqual(Array.from({ length: 20 }, (_, n) => `error ${String(n).padStart(2, '0')}`));
    expect(withErrors(text, 200).text.match(/error \d\d/g)).toHaveLength(4); // 40 bytes, 9 a line
    const wide = `${'-'.repeat(500)}\nerror ${'w'.repeat(100)}\nerror: short\n${'-'.repeat(500)}\n`;
    expect(withErrors(wide, 200).text).toContain(`${markerOf(1_122 - 80 - 80 - 13)}error: short\n`);
  });

  test('what is below or at the limit, or has none, stays byte for byte', () => {
    verifies('S1-12', 'G16');
    const exact = 'y'.repeat(100_000);
    expect(truncate(Buffer.from(exact), TRUNCATIONS.combined)).toMatchObject({ text: exact, truncated: false });
    expect(truncate(Buffer.from(`${exact}y`), TRUNCATIONS.combined)).toMatchObject({ truncated: true, omittedBytes: 20_001 });
    const much = 'error\n'.repeat(200_000);
    expect(withErrors(much, 0)).toEqual({ text: much, truncated: false, keptBytes: much.length, omittedBytes: 0 });
  });

  test('a negative limit, or a stream of unknown length, is an error', () => {
    verifies('S1-12');
    expect(() => withErrors('x', -1)).toThrow(expect.objectContaining({ code: 'LIMIT_INVALID' }));
    expect(() => createTruncator({ strategy: 'head_tail_errors', limitBytes: 1 })).toThrow(
      expect.objectContaining({ code: 'LENGTH_UNKNOWN' }),
    );
  });
});

describe('one limit for both streams', () => {
  test('two long streams are both represented and marked', () => {
    verifies('S1-13', 'G15');
    const stdout = Buffer.alloc(90_000, 'o');
    const stderr = Buffer.alloc(90_000, 'e');
    const both = truncateStreams({ stdout, stderr });
    expect(both.stdout.keptBytes + both.stderr.keptBytes).toBeLessThanOrEqual(100_000);
    expect(both.stdout.text).toBe(`${'o'.repeat(20_000)}${markerOf(50_000)}${'o'.repeat(20_000)}`);
    expect(both.stderr.text).toBe(`${'e'.repeat(20_000)}${markerOf(50_000)}${'e'.repeat(20_000)}`);
  });

  test('a short stream leaves what it does not need to the other', () => {
    expect(shareLimit(100, [10, 500])).toEqual([10, 90]);
    expect(shareLimit(100, [500, 10])).toEqual([90, 10]);
    expect(shareLimit(101, [500, 500])).toEqual([50, 51]);
    expect(shareLimit(0, [500, 500])).toEqual([500, 500]);
  });

  test('the shares never exceed the limit, and nothing is cut that need not be', () => {
    verifies('S1-13');
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), fc.integer({ min: 1, max: 5_000 }), (first, second, limit) => {
        const [one, two] = shareLimit(limit, [first, second]);
        if (first + second <= limit) expect([one, two]).toEqual([first, second]);
        else expect(one + two).toBe(limit);
        expect(one).toBeLessThanOrEqual(Math.max(first, Math.ceil(limit / 2)));
        expect(Math.min(first, Math.floor(limit / 2))).toBeLessThanOrEqual(one);
        expect(Math.min(second, Math.floor(limit / 2))).toBeLessThanOrEqual(two);
      }),
    );
  });
});

describe('inline', () => {
  const inline: Truncation = TRUNCATIONS.inline;
  test('counts characters, not bytes', () => {
    verifies('H06');
    const exact = '😀'.repeat(30_000);
    expect(truncate(Buffer.from(exact), inline)).toMatchObject({ text: exact, truncated: false });
    const preview = truncate(Buffer.from(`${exact}x`), inline);
    expect(preview.truncated).toBe(true);
    expect(preview.text).toBe(`${'😀'.repeat(256)}${markerOf(120_001 - 2_045)}${'😀'.repeat(255)}x`);
  });

  test('shows a preview of what is longer', () => {
    verifies('H06');
    expect(truncate(Buffer.alloc(30_000, 'x'), inline).truncated).toBe(false);
    for (const length of [30_001, 200_000]) {
      const preview = truncate(Buffer.alloc(length, 'x'), inline);
      expect(preview.text).toBe(`${'x'.repeat(1_024)}${markerOf(length - 2_048)}${'x'.repeat(1_024)}`);
    }
  });
});

const LINE = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: fc.constantFrom('a', ' ', 'é', '€', '😀'), maxLength: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom('error', 'x Failed y', 'panic!', 'Traceback (most', 'éERROR€', 'no exception 😀') },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom('e', 'error ', '😀'), minLength: 20, maxLength: 60 }) },
);
const TEXT = fc
  .tuple(fc.array(LINE, { maxLength: 60 }), fc.boolean())
  .map(([lines, end]) => lines.join('\n') + (end ? '\n' : ''));
const LIMIT = fc.integer({ min: 1, max: 300 });
const CUTS = fc.array(fc.nat(40), { maxLength: 30 });
const RAW = fc.uint8Array({ maxLength: 400 }).map(bytes => Buffer.from(bytes));

function inPieces(bytes: Buffer, truncation: Truncation, cuts: readonly number[]): Truncated {
  const truncator = createTruncator(truncation, bytes.length);
  let at = 0;
  for (const length of cuts) {
    const piece = Buffer.from(bytes.subarray(at, at + length));
    truncator.write(piece);
    piece.fill(0); // whoever writes may use its memory again
    at += length;
  }
  truncator.write(bytes.subarray(at));
  return truncator.end();
}

const ofAnyKind = (limit: number): readonly Truncation[] => [
  { strategy: 'head_tail', limitBytes: limit },
  { strategy: 'head_tail_errors', limitBytes: limit },
  { strategy: 'inline', limitChars: limit, previewBytes: Math.ceil(limit / 3) },
];

const WORD = /error|Error|ERROR|failed|Failed|FAILED|exception|Exception|Traceback|panic|PANIC/;

/** S1-09, S1-10 and S1-13 said once more, in the plainest way and with no regard to cost. */
function plainly(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  const share = Math.floor(limit * 0.4);
  const starts = [0];
  for (const point of text) starts.push(starts.at(-1)! + Buffer.byteLength(point));
  const ends = [...bytes.keys()].filter(at => bytes[at] === 10).map(at => at + 1);
  const lineHead = ends.filter(at => at <= share && at >= share / 2).at(-1);
  const head = lineHead ?? starts.filter(at => at <= share).at(-1)!;
  const from = bytes.length - share;
  const tail = [0, ...ends].find(at => at >= from && at - from <= share / 2) ?? starts.find(at => at >= from)!;
  let left = limit - 2 * share;
  const errors: string[] = [];
  const middle = [0, ...ends].filter(at => at >= head);
  for (const [n, start] of middle.entries()) {
    const end = middle[n + 1];
    if (end === undefined || end > tail || errors.length === 20) break;
    const line = bytes.subarray(start, end).toString();
    if (!WORD.test(line) || end - start > left) continue;
    left -= end - start;
    errors.push(line);
  }
  const kept = head + bytes.length - tail + Buffer.byteLength(errors.join(''));
  return `${bytes.subarray(0, head)}${markerOf(bytes.length - kept)}${errors.join('')}${bytes.subarray(tail)}`;
}

describe('whatever the output', () => {
  test('the errors between both ends are those that a plain reading of the rule gives', () => {
    verifies('S1-09', 'S1-10', 'S1-13');
    fc.assert(
      fc.property(TEXT, LIMIT, (text, limit) => {
        expect(withErrors(text, limit).text).toBe(plainly(text, limit));
      }),
      { numRuns: 600 },
    );
  });

  test('kept bytes stay within the limit, the marker counts the rest, and no code point is cut', () => {
    verifies('S3-09', 'S1-11', 'S1-13', 'P8');
    fc.assert(
      fc.property(TEXT, LIMIT, (text, limit) => {
        const total = Buffer.byteLength(text);
        for (const truncation of ofAnyKind(limit)) {
          const result = truncate(Buffer.from(text), truncation);
          const { keptBytes, omittedBytes, truncated } = result;
          expect(keptBytes + omittedBytes).toBe(total);
          if (truncation.strategy !== 'inline') expect(truncated).toBe(total > limit);
          if (truncation.strategy !== 'inline') expect(keptBytes).toBeLessThanOrEqual(Math.max(limit, truncated ? 0 : total));
          if (!truncated) expect(result.text).toBe(text);
          else {
            expect(Buffer.byteLength(result.text)).toBe(keptBytes + markerOf(omittedBytes).length);
            expect(result.text).not.toContain('\ufffd');
            const [head, rest] = result.text.split(markerOf(omittedBytes)) as [string, string];
            expect(text.startsWith(head)).toBe(true);
            if (truncation.strategy !== 'head_tail_errors') expect(text.endsWith(rest)).toBe(true);
          }
        }
      }),
    );
  });

  test('in pieces it comes to the same as whole', () => {
    verifies('S3-09', 'P8');
    fc.assert(
      fc.property(fc.oneof(TEXT.map(Buffer.from), RAW), LIMIT, CUTS, (bytes, limit, cuts) => {
        for (const truncation of ofAnyKind(limit)) {
          expect(inPieces(bytes as Buffer, truncation, cuts)).toEqual(truncate(bytes as Buffer, truncation));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('an error line that comes byte by byte is kept as long as it fits', () => {
    verifies('S1-10');
    const line = `error ${'w'.repeat(190)}`;
    const bytes = Buffer.from(`${'-'.repeat(900)}\n${line}\n${'-'.repeat(900)}\n`);
    const result = inPieces(bytes, { strategy: 'head_tail_errors', limitBytes: 1_000 }, Array(bytes.length).fill(1));
    expect(result.text).toContain(`]\n${line}\n-`);
    const tooLong = inPieces(bytes, { strategy: 'head_tail_errors', limitBytes: 980 }, Array(bytes.length).fill(1));
    expect(tooLong.text).not.toContain('error');
  });

  test('inline gives all of what has few enough characters, else the head and tail of its preview', () => {
    fc.assert(
      fc.property(TEXT, fc.nat(200), fc.integer({ min: 1, max: 100 }), (text, limitChars, previewBytes) => {
        const result = truncate(Buffer.from(text), { strategy: 'inline', limitChars, previewBytes });
        if ([...text].length <= limitChars) expect(result.text).toBe(text);
        else expect(result).toEqual(headTail(text, previewBytes));
      }),
      { numRuns: 300 },
    );
  });
});

test('200 MB in pieces cost the memory of the limit', () => {
  verifies('P8');
  const piece = Buffer.alloc(1_000_000, 'z');
  const truncator = createTruncator(TRUNCATIONS.combined, 200_000_000);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let n = 0; n < 200; n += 1) {
    truncator.write(piece);
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  expect(truncator.end().omittedBytes).toBe(200_000_000 - 80_000);
  expect(most - before).toBeLessThan(20_000_000);
});
