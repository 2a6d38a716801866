import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical.js';
import { verifies } from '../helpers/verifies.js';

/** The same value with every object's keys put in the other order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const out = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value).reverse()) out[key] = reversed((value as Record<string, unknown>)[key]);
  return out;
}

describe('canonicalJson', () => {
  test.each<[string, unknown, string]>([
    // RFC 8785, 3.2.2 and 3.2.3
    [
      'the example of the RFC',
      {
        numbers: [333333333.3333333, 1e30, 4.5, 0.002, 1e-27],
        string: '\u20ac$\u000f\nA\'B"\\\\"/',
        literals: [null, true, false],
      },
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    ],
    [
      'keys in UTF-16 order',
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 },
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    ],
    ['minus zero', -0, '0'],
    ['undefined left out', { a: undefined, b: 1, c: () => 1 }, '{"b":1}'],
    ['undefined in an array', [undefined, 1], '[null,1]'],
    ['not finite', { a: Number.NaN, b: Number.POSITIVE_INFINITY }, '{"a":null,"b":null}'],
    ['a lone surrogate', '\ud800', '"\\ud800"'],
    ['toJSON', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a key that is a prototype name', JSON.parse('{"b":1,"__proto__":2}'), '{"__proto__":2,"b":1}'],
    ['nothing at all', undefined, 'null'],
  ])('%s', (_name, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  test('reads back as the same value, whatever the order of keys', () => {
    verifies('P4');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  test('different values have different forms', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [left, right] = [a, b].map(value => JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(isDeepStrictEqual(left, right));
      }),
    );
  });

  test('a bigint and a cycle are errors, never a wrong text', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(() => canonicalJson(cycle)).toThrow();
    expect(() => canonicalJson({ n: 1n })).toThrow(/bigint/);
  });
});
