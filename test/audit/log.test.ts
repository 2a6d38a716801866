import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Disk, realDisk } from '../../src/audit/disk.js';
import { verifyAudit } from '../../src/audit/verify.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { failingFrom, slowDisk, unsyncable } from './failing-disk.js';
import {
  chainFiles,
  logDirectory,
  namesIn,
  openLog,
  openRedactor,
  REFUSAL,
  recordCommand,
  recordsOf,
  request,
} from './scratch.js';

describe('what a log holds', () => {
  test('records in one chain, each with its command, its session and the hash of the one before', async () => {
    verifies('P1');
    const directory = logDirectory();
    const log = await openLog(directory, { config: { policy: 'read-only' }, policyHash: 'abc', version: '0.1.0' });
    log.event('session.opened', { cwd: '/repo' }, 'main');
    await recordCommand(log, request('c1'), 3);
    await log.close();
    const records = recordsOf(chainFiles(directory)[0]!);
    expect(records.map(record => [record.type, record.session, record.command])).toEqual([
      ['audit.opened', undefined, undefined],
      ['session.opened', 'main', undefined],
      ['command.requested', 'main', 'c1'],
      ['command.evaluated', 'main', 'c1'],
      ['command.started', 'main', 'c1'],
      ['command.finished', 'main', 'c1'],
      ['audit.head', undefined, undefined],
    ]);
    expect(records.map(record => record.prev)).toEqual(['0'.repeat(64), ...records.slice(0, -1).map(record => record.hash)]);
    expect(records[0]!.data).toMatchObject({
      pid: process.pid,
      policyHash: 'abc',
      version: '0.1.0',
      config: { policy: 'read-only' },
      heads: [],
      headless: [],
      alarms: [],
    });
    expect(records.at(-1)!.data).toMatchObject({ closed: true });
  });

  test('a wall clock that goes back stands beside one that cannot', async () => {
    const directory = logDirectory();
    let now = Date.parse('2026-11-20T12:00:00Z');
    const clock = { now: () => (now -= 1_000), monotonicNs: process.hrtime.bigint };
    const log = await openLog(directory, { clock });
    await recordCommand(log, request('c1'));
    const records = recordsOf(log.file!);
    expect(records[1]!.time > records[2]!.time).toBe(true);
    expect(BigInt(records[1]!.monoNs) < BigInt(records[2]!.monoNs)).toBe(true);
  });

  test('only its user can enter its directory or read its file', async () => {
    const directory = logDirectory();
    const log = await openLog(directory);
    expect(lstatSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(log.file!).mode & 0o777).toBe(0o600);
  });

  test('head is the last record, and a closed log has no claim, no reserve and no more records', async () => {
    const directory = logDirectory();
    const log = await openLog(directory);
    expect(namesIn(directory, '.claim')).toHaveLength(1);
    expect(namesIn(directory, '.reserve')).toHaveLength(1);
    await Promise.all([log.close(), log.close()]);
    log.event('session.opened', {});
    const last = recordsOf(log.file!).at(-1)!;
    expect(log.head()).toEqual({ chain: last.chain, seq: last.seq, hash: last.hash });
    expect(last.type).toBe('audit.head');
    expect(await log.durable()).toMatchObject({ code: 'AUDIT_UNAVAILABLE', reason: expect.stringContaining('closed') });
    expect([...namesIn(directory, '.claim'), ...namesIn(directory, '.reserve')]).toEqual([]);
  });

  test('no secret that its redactor knows, wherever it stands', async () => {
    verifies('P10', 'I19');
    const secret = 'hunter2hunter2';
    const directory = logDirectory();
    const redactor = createRedactor({ env: { GITHUB_TOKEN: secret } });
    const log = await openLog(directory, { redactor, config: { env: { X: secret } } });
    const asked = request('c1', `API_KEY=s3cr3tvalue1 curl -H 'Authorization: Bearer ${secret}' x`, {
      description: `uses ${secret}`,
      env: { MY_PASSWORD: 's3cr3tvalue2' },
      stdin: `login ${secret}`,
    });
    await recordCommand(log, asked);
    log.command(asked).record('command.refused', { ...REFUSAL, feedback: `not with ${secret}` });
    await log.close();
    const written = readFileSync(chainFiles(directory)[0]!, 'utf8');
    for (const hidden of [secret, 's3cr3tvalue1', 's3cr3tvalue2']) expect(written).not.toContain(hidden);
    expect(written).toContain('redacted:');
  });
});

