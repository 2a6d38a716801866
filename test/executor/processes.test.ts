import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { endTree } from '../../src/executor/local/kill-tree.js';
import { allProcesses, childrenOf, commandOf, nowTicks, statOf } from '../../src/executor/local/proc.js';
import { psTree } from '../../src/executor/local/ps-tree.js';
import { verifies } from '../helpers/verifies.js';

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise(resolve => child.once('exit', resolve));
}

test('a process is read right whatever it calls itself', async () => {
  const place = mkdtempSync(join(tmpdir(), 'shellgate-proc-'));
  const program = join(place, 'x) S 1 1 (');
  copyFileSync('/bin/sleep', program);
  const child = spawn(program, ['300'], { stdio: 'ignore' });
  await sleep(30);
  const stat = statOf(child.pid!)!;
  expect(stat).toMatchObject({
    pid: child.pid,
    name: 'x) S 1 1 (',
    ppid: process.pid,
    state: 'S',
    session: statOf(process.pid)!.session,
  });
  expect(commandOf(stat)).toBe(`${program} 300`);
  expect(Math.abs(nowTicks() - stat.started)).toBeLessThan(100);
  expect(childrenOf(process.pid)).toContain(child.pid);
  expect(allProcesses().get(child.pid!)?.started).toBe(stat.started);
  child.kill('SIGKILL');
  await ended(child);
  expect(statOf(child.pid!)).toBeUndefined();
  rmSync(place, { recursive: true });
});

test('a signal never reaches another process that has the number of a dead one; survivors are named', async () => {
  verifies('P7');
  const child = spawn('/bin/sleep', ['300'], { stdio: 'ignore' });
  await sleep(30);
  const other = { ...statOf(child.pid!)!, started: statOf(child.pid!)!.started - 1 };
  const survivors = await endTree(() => ({ members: [other], certain: true }), 10);
  expect(survivors).toEqual([{ pid: child.pid, command: '/bin/sleep 300', reason: 'still running' }]);
  expect(statOf(child.pid!)?.state).toBe('S'); // neither stopped nor killed
  child.kill('SIGKILL');
  await ended(child);
});

test('a process that may not be ended is named with the reason', async () => {
  verifies('P7');
  const child = spawn('/bin/sleep', ['300'], { stdio: 'ignore' });
  await sleep(30);
  const stat = statOf(child.pid!)!;
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  const survivors = await endTree(() => ({ members: [stat], certain: true }), 0);
  kill.mockRestore();
  expect(survivors).toEqual([{ pid: child.pid, command: '/bin/sleep 300', reason: 'not permitted' }]);
  child.kill('SIGKILL');
  await ended(child);
});

test('an empty look that was not certain is looked at again', async () => {
  verifies('P7');
  const looks = [false, false, false, true];
  expect(await endTree(() => ({ members: [], certain: looks.shift() ?? expect.fail('looked too often') }), 0)).toEqual([]);
  expect(looks).toEqual([]);
});

test('without /proc the tree is what ps shows below the shell', async () => {
  const shell = spawn('/bin/bash', ['-c', 'sleep 300 & (trap "" TERM; sleep 300; :) & wait'], {
    stdio: 'ignore',
    detached: true,
  });
  await sleep(60);
  const children = childrenOf(shell.pid!)!;
  expect(children).toHaveLength(2);
  const tree = psTree(shell.pid!, 'descendants');
  expect(tree.list()).toEqual([]);
  expect(await tree.kill(20)).toEqual([]);
  expect(children.map(pid => statOf(pid))).toEqual([undefined, undefined]);
  await ended(shell);
  expect(shell.exitCode).toBe(0);
});
