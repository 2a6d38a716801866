import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Frame, RawReport, ShellFamily } from '../../src/contract/shell-family.js';

export interface FamilyUnderTest {
  readonly family: ShellFamily;
  /** The resolved shell that runs the text. */
  readonly shell: readonly string[];
}

let count = 0;
const nonce = (): string => (++count).toString(16).padStart(24, '0');

export const frameOf = (text: string, rest: Partial<Frame> = {}): Frame => ({
  text,
  id: `0123456789abcdef.${++count}`,
  nonces: { report: nonce(), fallback: nonce(), lineage: nonce() },
  place: 'shell',
  previousStatus: 0,
  last: { flags: '', aliases: false },
  ...rest,
});

/** Feeds lines to a real shell on pipes, as a session does, and returns the reports on its stdout. */
export function speak({ family, shell }: FamilyUnderTest, lines: string): { reports: readonly RawReport[]; stray: string } {
  const [program, ...args] = family.argv(shell);
  const env = { PATH: '/usr/bin:/bin', TERM: 'dumb' };
  const { stdout } = spawnSync(program!, args, { input: lines, env, timeout: 10_000, cwd: '/tmp' });
  const { reports, stray } = family.reports(stdout, () => true);
  return { reports, stray };
}

/** What every shell family must do with a real shell of its kind. */
export function familyConformance(name: string, subject: FamilyUnderTest): void {
  const { family } = subject;
  const reportOf = (frame: Frame, before = '') => {
    const spoken = speak(subject, family.boot(nonce()) + before + family.frame(frame));
    const raw = spoken.reports.find(report => report.nonce === frame.nonces.report);
    return { ...spoken, report: raw && family.report(raw) };
  };

  describe(`family ${name}`, () => {
    test('boots, names its version and speaks', () => {
      const boot = nonce();
      const sync = nonce();
      const { reports, stray } = speak(subject, family.boot(boot) + family.sync(sync));
      expect(reports.map(report => report.nonce)).toEqual([boot, sync]);
      expect(stray).toBe('');
    });

    test.each([
      ['true', 0],
      ['false', 1],
      ['(exit 42)', 42],
      ['no-such-program 2>/dev/null', 127],
      ['cd /usr', 0],
      ['', 0],
    ])('reports the status of %s', (text, status) => {
      const frame = frameOf(text);
      const { report, reports } = reportOf(frame);
      expect(report).toMatchObject({ nonce: frame.nonces.report, status, cwd: text === 'cd /usr' ? '/usr' : '/tmp' });
      const lineage = reports.find(each => each.nonce === frame.nonces.lineage);
      expect(lineage && family.lineage(lineage)).toBeUndefined();
    });

    test.each([0, 1, 2, 127, 255])('carries %i to the command', previousStatus => {
      const { report } = reportOf(frameOf('(exit $?)', { previousStatus }));
      expect(report?.status).toBe(previousStatus);
    });

    test('the command sees its mark, the next one does not', () => {
      const frame = frameOf('test "$SHELLGATE_COMMAND" && sh -c \'test "$SHELLGATE_COMMAND"\'');
      expect(reportOf(frame).report?.status).toBe(0);
      const after = nonce();
      const { reports } = speak(
        subject,
        `${family.boot(nonce())}${family.frame(frame)}${family.factsLine(variables(['SHELLGATE_COMMAND']), after)}`,
      );
      const raw = reports.find(report => report.nonce === after)!;
      expect(family.facts(raw, variables(['SHELLGATE_COMMAND']))?.variables).toEqual({ SHELLGATE_COMMAND: null });
    });

    test('says what it exports, whatever the values hold', () => {
      const values = fc.string({
        unit: fc.constantFrom('a', ' ', "'", '"', '\\', '$', '`', '\n', '\t', '=', '!', 'é', '\x01'),
        maxLength: 12,
      });
      fc.assert(
        fc.property(fc.array(values, { minLength: 1, maxLength: 4 }), given => {
          const [before, asked] = [frameOf(given.map((value, n) => `export V${n}=${family.quote(value)}`).join(';')), nonce()];
          const { reports } = speak(
            subject,
            family.boot(nonce()) + family.frame(before) + family.factsLine(variables(['V0']), asked),
          );
          const raw = reports.find(report => report.nonce === asked)!;
          const listing = family.facts(raw, variables(['V0']))!.exported;
          const found = family.environment(listing);
          expect(found).toMatchObject(Object.fromEntries(given.map((value, n) => [`V${n}`, value])));
          expect(found).not.toHaveProperty('PWD');
        }),
        { numRuns: 15 },
      );
      for (const strange of ['no listing\n', 'export A=1', "export A='1\n", 'export A=1; rm x\nexport'])
        expect(family.environment(strange)).toBeUndefined();
    });

    test('a text that the shell gives up is reported by the fallback line', () => {
      const frame = frameOf('set -u; : $nope; echo not reached');
      const { reports } = speak(
        subject,
        family.boot(nonce()) + family.frame(frame) + family.fallback(frame, frame.nonces.fallback),
      );
      const raw = reports.find(report => [frame.nonces.report, frame.nonces.fallback].includes(report.nonce));
      expect(raw && family.report(raw)?.status).toBeGreaterThan(0);
    });

    test('answers for names and variables under any options', () => {
      const query = {
        names: ['ls', 'if', 'cd', 'fn', 'no-such', 'a b', '-x', "it's", ''],
        variables: ['V', 'EMPTY', 'UNSET', 'not a name'],
        paths: [],
        hashes: [],
        text: '',
      };
      for (const options of ['', 'set -e', 'set -u', 'set -eu', 'set -f']) {
        const asked = nonce();
        const before = frameOf(`fn() { :; }; V='a
 b'; EMPTY=; ${options}`);
        const { reports } = speak(subject, family.boot(nonce()) + family.frame(before) + family.factsLine(query, asked));
        const raw = reports.find(report => report.nonce === asked);
        expect(raw && family.facts(raw, query), options).toEqual({
          names: {
            ls: { kind: 'file', path: expect.stringMatching(/^\/.*\/ls$/) },
            if: { kind: 'keyword' },
            cd: { kind: 'builtin' },
            fn: { kind: 'function' },
            'no-such': { kind: 'missing' },
            'a b': { kind: 'missing' },
            '-x': { kind: 'missing' },
            "it's": { kind: 'missing' },
            '': { kind: 'missing' },
          },
          variables: { V: 'a\n b', EMPTY: '', UNSET: null },
          exported: expect.stringContaining('PATH='),
        });
      }
    });

    test('quotes any word so that the shell gives it back', () => {
      const word = fc.oneof(
        fc.string({ unit: fc.constantFrom(...'ab\'"\\$`!*?[]{}()<>|&;#~= \t\n\u00e9\u{1f600}-=%^@,'), maxLength: 12 }),
        fc.constantFrom('if', 'then', '-n', 'A=1', '~', '', '{', '}', '!', 'time', "'", "''"),
      );
      const argv = fc.array(word, { minLength: 1, maxLength: 8 });
      const [program, ...args] = [subject.shell[0]!, '-c'];
      fc.assert(
        fc.property(argv, words => {
          const text = `printf '%s\\0' ${words.map(each => family.quote(each)).join(' ')}`;
          const { stdout } = spawnSync(program, [...args, text], { encoding: 'utf8' });
          expect(stdout.split('\0').slice(0, -1)).toEqual(words);
        }),
        { numRuns: 60 },
      );
      expect(() => family.quote('a\0b')).toThrow(/NUL/);
    });

    test('checks syntax without running anything', () => {
      const check = family.syntaxCheck(subject.shell);
      if (!check) return;
      const status = (input: string) => spawnSync(check[0]!, check.slice(1), { input }).status;
      expect(status('echo a; echo b > /tmp/shellgate-must-not-exist')).toBe(0);
      expect(status('if then')).not.toBe(0);
      expect(status("echo 'oops")).not.toBe(0);
    });
  });
}

const variables = (names: readonly string[]) => ({ names: [], variables: names, paths: [], hashes: [], text: '' });
