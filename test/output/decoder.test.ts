import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDecoder } from '../../src/output/decoder.js';
import { verifies } from '../helpers/verifies.js';

const bytewise = (bytes: Uint8Array, sizes: readonly number[]): string => {
  const decoder = createDecoder();
  let text = '';
  let at = 0;
  for (const size of sizes) {
    text += decoder.write(bytes.subarray(at, at + size));
    at += size;
  }
  return text + decoder.write(bytes.subarray(at)) + decoder.end();
};

test('any cut into pieces decodes to what the whole decodes to, valid or not', () => {
  verifies('P8');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: fc.constantFrom(...'aé€😀\u{10ffff}\ufeff') }).map(text => Buffer.from(text)),
        fc.uint8Array({ maxLength: 60 }),
        fc.array(fc.constantFrom(0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80)).map(all => Uint8Array.from(all)),
      ),
      fc.array(fc.nat(3), { maxLength: 60 }),
      (bytes, sizes) => {
        expect(bytewise(bytes, sizes)).toBe(Buffer.from(bytes).toString('utf8'));
      },
    ),
    { numRuns: 500 },
  );
});

test('an unfinished code point at the end becomes one replacement, and the decoder starts anew', () => {
  const decoder = createDecoder();
  expect(decoder.write(Uint8Array.of(0xf0, 0x9f, 0x98))).toBe('');
  expect(decoder.end()).toBe('\ufffd');
  expect(decoder.write(Buffer.from('é')) + decoder.end()).toBe('é');
});

test('a byte order mark is output like everything else', () => {
  const decoder = createDecoder();
  expect(decoder.write(Buffer.from('\ufeffa'))).toBe('\ufeffa');
});
