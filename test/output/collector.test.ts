import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Chunk } from '../../src/contract/execution.js';
import { type Collector, createCollector, DEFAULT_KEPT_BYTES } from '../../src/output/collector.js';
import { createSpools } from '../../src/output/spool.js';
import { truncate } from '../../src/output/truncation.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const textOf = (chunk: Chunk): string => Buffer.from(chunk.bytes).toString();

/** Everything from the beginning, `max` bytes at a time, as a client that decodes every piece for itself would read it. */
async function pieces(collector: Collector, max: number): Promise<string[]> {
  const read: string[] = [];
  for (let from = 0; ; ) {
    const chunk = await collector.read(from, max);
    if (chunk.bytes.length > 0) read.push(textOf(chunk));
    if (chunk.end || chunk.next === from) return read;
    from = chunk.next;
  }
}

function spools(options: { perCommandBytes?: number } = {}) {
  const made = createSpools({ directory: join(temporaryDirectory(), 'spool'), keepFreeBytes: 0, ...options });
  onTestFinished(() => made.close());
  return made;
}

test('what fits is the result, without a file', async () => {
  const directory = join(temporaryDirectory(), 'spool');
  const made = createSpools({ directory });
  const collector = createCollector({ spool: made.open('c.stdout') });
  collector.write(Buffer.from('a\nb\n'));
  collector.write(Buffer.from('c'));
  expect([collector.bytes, collector.lines]).toEqual([5, 2]);
  collector.end();
  collector.write(Buffer.from('too late'));
  expect(await collector.captured()).toEqual({ text: 'a\nb\nc', bytes: 5, omittedBytes: 0 });
  expect(() => readFileSync(directory)).toThrow('ENOENT');
});

test('64 KiB are kept by default, and what is kept is a copy', async () => {
  verifies('S3-09', 'P8');
  const collector = createCollector();
  const bytes = Buffer.alloc(1_000, 'x');
  for (let n = 0; n < 100; n += 1) collector.write(bytes);
  bytes.fill('y');
  const captured = await collector.captured();
  const half = 'x'.repeat(DEFAULT_KEPT_BYTES / 2);
  expect(captured).toEqual({
    text: `${half}\n[... truncated 34464 bytes ...]\n${half}`,
    bytes: 100_000,
    omittedBytes: 34_464,
  });
});

test('a long stream is whole in its file, and the result says which file and digest', async () => {
  verifies('P8');
  const collector = createCollector({ limitBytes: 10, spool: spools().open('c.stdout') });
  for (const text of ['0123', '45678', '9abc', 'def']) collector.write(Buffer.from(text));
  expect((await collector.captured()).full).toBeUndefined(); // no digest before the end
  collector.end();
  const { full, text } = await collector.captured();
  expect(text).toBe('01234\n[... truncated 6 bytes ...]\nbcdef');
  expect(full).toMatchObject({
    bytes: 16,
    complete: true,
    sha256: '9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f',
  });
  expect(readFileSync(full!.ref, 'utf8')).toBe('0123456789abcdef');
  expect(await collector.captured()).toEqual({ text, bytes: 16, omittedBytes: 6, full });
});

test('without a file the middle of a long stream is a gap that a reader steps over', async () => {
  const collector = createCollector({ limitBytes: 10 });
  collector.write(Buffer.from('0123456789abcdef'));
  collector.end();
  const read = async (from: number, max: number) => {
    const chunk = await collector.read(from, max);
    return [textOf(chunk), chunk.next, chunk.end];
  };
  expect(await read(0, 100)).toEqual(['01234', 5, false]);
  expect(await read(5, 100)).toEqual(['', 11, false]);
  expect(await read(11, 3)).toEqual(['bcd', 14, false]);
  expect(await read(14, 100)).toEqual(['ef', 16, true]);
  expect(await read(16, 100)).toEqual(['', 16, true]);
  expect(await read(999, 100)).toEqual(['', 999, true]);
  expect(await read(3, 0)).toEqual(['', 3, false]);
});

test('behind a spent quota only the tail can still be read', async () => {
  verifies('P8');
  const collector = createCollector({ limitBytes: 10, spool: spools({ perCommandBytes: 12 }).open('c.stdout') });
  collector.write(Buffer.from('0123456789abcdef0123456789ABCDEF'));
  collector.end();
  expect((await collector.captured()).full).toMatchObject({ bytes: 12, complete: false });
  expect(await pieces(collector, 100)).toEqual(['0123456789ab', 'BCDEF']);
});

