import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runHelper, spawnHelper } from '../../src/executor/local/spawn-helper.js';
import { isRunning } from '../conformance/tiny-shell.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const DESCRIPTORS = resolve(import.meta.dirname, '../fixtures/proc-descriptors.sh');

test('a helper has three descriptors and no terminal, whatever its host has open', async () => {
  verifies('P2', 'P11');
  const kept = [openSync('/dev/null', 'r'), openSync('/dev/ptmx', 'r+')];
  onTestFinished(() => kept.forEach(fd => void closeSync(fd)));
  const { status, stdout } = await runHelper([DESCRIPTORS]);
  const [list, terminal] = stdout.trimEnd().split('\n');
  const open = list!.split(' ').map(path => path.split('/')[4]);
  expect([status, terminal]).toEqual([0, 'no terminal']);
  expect(open.filter(fd => fd !== '255' && fd !== '3')).toEqual(['0', '1', '2']); // those two are the script's own
});

test('nothing that the environment or a home directory names is run', async () => {
  verifies('P11');
  const home = temporaryDirectory();
  const ran = join(home, 'ran');
  for (const name of ['.bashrc', '.bash_profile', '.profile', '.bash_login', 'evil']) {
    writeFileSync(join(home, name), `echo ${name} >>${ran}\n`);
  }
  const evil = join(home, 'evil');
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: home,
    BASH_ENV: evil,
    ENV: evil,
    PS4: `$(. ${evil})`,
    SHELLOPTS: 'xtrace',
    PROMPT_COMMAND: `. ${evil}`,
    'BASH_FUNC_exec%%': `() { . ${evil}; }`,
    SSH_CLIENT: '::1 1 1', // with a socket for stdin bash takes this for a remote login
    SHLVL: '0',
  };
  // Both kinds of stdin: a socket is the one that makes a bash read its rc file.
  for (const stdin of ['', 'text']) {
    expect(await runHelper(['/usr/bin/env'], { env, stdin })).toMatchObject({ status: 0, stderr: '' });
  }
  expect(existsSync(ran)).toBe(false);
  const { stdout } = await runHelper(['/usr/bin/env'], { env });
  expect(stdout).not.toMatch(/BASH_|ENV=|PS4|SHELLOPTS|PROMPT_COMMAND/);
  expect(stdout).toContain(`HOME=${home}\n`);
});

test('only an absolute path names a helper', () => {
  for (const argv of [['env'], ['./env'], [''], []]) {
    expect(() => spawnHelper(argv)).toThrow(expect.objectContaining({ code: 'PROGRAM_NOT_ABSOLUTE' }));
  }
});

test('what a helper prints is kept apart and cut at a mebibyte', async () => {
  const { status, stdout, stderr } = await runHelper([
    '/bin/sh',
    '-c',
    'head -c 3000000 /dev/zero | tr "\\0" o; echo e >&2; exit 3',
  ]);
  expect([status, stdout.length, stderr]).toEqual([3, 1024 * 1024, 'e\n']);
});

test('a helper that cannot start, is killed or takes too long has no status', async () => {
  expect((await runHelper(['/no/such/program'])).status).toBe(127); // the launcher's own word for it
  expect((await runHelper(['/bin/sh', '-c', 'kill -9 $$'])).status).toBeUndefined();
  expect((await runHelper(['/bin/true'], { cwd: '/no/such/place' })).status).toBeUndefined();
  const began = performance.now();
  const late = await runHelper(['/bin/sh', '-c', 'echo begun; sleep 318.5; :'], { timeoutMs: 150 });
  expect(late).toMatchObject({ status: undefined, stdout: 'begun\n' });
  expect(performance.now() - began).toBeLessThan(3_000);
  await expect.poll(() => isRunning('sleep 318.5')).toBe(false); // its whole group was killed
});

test('what a helper leaves behind does not hold its result up', async () => {
  const began = performance.now();
  const { status, stdout } = await runHelper(['/bin/sh', '-c', 'sleep 2.5 & echo done']);
  expect([status, stdout]).toEqual([0, 'done\n']);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test('a helper that does not read its stdin breaks nothing', async () => {
  expect((await runHelper(['/bin/true'], { stdin: 'x'.repeat(1_000_000) })).status).toBe(0);
  expect(await runHelper(['/usr/bin/wc', '-c'], { stdin: 'x'.repeat(300_000) })).toMatchObject({ stdout: '300000\n' });
});
