import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { readCommands } from '../../src/audit/read.js';
import { verifyAudit } from '../../src/audit/verify.js';
import { verifies } from '../helpers/verifies.js';
import { chainFiles, logDirectory, namesIn, openLog, recordsOf } from './scratch.js';

const WRITER = resolve(import.meta.dirname, '../fixtures/audit-writer.mjs');

interface Writer {
  readonly said: readonly string[];
  until(line: string): Promise<void>;
  kill(): Promise<void>;
}

function writer(directory: string, how: 'busy' | 'asking' | 'idle'): Writer {
  const child: ChildProcess = spawn(process.execPath, [WRITER, directory, how], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout! }).on('line', line => said.push(line));
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  return {
    said,
    kill,
    async until(line) {
      while (!said.includes(line)) await once(lines, 'line');
    },
  };
}

test('a writer killed at any moment: every command it was told of as recorded is there', async () => {
  verifies('P1');
  const directory = logDirectory();
  const busy = writer(directory, 'busy');
  await busy.until('c40');
  await busy.kill();
  const { commands } = await readCommands(directory, { last: 100_000 });
  const recorded = new Set(commands.map(command => command.command));
  expect(busy.said.length).toBeGreaterThanOrEqual(40);
  expect(busy.said.filter(id => !recorded.has(id))).toEqual([]);
  const { problems } = await verifyAudit(directory);
  expect(problems.filter(problem => problem.kind !== 'torn')).toEqual([]);
});

test('who opens the log next closes the dead one’s books, and the reader tells how it ended', async () => {
  verifies('P6');
  const directory = logDirectory();
  const asking = writer(directory, 'asking');
  await asking.until('ready');
  await asking.kill();
  const [file] = chainFiles(directory) as [string];
  expect(namesIn(directory, '.claim')).toHaveLength(1);
  const log = await openLog(directory);
  const answers = recordsOf(file).filter(record => record.type === 'approval.answered');
  expect(answers.shift()).toMatchObject({ command: 'answered', data: { code: 'APPROVAL_DENIED' } });
  expect(answers.map(({ session, command, data }) => ({ session, command, data }))).toEqual(
    ['a1', 'a2'].map(id => ({
      session: 'main',
      command: id,
      data: {
        outcome: 'refused',
        by: 'expiry',
        code: 'APPROVAL_EXPIRED',
        reason: 'owner-restarted: the process that asked is gone',
        questionId: `q${id}`,
      },
    })),
  );
  expect(recordsOf(file).at(-1)).toMatchObject({ type: 'audit.head', data: { closed: true } });
  const { commands } = await readCommands(directory);
  expect(commands.map(({ command, answer, end }) => [command, answer?.what, end?.outcome])).toEqual([
    ['a1', 'expired', 'refused'],
    ['a2', 'expired', 'refused'],
    ['answered', 'denied', undefined],
  ]);
  await log.close();
  expect([...namesIn(directory, '.claim'), ...namesIn(directory, '.reserve')]).toEqual([]);
  expect(await verifyAudit(directory)).toMatchObject({ intact: true, chains: 2 });
});

test('a living writer is left alone', async () => {
  const directory = logDirectory();
  const idle = writer(directory, 'idle');
  await idle.until('ready');
  const [file] = chainFiles(directory) as [string];
  const before = readFileSync(file);
  const log = await openLog(directory, { continueDay: true });
  expect(log.file).not.toBe(file);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(namesIn(directory, '.claim')).toHaveLength(2);
});

test('a torn last line is cut off, and the cut is recorded with its hash', async () => {
  const directory = logDirectory();
  const asking = writer(directory, 'asking');
  await asking.until('ready');
  await asking.kill();
  const [file] = chainFiles(directory) as [string];
  appendFileSync(file, '{"chain":"half');
  await openLog(directory);
  const sha256 = createHash('sha256').update('{"chain":"half').digest('hex');
  expect(recordsOf(file).find(record => record.type === 'audit.repaired')?.data).toEqual({ bytes: 14, sha256 });
  expect((await verifyAudit(directory)).intact).toBe(true);
});

test('a damaged one is an alarm and stays as it is', async () => {
  verifies('P1');
  const directory = logDirectory();
  const asking = writer(directory, 'asking');
  await asking.until('ready');
  await asking.kill();
  const [file] = chainFiles(directory) as [string];
  const damaged = readFileSync(file, 'utf8').replace('rm a1', 'ls a1');
  writeFileSync(file, damaged);
  const log = await openLog(directory);
  expect(log.alarms).toEqual([expect.stringContaining('content does not match its hash')]);
  expect(readFileSync(file, 'utf8')).toBe(damaged);
  expect(recordsOf(log.file!)[0]!.data).toMatchObject({ alarms: log.alarms });
  expect(await log.durable()).toBeUndefined();
});

test('several who open at once settle it once', async () => {
  const directory = logDirectory();
  const asking = writer(directory, 'asking');
  await asking.until('ready');
  await asking.kill();
  const [file] = chainFiles(directory) as [string];
  await Promise.all([1, 2, 3, 4].map(() => openLog(directory)));
  const answered = recordsOf(file).filter(record => record.type === 'approval.answered');
  expect(answered.map(record => record.command).sort()).toEqual(['a1', 'a2', 'answered']);
  expect(statSync(file).nlink).toBe(1);
  expect((await verifyAudit(directory)).intact).toBe(true);
});
