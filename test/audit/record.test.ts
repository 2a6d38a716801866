import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isGenuine, NO_RECORD, parseRecord, seal, type Unsealed } from '../../src/audit/record.js';
import { canonicalJson } from '../../src/contract/canonical.js';
import { verifies } from '../helpers/verifies.js';

const unsealed: fc.Arbitrary<Unsealed> = fc.record(
  {
    v: fc.constant(1 as const),
    chain: fc.string(),
    seq: fc.nat(),
    time: fc.string(),
    monoNs: fc.string(),
    type: fc.constantFrom('command.requested', 'audit.head' as const),
    session: fc.string(),
    command: fc.string({ unit: 'grapheme' }),
    data: fc.jsonValue(),
    prev: fc.constant(NO_RECORD),
  },
  { requiredKeys: ['v', 'chain', 'seq', 'time', 'monoNs', 'type', 'data', 'prev'] },
);

test('a line is the canonical form of its record, and its hash covers all the rest', () => {
  verifies('P1');
  fc.assert(
    fc.property(unsealed, record => {
      const { line, hash } = seal(record);
      expect(hash).toBe(createHash('sha256').update(canonicalJson(record)).digest('hex'));
      expect(line).toBe(canonicalJson({ ...record, hash }));
    }),
  );
});

test('what was sealed is read back, and is genuine', () => {
  fc.assert(
    fc.property(unsealed, record => {
      const line = Buffer.from(seal(record).line);
      const read = parseRecord(line)!;
      expect(canonicalJson(read)).toBe(line.toString());
      expect(isGenuine(line, read)).toBe(true);
    }),
  );
});

test.each(['{"a":1}', 'null', '[]', '1', 'x', '', '{"v":2}'])('%j is no record', line => {
  expect(parseRecord(Buffer.from(line))).toBeUndefined();
});

test('the same record in another spelling is not genuine', () => {
  const { line } = seal({ v: 1, chain: 'c', seq: 1, time: 't', monoNs: '1', type: 'audit.head', data: {}, prev: NO_RECORD });
  const spelled = Buffer.from(line.replace('"seq":1', '"seq": 1'));
  expect(isGenuine(Buffer.from(line), parseRecord(Buffer.from(line))!)).toBe(true);
  expect(isGenuine(spelled, parseRecord(spelled)!)).toBe(false);
});
