import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Redactor } from '../../src/contract/redactor.js';
import { verifies } from '../helpers/verifies.js';

export interface RedactorUnderTest {
  readonly name: string;
  /** A redactor that knows the values of secret-looking variables of `env`. */
  make(env: Readonly<Record<string, string>>): Redactor;
}

const MARK = /\[redacted:[\w-]+:[0-9a-f]{6}\]/;
const KNOWN = 'correct-horse-battery';

/** Text as a stream gives it out, cut at the given lengths. */
export function streamed(redactor: Redactor, text: string, sizes: readonly number[]): string {
  const stream = redactor.stream();
  let result = '';
  let at = 0;
  for (const size of sizes) {
    result += stream.write(text.slice(at, at + size));
    at += size;
  }
  return result + stream.write(text.slice(at)) + stream.end();
}

/** What every redactor does (P10), whatever else it finds. */
export function redactorConformance(subject: RedactorUnderTest): void {
  describe(`redactor ${subject.name}`, () => {
    const redactor = subject.make({ APP_TOKEN: KNOWN, OTHER_SECRET: 'tr0ub4dor&3', HOME: '/home/ana' });

    test('takes known secrets out and leaves the rest as it is', () => {
      verifies('P10', 'I19');
      expect(redactor.redact(`a ${KNOWN} b`)).toMatch(/^a \[redacted:[\w-]+:[0-9a-f]{6}\] b$/);
      for (const text of ['', 'a', 'git status --short', 'ls -la /home/ana', 'echo "é😀"\n\ttab']) {
        expect(redactor.redact(text)).toBe(text);
      }
    });

    test('equal secrets have equal marks, others have others, and the mark tells nothing', () => {
      const seen = (text: string): string => MARK.exec(redactor.redact(text))![0];
      expect(seen(KNOWN)).toBe(seen(`x ${KNOWN} y`));
      expect(seen(KNOWN)).toBe(MARK.exec(subject.make({ APP_TOKEN: KNOWN }).redact(KNOWN))![0]);
      expect(seen(KNOWN)).not.toBe(seen('tr0ub4dor&3'));
    });

    test('redacting again changes nothing', () => {
      const once = redactor.redact(`export APP_TOKEN=${KNOWN}; curl -H "Authorization: Bearer ${KNOWN}" --token ${KNOWN}`);
      expect(once).not.toContain(KNOWN);
      expect(redactor.redact(once)).toBe(once);
      expect(redactor.redactValue({ once })).toEqual({ once });
      expect(streamed(redactor, once, [7, 7, 7])).toBe(once);
    });

    test('goes through every string of a value and keeps its shape and keys', () => {
      verifies('P10');
      const value = { a: [1, null, true, { [KNOWN]: `x${KNOWN}` }], b: undefined, c: new Map([[1, 2]]).size, text: 'plain' };
      const redacted = redactor.redactValue(value);
      expect(redacted).toMatchObject({ b: undefined, c: 1, text: 'plain' });
      expect((redacted.a as [number, null, boolean, object]).slice(0, 3)).toEqual([1, null, true]);
      expect(Object.keys((redacted.a as [number, null, boolean, object])[3])).toEqual([KNOWN]);
      expect(Object.values((redacted.a as [number, null, boolean, object])[3])[0]).toMatch(/^x\[redacted/);
      expect(value.a[3]).toEqual({ [KNOWN]: `x${KNOWN}` }); // the given value is as it was
      for (const plain of [1, null, undefined, true, 'text', [], {}]) expect(redactor.redactValue(plain)).toEqual(plain);
    });

    test('a stream finds a secret across any cut, and holds back nothing at the end', () => {
      verifies('P10');
      const text = `one ${KNOWN}\ntwo tr0ub4dor&3 ${KNOWN}${KNOWN}\nthree`;
      fc.assert(
        fc.property(fc.array(fc.nat(12), { maxLength: 40 }), sizes => {
          const shown = streamed(redactor, text, sizes);
          expect(shown).toBe(redactor.redact(text));
        }),
      );
      expect(redactor.redact(text)).not.toMatch(/horse|tr0ub/);
    });

    test('streams of one redactor do not mix', () => {
      const [one, two] = [redactor.stream(), redactor.stream()];
      const half = KNOWN.length >> 1;
      expect(one.write(KNOWN.slice(0, half))).toBe('');
      expect(two.write(`${KNOWN.slice(half)}\n`) + two.end()).toBe(`${KNOWN.slice(half)}\n`);
      expect(one.write(KNOWN.slice(half)) + one.end()).toMatch(/^\[redacted:[^\]]+\]$/);
      expect(one.end()).toBe('');
    });

    test('knows nothing where nothing is known', () => {
      expect(subject.make({}).redact(`a ${KNOWN} b`)).toBe(`a ${KNOWN} b`);
    });
  });
}
