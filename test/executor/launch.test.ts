import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanEnvironment, closesTwoDigits, helperArgv, type Launcher, shellArgv } from '../../src/executor/local/launch.js';
import { verifies } from '../helpers/verifies.js';

const BASH: Launcher = { argv: ['/bin/bash', '--noprofile', '--norc', '-p', '-c'], closesAll: true };
const DASH: Launcher = { argv: ['/bin/dash', '-c'], closesAll: false };
const hasDash = existsSync('/bin/dash');
const UNIT = fc.constantFrom(...'aA_1%() =\n\0é-');

test.each([
  'BASH_ENV ENV SHELLOPTS BASHOPTS PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND POSIXLY_CORRECT IFS CDPATH GLOBIGNORE EXECIGNORE TMOUT',
  'HISTFILE MAIL MAILPATH MAILCHECK INPUTRC TEXTDOMAINDIR LOCPATH NLSPATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT',
  'DYLD_INSERT_LIBRARIES GCONV_PATH SHELLGATE_COMMAND SHELLGATE_ANYTHING BASH_FUNC_ls%% BASH_FUNC_ls() a-b 1X',
])('takes out of the environment: %s', names => {
  verifies('P11');
  const env = Object.fromEntries(names.split(' ').map(name => [name, 'x']));
  expect(cleanEnvironment({ ...env, PATH: '/bin', LANG: 'C', EMPTY: '' })).toEqual({ PATH: '/bin', LANG: 'C', EMPTY: '' });
});

test('a clean environment has only plain names and whole values, and cleaning it again changes nothing', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: UNIT }), fc.option(fc.string({ unit: UNIT }), { nil: undefined })), env => {
      const clean = cleanEnvironment(env);
      for (const [name, value] of Object.entries(clean)) {
        expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
        expect(value).toBe(env[name]);
        expect(value).not.toContain('\0');
      }
      expect(cleanEnvironment(clean)).toEqual(clean);
    }),
  );
});

/** Run argv with just the named descriptors open above 2. */
function runWith(argv: readonly string[], descriptors: readonly number[]) {
  const opening = descriptors.map(fd => `exec ${fd}</dev/null;`).join('');
  const [program, ...rest] = helperArgv(['/bin/bash', '-c', `${opening}exec "$@"`, 'opening', ...argv], BASH);
  return spawnSync(program!, rest, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
}
const LIST = ['/bin/bash', '-c', 'echo /proc/$$/fd/*'];
const numbers = (out: string): string[] =>
  out
    .trim()
    .split(' ')
    .map(path => path.split('/')[4]!);

test('the launcher closes every inherited descriptor', () => {
  verifies('P2');
  expect(numbers(runWith(LIST, [4, 12, 250]).stdout)).toEqual(expect.arrayContaining(['4', '12', '250'])); // they do arrive
  for (const argv of [helperArgv(LIST, BASH), shellArgv('', LIST, BASH)]) {
    const seen = runWith(argv, [4, 12, 250]);
    expect(seen.stderr).toBe('');
    expect(numbers(seen.stdout).filter(fd => fd !== '3')).toEqual(['0', '1', '2']); // 3: the listing itself
  }
});

test.skipIf(!hasDash)('a shell that cannot close descriptors above 9 refuses to start rather than leak them', () => {
  expect([closesTwoDigits('/bin/bash'), closesTwoDigits('/bin/dash')]).toEqual([true, false]);
  const fine = runWith(shellArgv('', LIST, DASH), [4, 9]);
  expect([fine.stderr, numbers(fine.stdout).filter(fd => fd !== '3')]).toEqual(['', ['0', '1', '2']]);
  const leaking = runWith(shellArgv('', LIST, DASH), [4, 12]);
  expect(leaking.status).toBe(126);
  expect(leaking.stdout).toBe('');
  expect(leaking.stderr).toContain('install bash');
});

test('words of the program reach it untouched', () => {
  const words = ["it's", '$(echo no)', 'a b', '', '*', '\n'];
  const argv = helperArgv(['/usr/bin/printf', '%s|', ...words], hasDash ? DASH : BASH);
  expect(runWith(argv, []).stdout).toBe(`${words.join('|')}|`);
});