test('a code point that is still coming is waited for, and given in one piece', async () => {
  verifies('P8');
  const collector = createCollector();
  const [first, second] = [Buffer.from('a😀').subarray(0, 3), Buffer.from('a😀').subarray(3)];
  collector.write(first);
  expect(await collector.read(0, 100)).toMatchObject({ next: 1, end: false });
  expect(await collector.read(1, 100)).toMatchObject({ bytes: { length: 0 }, next: 1, end: false });
  collector.write(second);
  expect(textOf(await collector.read(1, 100))).toBe('😀');
  expect(await collector.read(1, 2)).toMatchObject({ next: 3 }); // who takes two bytes at a time gets them
  collector.write(Buffer.from('é').subarray(0, 1));
  collector.end();
  expect(await collector.read(5, 100)).toMatchObject({ next: 6, end: true }); // it will never come
});

const TEXT = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '€', '😀'), maxLength: 120 });
const SIZES = fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 30 });

test('any cut into writes and reads gives every byte once, no code point cut, and the truncation of the whole', async () => {
  verifies('P8', 'S3-09');
  const made = spools();
  const run = async (text: string, sizes: readonly number[], limitBytes: number, max: number): Promise<void> => {
    const bytes = Buffer.from(text);
    const collector = createCollector({ limitBytes, spool: made.open('c.stdout') });
    const read: string[] = [];
    let from = 0;
    for (let at = 0, n = 0; at < bytes.length; n += 1) {
      const size = sizes[n] ?? 25;
      collector.write(bytes.subarray(at, at + size));
      at += size;
      if (n % 2 === 0) continue;
      const chunk = await collector.read(from, max);
      read.push(textOf(chunk));
      from = chunk.next;
    }
    collector.end();
    for (let end = false; !end; ) {
      const chunk = await collector.read(from, max);
      read.push(textOf(chunk));
      end = chunk.end;
      from = chunk.next;
    }
    expect(read.join('')).toBe(text);
    const { text: shown, omittedBytes } = await collector.captured();
    expect({ text: shown, omittedBytes }).toEqual(
      (({ text: whole, omittedBytes: gone }) => ({ text: whole, omittedBytes: gone }))(
        truncate(bytes, { strategy: 'head_tail', limitBytes }),
      ),
    );
    expect([collector.bytes, collector.lines]).toEqual([bytes.length, text.split('\n').length - 1]);
  };
  await fc.assert(fc.asyncProperty(TEXT, SIZES, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 4, max: 60 }), run), {
    numRuns: 200,
  });
});

test('without a file every piece is whole up to the edges of what is kept', async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 60 }), async (text, limitBytes, max) => {
      const collector = createCollector({ limitBytes });
      collector.write(Buffer.from(text));
      collector.end();
      let came = 0;
      let from = 0;
      for (let steps = 0; ; steps += 1) {
        expect(steps).toBeLessThan(1_000); // it always gets on
        const chunk = await collector.read(from, max);
        expect(chunk.next >= from).toBe(true);
        came += chunk.bytes.length;
        from = chunk.next;
        if (chunk.end) break;
      }
      expect([came, from]).toEqual([Math.min(Buffer.byteLength(text), limitBytes), Buffer.byteLength(text)]);
    }),
  );
});

test('newlines are counted in blocks of any length and place', () => {
  const nothingElse = createCollector();
  nothingElse.write(new Uint8Array(5_001).fill(10));
  expect(nothingElse.lines).toBe(5_001);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3_000 }), fc.nat(7), fc.boolean(), (bytes, offset, dense) => {
      const all = dense ? bytes.map(byte => (byte < 200 ? 10 : byte)) : bytes;
      const shifted = new Uint8Array(all.length + offset);
      shifted.set(all, offset);
      const collector = createCollector();
      collector.write(shifted.subarray(offset));
      expect(collector.lines).toBe(all.filter(byte => byte === 10).length);
    }),
  );
});

test('what is not its own is cut off, as long as all of it is in memory', async () => {
  const collector = createCollector({ limitBytes: 16 });
  collector.write(Buffer.from('own\n\x1eabc\0x'));
  collector.cutAt('\x1enone\0');
  expect(collector.bytes).toBe(10);
  collector.cutAt('\x1eabc\0');
  expect([collector.bytes, collector.lines]).toEqual([4, 1]);
  collector.write(Buffer.from('more'));
  expect(await collector.captured()).toEqual({ text: 'own\nmore', bytes: 8, omittedBytes: 0 });
  collector.write(Buffer.from('too long by far'));
  collector.cutAt('own');
  expect(collector.bytes).toBe(23);
});
