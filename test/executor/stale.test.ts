import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createLocalExecutor } from '../../src/executor/local/index.js';
import { statOf } from '../../src/executor/local/proc.js';
import { ShellRecordFile, sweepStale } from '../../src/executor/local/stale.js';
import { isRunning, processesWith, TinyShell } from '../conformance/tiny-shell.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const HOST = resolve(import.meta.dirname, '../fixtures/proc-host.mjs');
const FIXTURES = resolve(import.meta.dirname, '../fixtures');
let hosts = 0;

/** A host in a process of its own that runs `command`; `@` in it is a number of seconds that nobody else sleeps. */
async function hostWith(command: string, { footing = 'pipes', exitAfterMs = 0 } = {}) {
  const place = join(temporaryDirectory(), 'run');
  hosts += 1;
  const seconds = `31${process.pid}.${hosts}3`;
  const argv = [HOST, place, footing, command.replaceAll('@', seconds), String(exitAfterMs)];
  const host = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  onTestFinished(() => {
    host.kill('SIGKILL');
    for (const line of processesWith(seconds)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  });
  // The host's own command line names the seconds too.
  const running = (): boolean => processesWith(seconds).some(line => /^\d+ (?:\/bin\/)?sleep /.test(line));
  return { place, host, running, records: join(place, 'shells') };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 8_000;
  while (!condition()) {
    if (performance.now() > deadline) expect.fail('waited 8 s for what did not come');
    await sleep(10);
  }
}

const over = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise(done => child.once('exit', () => done()));

test.each([
  ['a running command', 'sleep @', 'pipes'],
  ['a daemon in a session of its own', 'setsid -f sleep @', 'pipes'],
  ['one that hears no signal', `${FIXTURES}/proc-deaf.sh @`, 'pipes'],
  ['what outlives the hangup of its terminal', 'nohup sleep @', 'pty'],
])('what a killed host left is ended by the next start: %s', async (_, command, footing) => {
  verifies('P7');
  const { place, host, running, records } = await hostWith(command, { footing });
  await until(running);
  host.kill('SIGKILL');
  await over(host);
  await sleep(50);
  expect(running()).toBe(true);
  expect(readdirSync(records)).toHaveLength(1);
  const next = createLocalExecutor({ runtimeDirectory: place, pty: 'off' });
  const shell = await TinyShell.open(next);
  await until(() => !running());
  expect((await shell.run('echo alive')).out.toString()).toBe('alive\n');
  await next.close();
  expect(readdirSync(records)).toEqual([]);
});

test('a host that exits without closing takes its shells with it, and leaves no record', async () => {
  verifies('P7');
  const { host, running, records } = await hostWith('setsid -f sleep @; sleep @', { exitAfterMs: 1_000 });
  await until(running);
  await over(host);
  await until(() => !running());
  expect(readdirSync(records)).toEqual([]);
});

test('a record holds what it takes to know the shell again, and goes with it', async () => {
  const place = join(temporaryDirectory(), 'run');
  const executor = createLocalExecutor({ runtimeDirectory: place });
  const shell = await TinyShell.open(executor);
  await shell.run('true');
  const [name] = readdirSync(join(place, 'shells'));
  const record = JSON.parse(readFileSync(join(place, 'shells', name!), 'utf8'));
  expect(record).toMatchObject({
    v: 1,
    host: { pid: process.pid, started: statOf(process.pid)!.started },
    shell: { pid: shell.channel.pid, started: statOf(shell.channel.pid)!.started },
    markers: [expect.stringMatching(/^[0-9a-f]{16}\.$/)],
  });
  await executor.close();
  expect(readdirSync(join(place, 'shells'))).toEqual([]);
});

/** A bystander: a shell with a child, and a record about it that `change` makes a wrong one. */
async function bystander(change: (record: Record<string, unknown>) => object) {
  const records = join(temporaryDirectory(), 'shells');
  const shell = spawn('/bin/sh', ['-c', 'sleep 317; :'], { stdio: 'ignore', detached: true });
  onTestFinished(async () => {
    if (statOf(shell.pid!)) process.kill(-shell.pid!, 'SIGKILL');
    await over(shell);
  });
  await sleep(20);
  new ShellRecordFile(records, { pid: shell.pid!, started: statOf(shell.pid!)!.started });
  const path = join(records, readdirSync(records)[0]!);
  const record = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify(change(record)));
  return { records, path, shell };
}

const deadHost = { host: { pid: 2 ** 22 - 1, started: 1 } };

test('the recorded shell of a dead host is ended', async () => {
  const { records, path, shell } = await bystander(record => ({ ...record, ...deadHost }));
  expect(await sweepStale(records)).toEqual([]);
  await over(shell);
  expect([shell.signalCode, existsSync(path)]).toEqual(['SIGKILL', false]);
});

test.each<[string, (record: Record<string, unknown>) => object, boolean]>([
  ['whose host lives', record => record, true],
  ['of another boot', record => ({ ...record, ...deadHost, boot: 'another' }), false],
  ['of another pid namespace', record => ({ ...record, ...deadHost, namespace: 'pid:[1]' }), true],
  [
    'about a process that has the number of a dead shell',
    record => ({ ...record, ...deadHost, shell: { pid: (record['shell'] as { pid: number }).pid, started: 1 } }),
    false,
  ],
  ['that is not whole', record => ({ ...record, ...deadHost, markers: undefined }), true],
  ['of a later version', record => ({ ...record, ...deadHost, v: 2 }), true],
  ['with a marker that every environment holds', record => ({ ...record, ...deadHost, markers: [''] }), true],
])('a record %s ends nobody', async (_, change, kept) => {
  verifies('P7');
  const { records, path, shell } = await bystander(change);
  expect(await sweepStale(records)).toEqual([]);
  expect(statOf(shell.pid!)?.state).toBe('S');
  expect(existsSync(path)).toBe(kept);
});

test('a record that is a link, a FIFO, a directory or too long is not read', async () => {
  const { records, path, shell } = await bystander(record => ({ ...record, ...deadHost }));
  const elsewhere = join(records, 'elsewhere');
  writeFileSync(elsewhere, readFileSync(path));
  writeFileSync(path, `${readFileSync(path, 'utf8')}${' '.repeat(70_000)}`);
  symlinkSync(elsewhere, join(records, '1-1-link.shell.json'));
  mkdirSync(join(records, '1-1-directory.shell.json'));
  const fifo = join(records, '1-1-fifo.shell.json');
  await over(spawn('mkfifo', [fifo]));
  expect(await sweepStale(records)).toEqual([]);
  expect(statOf(shell.pid!)?.state).toBe('S');
});

test('records are for this user only, and a place that others can enter is refused', async () => {
  const place = temporaryDirectory();
  mkdirSync(join(place, 'run'));
  chmodSync(join(place, 'run'), 0o755);
  const executor = createLocalExecutor({ runtimeDirectory: join(place, 'run') });
  // The records lie in a directory of their own, made 0700; the pipes need the runtime directory itself.
  const shell = await TinyShell.open(executor);
  await expect(shell.run('true')).rejects.toMatchObject({ code: 'PLACE_UNSAFE', place: join(place, 'run') });
  await executor.close();
  const open = createLocalExecutor({ runtimeDirectory: '/proc/nowhere' });
  await expect(TinyShell.open(open)).rejects.toMatchObject({ code: 'PLACE_UNAVAILABLE' });
  await open.close();
  expect(isRunning(place)).toBe(false);
});