describe('a log that cannot be opened', () => {
  const places: readonly [string, () => string, RegExp][] = [
    [
      'open to others',
      () => {
        const path = join(temporaryDirectory(), 'audit');
        mkdirSync(path, { mode: 0o755 });
        return path;
      },
      /is open to others \(mode 755\)/,
    ],
    [
      'a file',
      () => {
        const path = join(temporaryDirectory(), 'audit');
        writeFileSync(path, '');
        return path;
      },
      /cannot make|not a directory/,
    ],
    ['below a file', () => '/etc/passwd/audit', /cannot make \/etc\/passwd\/audit/],
    ['where nobody can make it', () => '/proc/shellgate', /cannot make \/proc\/shellgate/],
  ];
  test.each(places)('%s: every command is refused with the reason', async (_name, make, why) => {
    verifies('P1');
    const log = await openLog(make());
    const refusal = await recordCommand(log, request('c1'));
    expect(refusal).toMatchObject({ outcome: 'refused', by: 'audit', code: 'AUDIT_UNAVAILABLE' });
    expect(refusal!.reason).toMatch(why);
    expect(log.failure()).toEqual(refusal);
    expect(log.file).toBeUndefined();
  });
});

describe('a log that fails', () => {
  test.each([1, 2, 3, 4, 5])('at its record %i: refused, and for good', async write => {
    verifies('P1');
    const directory = logDirectory();
    const log = await openLog(directory, { disk: failingFrom(write) });
    const command = log.command(request('c1'));
    for (const type of ['command.requested', 'facts.queried', 'command.evaluated', 'command.started'] as const) {
      command.record(type, type === 'facts.queried' ? { known: false, reason: 'none' } : { text: 'x' });
    }
    const refusal = await command.durable();
    expect(refusal).toMatchObject({ outcome: 'refused', by: 'audit', code: 'AUDIT_UNAVAILABLE' });
    expect(refusal!.reason).toMatch(/EIO: write\. The command did not run\.$/);
    expect(await recordCommand(log, request('c2'))).toEqual(refusal);
    await log.close();
    expect(recordsOf(log.file!)).toHaveLength(write - 1);
    expect((await verifyAudit(directory)).intact).toBe(true);
  });

  test('once stays failed when the disk works again', async () => {
    verifies('P1');
    let writes = 0;
    const disk: Disk = {
      ...realDisk,
      write(fd, bytes) {
        writes += 1;
        if (writes === 3) throw new Error('EIO: once');
        return realDisk.write(fd, bytes);
      },
    };
    const log = await openLog(logDirectory(), { disk });
    expect(await recordCommand(log, request('c1'))).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    expect(await recordCommand(log, request('c2'))).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    expect(writes).toBe(3);
  });

  test('to sync is failed for good too: a later sync would prove nothing', async () => {
    verifies('P1');
    let syncs = 0;
    const disk: Disk = { ...realDisk, sync: fd => (++syncs === 1 ? unsyncable.sync(fd) : realDisk.sync(fd)) };
    const log = await openLog(logDirectory(), { disk });
    const first = await recordCommand(log, request('c1'));
    expect(first).toMatchObject({ code: 'AUDIT_UNAVAILABLE', reason: expect.stringContaining('fdatasync') });
    expect(await recordCommand(log, request('c2'))).toEqual(first);
    expect(syncs).toBe(1);
  });

  test('in mid-record leaves an unfinished line behind, and says so', async () => {
    const directory = logDirectory();
    let writes = 0;
    const disk: Disk = {
      ...realDisk,
      write(fd, bytes) {
        writes += 1;
        if (writes === 2) return realDisk.write(fd, bytes.subarray(0, 20));
        if (writes === 3) throw new Error('EIO: half of it');
        return realDisk.write(fd, bytes);
      },
    };
    const log = await openLog(directory, { disk });
    expect(await recordCommand(log, request('c1'))).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    await log.close();
    expect((await verifyAudit(directory)).problems).toMatchObject([{ kind: 'torn', record: 2 }]);
  });

  test('to write all at once goes on with the rest', async () => {
    const directory = logDirectory();
    const log = await openLog(directory, {
      disk: { ...realDisk, write: (fd, bytes) => realDisk.write(fd, bytes.subarray(0, 100)) },
    });
    expect(await recordCommand(log, request('c1'))).toBeUndefined();
    await log.close();
    expect(await verifyAudit(directory)).toMatchObject({ intact: true, records: 6 });
  });

  test.each<[string, () => unknown]>([
    ['a bigint', () => ({ value: 1n })],
    [
      'a cycle',
      () => {
        const cycle: { self?: unknown } = {};
        cycle.self = cycle;
        return cycle;
      },
    ],
    [
      'a getter that throws',
      () => ({
        get text() {
          throw new Error('no');
        },
      }),
    ],
  ])('to put %s into the log refuses: nothing may be left out', async (_name, data) => {
    verifies('P1');
    const log = await openLog(logDirectory());
    const command = log.command(request('c1'));
    expect(() => command.record('command.refused', data())).not.toThrow();
    expect(await command.durable()).toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
  });

  test('with its redactor refuses: nothing is written unredacted', async () => {
    verifies('P10');
    const broken = {
      ...openRedactor,
      redactValue() {
        throw new Error('the redactor broke');
      },
    };
    const log = await openLog(logDirectory(), { redactor: broken });
    const refusal = await recordCommand(log, request('c1'));
    expect(refusal!.reason).toContain('a audit.opened could not be recorded: the redactor broke');
    expect(readFileSync(log.file!, 'utf8')).toBe('');
  });
});

