import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { commandSink } from '../../src/audit/followers/command-sink.js';
import { onCommandFollower } from '../../src/audit/followers/on-command.js';
import { verifyAudit } from '../../src/audit/verify.js';
import type { AuditFollower, AuditRecord } from '../../src/contract/audit.js';
import { followerConformance } from '../conformance/follower.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { failingFrom } from './failing-disk.js';
import { logDirectory, openLog, REFUSAL, recordCommand, recordsOf, request } from './scratch.js';
import { spawnSink } from './spawn-sink.js';

function memory(write: (records: readonly AuditRecord[]) => Promise<void> = async () => {}) {
  const batches: (readonly AuditRecord[])[] = [];
  let closed = 0;
  const follower: AuditFollower = {
    name: 'memory',
    async write(records) {
      batches.push(records);
      await write(records);
    },
    async close() {
      closed += 1;
    },
  };
  return {
    follower,
    batches,
    get records() {
      return batches.flat();
    },
    get closed() {
      return closed;
    },
  };
}

const failures = (file: string) => recordsOf(file).filter(record => record.type === 'follower.failed');

test('every record, in order, in batches, the last before it is closed', async () => {
  const told = memory();
  const log = await openLog(logDirectory(), { followers: [told.follower] });
  for (let n = 0; n < 200; n++) await recordCommand(log, request(`c${n}`));
  await log.close();
  expect(told.records).toEqual(recordsOf(log.file!));
  expect(Math.max(...told.batches.map(batch => batch.length))).toBeLessThanOrEqual(256);
  expect(told.closed).toBe(1);
});

test('of a chain that it goes on with, only what is new', async () => {
  const directory = logDirectory();
  const first = await openLog(directory, { continueDay: true });
  await first.close();
  const told = memory();
  const again = await openLog(directory, { continueDay: true, followers: [told.follower] });
  await again.close();
  expect(told.records.map(record => record.seq)).toEqual([3, 4]);
});

test('a slow one holds up no command and misses nothing', async () => {
  const told = memory(() => sleep(20));
  const log = await openLog(logDirectory(), { followers: [told.follower] });
  const started = performance.now();
  for (let n = 0; n < 50; n++) expect(await recordCommand(log, request(`c${n}`))).toBeUndefined();
  const batchesThen = told.batches.length;
  expect(batchesThen).toBeLessThan(1 + (performance.now() - started) / 20);
  await log.close();
  expect(told.records).toEqual(recordsOf(log.file!));
});

test('a throw is recorded with the batch it lost, and the next batch comes all the same', async () => {
  verifies('S3-10');
  let calls = 0;
  const told = memory(async () => {
    calls += 1;
    if (calls === 1) throw new Error('SIEM down');
  });
  const directory = logDirectory();
  const log = await openLog(directory, { followers: [told.follower] });
  await sleep(20);
  expect(await recordCommand(log, request('c1'))).toBeUndefined();
  await log.close();
  expect(failures(log.file!).map(record => record.data)).toEqual([{ name: 'memory', message: 'SIEM down', from: 1, to: 1 }]);
  const seen = told.records.map(record => record.seq);
  expect(new Set(seen).size).toBe(seen.length); // not sent again
  expect(told.records.map(record => record.type)).toContain('command.finished');
  expect(told.records.map(record => record.type)).not.toContain('follower.failed'); // its own
  expect((await verifyAudit(directory)).intact).toBe(true);
});

test('two that always fail come to an end', async () => {
  const broken = (name: string): AuditFollower => ({
    name,
    async write() {
      throw new Error('no');
    },
  });
  const log = await openLog(logDirectory(), { followers: [broken('one'), broken('two')] });
  await recordCommand(log, request('c1'));
  await log.close();
  expect(failures(log.file!).length).toBeGreaterThanOrEqual(2);
  expect(failures(log.file!).length).toBeLessThan(12);
});

test('one that throws at once, without a promise, is recorded like any other', async () => {
  const follower = {
    name: 'rude',
    write() {
      throw new Error('at once');
    },
  } as unknown as AuditFollower;
  const log = await openLog(logDirectory(), { followers: [follower] });
  await log.close();
  expect(failures(log.file!)[0]?.data).toMatchObject({ name: 'rude', message: 'at once' });
});

