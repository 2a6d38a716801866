import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bash } from '../../src/family/bash.js';
import { chooseFamily, families } from '../../src/family/families.js';
import { eligible, readSuffix, suffix } from '../../src/family/pipe-status.js';
import { familyConformance, frameOf, speak } from '../conformance/family.js';
import { verifies } from '../helpers/verifies.js';

const subject = { family: bash, shell: ['/bin/bash'] };
familyConformance('bash', subject);

test('a family is chosen by the program, and an unknown program is an error with a code', () => {
  expect(chooseFamily(['/usr/local/bin/bash'])).toBe(bash);
  expect(families['bash']).toBe(bash);
  for (const name of ['/bin/fish', '', 'constructor']) {
    expect(() => chooseFamily([name])).toThrow(expect.objectContaining({ code: 'SHELL_UNSUPPORTED' }));
  }
});

test('the shell is private and interactive, with long options in front', () => {
  expect(bash.argv(['/bin/bash'])).toEqual(['/bin/bash', '--noprofile', '--norc', '--noediting', '-p', '-i']);
  expect(bash.argv(['/x/bash', '--norc', '-O', 'extglob', '--posix'])).toEqual(
    ['/x/bash', '--posix', '--noprofile', '--norc', '--noediting', '-O', 'extglob', '-p', '-i'], // prettier for eyes
  );
});

test('no byte of a text leaves its quotes', () => {
  verifies('P2');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'a\'"\\$`\n;|&()<> #!{}\u00e9'), maxLength: 40 }), text => {
      // With the text known to be inert the frame is compared with that of an empty text: nothing but the quoted differs.
      const frame = { ...frameOf(''), last: { flags: 'x', aliases: false } };
      const line = bash.frame({ ...frame, text });
      const [before, after] = bash.frame(frame).split("eval ''");
      expect(line.startsWith(`${before}eval '`)).toBe(true);
      expect(line.endsWith(after!)).toBe(true);
      const quoted = line.slice(before!.length + 'eval '.length, line.length - after!.length);
      expect(quoted).toMatch(/^'(?:[^']|'\\'')*'$/);
      expect(quoted.slice(1, -1).replaceAll("'\\''", "'")).toBe(text);
    }),
  );
});

describe('PIPESTATUS', () => {
  test.each([
    ['a | b', true],
    ['a |& b', true],
    ['a | b; c', true],
    ['a || b | c', true],
    ['a', false],
    ['a || b', false],
    ['a | b # c', false],
    ['a | b <<E\nE', false],
    ['a | b |', false],
    ['a | b \\', false],
    ['a | b &&\n', false],
    ['a | b; f() ', false],
    ['a | { b', true],
    ['a | b; {', false],
    ['case x in a | b) ;; esac', false],
    ['set -ex; a | b', false],
  ])('%j may be asked for it: %s', (text, may) => {
    expect(eligible(text, { flags: 'himB', aliases: false })).toBe(may);
    expect(eligible(text, { flags: 'himBx', aliases: false })).toBe(false);
    expect(eligible(text, { flags: 'himB', aliases: true })).toBe(false);
  });

  test.each([
    ['0:0 0', { status: 0, pipeStatus: [0, 0] }],
    ['3:', { status: 3, pipeStatus: [3] }],
    ['', undefined],
    ['x:1', undefined],
  ])('reads %j', (value, read) => {
    expect(readSuffix(value)).toEqual(read);
  });

  test('the suffix completes nothing that a text left open', () => {
    const piece = fc.constantFrom(
      ...'a | b|true|false|;|\n|&&|||(|)|{|}|if|then|fi|for x in 1|do|done|while|f()|function g|[[|]]|((|))|$(|`|"|\'|${x:-|!|time|coproc|=(|<(|&|>o|select x|until'.split(
        '|',
      ),
      ' | ',
      ' |& ',
    );
    const texts = fc
      .array(piece, { minLength: 2, maxLength: 7 })
      .map(pieces => pieces.join(' '))
      .filter(text => eligible(text, { flags: '', aliases: false }));
    const sample = fc.sample(texts, { numRuns: 250, seed: 7 });
    const plain = sample.map(text => syntaxOf(text));
    expect(sample.map(text => syntaxOf(text + suffix('_sg00000000')))).toEqual(plain);
    expect(plain.filter(status => status === 0).length).toBeGreaterThan(3);
    expect(plain.filter(status => status !== 0).length).toBeGreaterThan(3);
  });
});

function syntaxOf(text: string): number | null {
  return spawnSync('/bin/bash', ['--norc', '-n'], { input: text }).status;
}

test('a record of stray text, torn frames and foreign nonces keeps its frames apart', () => {
  const body = fc.string({ unit: fc.constantFrom('a', '\x1e', '\n', '0', 'f', '\u00e9'), maxLength: 20 });
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 });
  const frame = fc.tuple(hex, fc.array(body, { maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(body, frame), { maxLength: 5 }), fc.integer({ min: 1, max: 30 }), (pieces, chunk) => {
      const text = pieces.map(([stray, [of, fields]]) => `${stray}\x1e${of}\0${[...fields, of].join('\0')}\0`).join('');
      const bytes = Buffer.from(text);
      let rest: Uint8Array = new Uint8Array(0);
      const found: { nonce: string; fields: readonly string[] }[] = [];
      for (let at = 0; at < bytes.length; at += chunk) {
        const cut = bash.reports(Buffer.concat([rest, bytes.subarray(at, at + chunk)]), () => true);
        found.push(...cut.reports);
        rest = cut.rest;
      }
      expect(found).toEqual(pieces.map(([, [of, fields]]) => ({ nonce: of, fields })));
    }),
  );
});