describe('durable', () => {
  test('waits for the disk', async () => {
    verifies('P1');
    const disk = slowDisk();
    const log = await openLog(logDirectory(), { disk });
    let told = false;
    const durable = log.durable().then(() => {
      told = true;
    });
    await new Promise(setImmediate);
    expect([disk.syncs, told]).toEqual([1, false]);
    disk.release();
    await durable;
    expect(told).toBe(true);
    finishing(log.close(), disk);
  });

  test('shares one sync among all who wait for the one under way', async () => {
    const disk = slowDisk();
    const log = await openLog(logDirectory(), { disk });
    const first = log.durable();
    const rest = Array.from({ length: 10 }, (_, n) => {
      log.event('session.opened', { n });
      return log.durable();
    });
    expect(disk.syncs).toBe(1);
    disk.release();
    await first;
    await new Promise(setImmediate);
    expect(disk.syncs).toBe(2);
    disk.release();
    expect(await Promise.all(rest)).toEqual(rest.map(() => undefined));
    expect(disk.syncs).toBe(2);
    finishing(log.close(), disk);
  });

  test('syncs nothing twice', async () => {
    let syncs = 0;
    const log = await openLog(logDirectory(), {
      disk: {
        ...realDisk,
        sync(fd) {
          syncs += 1;
          return realDisk.sync(fd);
        },
      },
    });
    await log.durable();
    await log.durable();
    expect(syncs).toBe(1);
  });
});

/** Releases every sync that closing still waits for. */
function finishing(closing: Promise<void>, disk: { release(): void }): void {
  const timer = setInterval(() => disk.release(), 1);
  void closing.finally(() => clearInterval(timer));
}

test('data that no reader could hold is kept by its size and its hash', async () => {
  const log = await openLog(logDirectory());
  log.event('policy.loaded', { names: Array.from({ length: 60_000 }, (_, n) => `${n}`.padStart(60, 'x')) });
  expect(recordsOf(log.file!).at(-1)!.data).toEqual({ tooLong: { characters: expect.any(Number), sha256: expect.any(String) } });
  expect(await log.durable()).toBeUndefined();
  expect(existsSync(log.file!)).toBe(true);
});