test('one that never answers is given up at the end, and that is recorded', async () => {
  const stuck = memory(() => new Promise(() => {}));
  const log = await openLog(logDirectory(), { followers: [stuck.follower], followersMayTakeMs: 40 });
  await recordCommand(log, request('c1'));
  await log.close();
  expect(failures(log.file!).map(record => record.data)).toMatchObject([
    { name: 'memory', message: 'did not take its records within 40 ms; it gets no more of them' },
  ]);
});

test('a log that failed still closes with followers', async () => {
  const told = memory();
  const log = await openLog(logDirectory(), { followers: [told.follower], disk: failingFrom(3) });
  expect(await recordCommand(log, request('c1'))).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
  await log.close();
  expect(told.records).toEqual(recordsOf(log.file!));
});

describe('onCommand', () => {
  test('is called with each command that passed; a throw on one is recorded and changes nothing', async () => {
    verifies('S3-10', 'I16');
    const called: string[] = [];
    const follower = onCommandFollower(text => {
      called.push(text);
      if (text === 'echo c2') throw new Error('the hook broke');
    });
    const log = await openLog(logDirectory(), { followers: [follower] });
    expect(await recordCommand(log, request('c1'))).toBeUndefined();
    expect(await recordCommand(log, request('c2'))).toBeUndefined();
    const denied = log.command(request('c3', 'rm -rf /'));
    denied.record('command.requested', request('c3', 'rm -rf /'));
    denied.record('command.refused', REFUSAL);
    await log.close();
    expect(called).toEqual(['echo c1', 'echo c2']);
    expect(failures(log.file!).map(record => record.data)).toMatchObject([{ name: 'onCommand', message: 'the hook broke' }]);
    expect(recordsOf(log.file!).filter(record => record.type === 'command.finished')).toHaveLength(2);
  });

  test('that rejects is like one that throws, and the next command is told all the same', async () => {
    verifies('S3-10');
    const called: string[] = [];
    const follower = onCommandFollower(async text => {
      called.push(text);
      throw new Error(`no ${text}`);
    });
    const log = await openLog(logDirectory(), { followers: [follower] });
    await Promise.all([recordCommand(log, request('c1')), recordCommand(log, request('c2'))]);
    await log.close();
    expect(called).toEqual(['echo c1', 'echo c2']);
    const messages = failures(log.file!).map(record => (record.data as { message: string }).message);
    expect(messages.join('; ')).toBe('no echo c1; no echo c2');
  });
});

describe('a command sink', () => {
  test('pipes every record as one JSON line to a real program', async () => {
    const out = join(temporaryDirectory(), 'out');
    const log = await openLog(logDirectory(), { followers: [commandSink(['/bin/sh', '-c', `cat > '${out}'`], spawnSink)] });
    for (let n = 0; n < 5; n++) await recordCommand(log, request(`c${n}`));
    await log.close();
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(log.file!, 'utf8'));
  });

  test('that dies is recorded and started again with the next batch', async () => {
    const out = join(temporaryDirectory(), 'out');
    const argv = ['/bin/sh', '-c', `test -e '${out}' || { echo died > '${out}'; exit 1; }; cat >> '${out}'`];
    const log = await openLog(logDirectory(), { followers: [commandSink(argv, spawnSink)] });
    while (!existsSync(out)) await sleep(5);
    await sleep(30);
    for (let n = 0; n < 5; n++) {
      await recordCommand(log, request(`c${n}`));
      await sleep(10);
    }
    await log.close();
    expect(failures(log.file!)[0]?.data).toMatchObject({ name: 'command sink /bin/sh' });
    expect(readFileSync(out, 'utf8')).toContain('echo c4');
  });
});

followerConformance('onCommand', () => onCommandFollower(() => {}));
followerConformance('a command sink', () => commandSink(['/bin/cat'], spawnSink));
followerConformance('one that keeps all in memory', () => memory().follower);