describe('frames that meet', () => {
  const A = 'a'.repeat(24);
  const B = 'b'.repeat(24);
  const whole = (nonce: string, ...fields: string[]) => `\x1e${nonce}\0${[...fields, nonce].join('\0')}\0`;
  /** Fed in two pieces, cut anywhere: what is left of the first is put before the second. */
  const cutAt = (text: string, at: number, expected: string) => {
    const bytes = Buffer.from(text);
    const isExpected = (nonce: string) => expected.includes(nonce[0]!);
    const first = bash.reports(bytes.subarray(0, at), isExpected);
    const second = bash.reports(Buffer.concat([first.rest, bytes.subarray(at)]), isExpected);
    return { reports: [...first.reports, ...second.reports], stray: first.stray + second.stray, rest: second.rest };
  };
  const everywhere = (text: string, check: (cut: ReturnType<typeof cutAt>) => void, expected = 'ab') => {
    for (let at = 0; at <= text.length; at += 1) check(cutAt(text, at, expected));
  };

  test('a torn frame does not swallow the one behind it', () => {
    const torn = `\x1e${A}\x000\0/tmp`;
    everywhere(torn + whole(B, 'x'), ({ reports }) => expect(reports).toEqual([{ nonce: B, fields: ['x'] }]));
    const { reports, rest } = cutAt(torn + whole(B, 'x'), 0, 'b');
    expect([reports, rest]).toEqual([[{ nonce: B, fields: ['x'] }], Buffer.alloc(0)]);
  });

  test('a subshell reports while the shell does: both are heard, wherever the bytes are cut', () => {
    const account = whole(A, '1', 'two', 'three');
    for (const inside of [26, 28, 32, account.length - 25]) {
      const text = account.slice(0, inside) + whole(B, '0', '/tmp') + account.slice(inside);
      everywhere(text, ({ reports, stray, rest }) => {
        expect(reports).toContainEqual({ nonce: B, fields: ['0', '/tmp'] });
        expect(reports).toContainEqual({ nonce: A, fields: ['1', 'two', 'three'] });
        expect([reports.length, stray, rest.length]).toEqual([2, '', 0]);
      });
    }
  });

  test('a field that looks like a frame nobody waits for stays a field', () => {
    const fake = `x\x1e${B}`;
    everywhere(whole(A, fake, 'y', B), ({ reports }) => expect(reports).toEqual([{ nonce: A, fields: [fake, 'y', B] }]), 'a');
  });
});

test.each([
  [`trap "echo a\ntrap -- 'x' NOTHING\nb'c" USR1`, /trap is set on SIGUSR1/],
  ["trap $'x\\ndeclare -f eval' USR2", /trap is set on SIGUSR2/],
  ["trap '' USR1; f(){ :; }; trap - USR2", undefined],
  ["trap '\ndeclare -f eval\nenable -n echo\n' RTMIN+7", /trap is set on SIGRTMIN\+7/],
  ['export LD_PRELOAD=/x.so', /LD_PRELOAD is set/],
  ['BASH_ENV=/x', /BASH_ENV is set/],
  ['f(){ :; }; export -f f', /function f is exported/],
  ['declare -i n=3', /n is an integer/],
  ['declare -ai n=(3)', /n is an integer/],
  ['shopt -s promptvars; set -x', /PS4 is expanded/],
  ['shopt -s promptvars', undefined],
  ['eval(){ :; }; trap "" USR1', /function is named eval/],
  ['f(){ :; }; declare -fx f; a/b(){ :; }', /function is named a\/b/],
  ['enable -n echo; f(){ :; }', /builtin is disabled \(echo\)/],
  ['declare -n x=PATH', /stands for another variable \(declare -n x="PATH"\)/],
  ['set +o interactive-comments', /interactive-comments is off/],
  ['shopt -u interactive_comments', /interactive.comments is off/],
  ['shopt -s lastpipe', /lastpipe is on/],
  ['shopt -s compat44', /compat44 is on/],
  ['set -a', /allexport is on/],
  ['v=1; set -euf -o pipefail; shopt -s nullglob globstar', undefined],
])('the account of a shell after %j', (text, reason) => {
  const frame = frameOf(text);
  const { reports } = speak(subject, bash.boot('f'.repeat(24)) + bash.frame(frame));
  const found = bash.lineage(reports.find(report => report.nonce === frame.nonces.lineage)!);
  if (reason) expect(found).toMatch(reason);
  else expect(found).toBeUndefined();
});

test('a listing that nobody knows is no account', () => {
  expect(bash.lineage({ nonce: '', fields: ['', '', '', '', '', 'something else\n'] })).toMatch(/unreadable/);
  expect(bash.lineage({ nonce: '', fields: ['', '', '', '', ''] })).toMatch(/unreadable/);
});

test.each([
  ['exit\n', 'exit 3', true, ''],
  ['a\nexit\n', 'echo a >&2; exit', true, 'a\n'],
  ['exit\n', 'echo exit >&2; false', false, 'exit\n'],
  ['an exit\n', 'exit', true, 'an exit\n'],
  ['bash: [81: 1 (255)] tcsetattr: Inappropriate ioctl for device\nb\n', 'x', false, 'b\n'],
])('the shell says nothing of its own: %j', (stderr, text, ended, plain) => {
  expect(bash.withoutOwnTalk(stderr, { text, ended })).toBe(plain);
});
