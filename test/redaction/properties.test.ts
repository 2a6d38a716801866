import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../src/redaction/redactor.js';
import { streamed } from '../conformance/redactor.js';
import { verifies } from '../helpers/verifies.js';

const UNIT = fc.constantFrom(...'abcXYZ019-_/+=:@%"\'\\$` \n\u0007é😀');
/** Long and varied enough to be a secret at all. */
const SECRET = fc.string({ unit: UNIT, minLength: 6, maxLength: 40 }).map(text => `Q7${text}z`);
const AROUND = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', "'", '=', ':', '\\', 'token=', '{', '😀'), maxLength: 30 });
const SIZES = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 30 });

const FORMS: readonly ((value: string) => string)[] = [
  value => value,
  value => JSON.stringify(value).slice(1, -1),
  value => value.replaceAll("'", "'\\''"),
  value => value.replace(/["\\$`]/g, '\\$&'),
  encodeURIComponent,
  value => Buffer.from(value).toString('base64').replace(/=+$/, ''),
  value => Buffer.from(value).toString('base64url'),
];

test('a registered secret is never given out, in any form, at any place, in any cut', () => {
  verifies('P10', 'I19');
  fc.assert(
    fc.property(SECRET, fc.constantFrom(...FORMS), AROUND, AROUND, SIZES, (secret, form, before, after, sizes) => {
      const redactor = createRedactor({ env: { THE_TOKEN: secret } });
      const shown = form(secret);
      const text = `${before}${shown}${after}`;
      for (const out of [redactor.redact(text), streamed(redactor, text, sizes)]) {
        expect(out).not.toContain(shown);
        expect(out).toContain('[redacted:');
      }
    }),
    { numRuns: 1_000 },
  );
});

const PIECES = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.string({ unit: fc.constantFrom('a', '7', ' ', '\n', '"', '=', ':', '/', '-', '\\n'), maxLength: 12 }),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'password=hunter22',
        '--token Zx9qLm4T',
        'Authorization: Bearer abc123def456ghi789',
        `ghp_${'a1'.repeat(18)}`,
        'https://ana:hunter22@host/',
        'AKIAIOSFODNN7EXAMPLE',
        '\n',
        'aB3/'.repeat(10),
        '-----BEGIN PRIVATE KEY-----',
        `\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'}`,
        '\nProc-Type: 4,ENCRYPTED',
        '\n-----END PRIVATE KEY-----\n',
        'mysql -phunter22 db',
        'SECONDLINE-of-it',
      ),
    },
  ),
  { maxLength: 14 },
);

test('a stream gives out what the whole text gives, whatever the cut', () => {
  verifies('P10');
  const redactor = createRedactor({ env: { THE_SECRET: 'first line of\nSECONDLINE-of-it' } });
  fc.assert(
    fc.property(PIECES, SIZES, (pieces, sizes) => {
      const text = pieces.join('');
      expect(streamed(redactor, text, sizes)).toBe(redactor.redact(text));
    }),
    { numRuns: 1_500 },
  );
});

test('redacting what was redacted changes nothing', () => {
  const redactor = createRedactor({ env: {} });
  fc.assert(
    fc.property(PIECES, pieces => {
      const once = redactor.redact(pieces.join(' ')); // apart: a mark's end makes a word of what was glued to the secret
      expect(redactor.redact(once)).toBe(once);
    }),
    { numRuns: 500 },
  );
});

test('no JSON-like value breaks it, and its shape stays', () => {
  const redactor = createRedactor({ env: { THE_TOKEN: 'Zx9qLm4T' } });
  const shape = (value: unknown): unknown =>
    typeof value === 'string'
      ? 'text'
      : Array.isArray(value)
        ? value.map(shape)
        : value !== null && typeof value === 'object'
          ? Object.entries(value).map(([key, field]) => [key, shape(field)])
          : value;
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(shape(redactor.redactValue(value))).toEqual(shape(value));
      expect(JSON.stringify(redactor.redactValue({ value, secret: ['Zx9qLm4T'] }))).not.toContain('Zx9qLm4T');
    }),
  );
});

test('a line without an end is given out in parts, and a secret at an edge of them stays whole', () => {
  verifies('P8', 'P10');
  const redactor = createRedactor({ env: { THE_TOKEN: 'Zx9qLm4TZx9qLm4T' } });
  // Pieces of a thousand: the secret stands across the edge of one, wherever the line is divided.
  const edges = Array.from({ length: 30 }, (_, n) => (n + 15) * 1_000 - 8);
  for (const place of [100, 16_384, 20_480, ...edges]) {
    const stream = redactor.stream();
    let out = '';
    let held = 0;
    const text = `${'a'.repeat(place)}Zx9qLm4TZx9qLm4T${'b'.repeat(60_000)}`;
    for (let at = 0; at < text.length; at += 1_000) {
      out += stream.write(text.slice(at, at + 1_000));
      held = Math.max(held, at + 1_000 - out.length);
    }
    expect(held).toBeLessThan(25_000);
    expect(out + stream.end()).toMatch(new RegExp(`^a{${place}}\\[redacted:env:\\w+\\]b{60000}$`));
  }
});

test('a secret that is longer than any window is gone to its end', () => {
  verifies('P10');
  const redactor = createRedactor({ env: {} });
  const stream = redactor.stream();
  let out = stream.write('password=');
  for (let n = 0; n < 100; n += 1) out += stream.write('s3cr3t-'.repeat(200));
  out += stream.write(' and more\nplain\n') + stream.end();
  expect(out).not.toContain('s3cr3t');
  expect(out).toMatch(/ and more\nplain\n$/);
});

const MEGABYTE = 1_000_000;
const filled = (unit: string): string => unit.repeat(Math.ceil(MEGABYTE / unit.length)).slice(0, MEGABYTE);

test.each([
  'a',
  ' ',
  '\\',
  '"',
  'password=',
  'password="',
  'password="x\\',
  'password=\\\\\\"',
  'token: ',
  'cookie: ',
  'cookie: a=b; c=',
  'set-cookie: a',
  '--token ',
  'PASSWORD_',
  'a-b.c_',
  'key key=',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\n',
  `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`,
  '-----BEGIN PRIVATE KEY----- \\n\\n',
  'eyJ',
  'eyJaaaaaaaa.',
  '://',
  '://a:',
  '://a:b@',
  'bearer ',
  'AKIA',
  'AKIAIOSFODNN7EXAMPLE ',
  'sk-',
  'sk-a',
  'SG.',
  'ghp_a',
  'mysql -p',
  'curl -u a:b ',
  'curl ',
  'Zx9qLm4',
  'Zx9qLm4T',
])('a megabyte of %j costs linear time, whole and in pieces', unit => {
  verifies('P10');
  const redactor = createRedactor({ env: { THE_TOKEN: 'Zx9qLm4TZx9qLm4T', OTHER_TOKEN: `Zx9qLm4${'Zx9qLm4'.repeat(9)}!` } });
  const text = filled(unit);
  const before = process.cpuUsage();
  redactor.redact(text);
  streamed(redactor, text, Array<number>(240).fill(4_096));
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(4_000);
});
