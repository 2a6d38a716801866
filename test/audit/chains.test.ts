import { chmodSync, linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/audit/chain.js';
import { claimsIn, takeClaim } from '../../src/audit/claim.js';
import { chainName } from '../../src/audit/directory.js';
import { realDisk } from '../../src/audit/disk.js';
import { goOn } from '../../src/audit/open-chain.js';
import { isDead, thisProcess } from '../../src/audit/owner.js';
import { verifyAudit } from '../../src/audit/verify.js';
import { verifies } from '../helpers/verifies.js';
import { failingFrom } from './failing-disk.js';
import { chainFiles, logDirectory, namesIn, openLog, recordCommand, recordsOf, request } from './scratch.js';

const data = (file: string, record = 0) => recordsOf(file).at(record)!.data as Record<string, unknown>;

/** One command in a log of its own, closed. Returns its file. */
async function closedLog(directory: string, options: Parameters<typeof openLog>[1] = {}): Promise<string> {
  const log = await openLog(directory, options);
  await recordCommand(log, request('c1'));
  await log.close();
  return log.file!;
}

test('each log has a chain of its own, and names those that are there already', async () => {
  const directory = logDirectory();
  const first = await openLog(directory);
  await recordCommand(first, request('c1'));
  const second = await openLog(directory);
  expect(second.file).not.toBe(first.file);
  expect(data(second.file!)).toMatchObject({ heads: [first.head()], headless: [] });
  expect(basename(second.file!)).toMatch(/^\d{4}-\d\d-\d\d-[0-9a-f]{8}\.jsonl$/);
});

test('a file without a readable record is named as such', async () => {
  const directory = logDirectory();
  const file = await closedLog(directory);
  writeFileSync(join(directory, '2020-01-01-beef.jsonl'), 'not a record');
  const log = await openLog(directory);
  expect(data(log.file!)).toMatchObject({ headless: ['2020-01-01-beef.jsonl'], heads: [{ chain: recordsOf(file)[0]!.chain }] });
});

describe('continueDay', () => {
  test('goes on with a chain of today that was closed', async () => {
    verifies('P1');
    const directory = logDirectory();
    const file = await closedLog(directory, { continueDay: true });
    expect(await closedLog(directory, { continueDay: true })).toBe(file);
    expect(recordsOf(file).map(record => record.seq)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    expect(await verifyAudit(directory)).toMatchObject({ intact: true, chains: 1, records: 12 });
    expect(namesIn(directory, '.claim')).toEqual([]);
  });

  test('names, when it goes on, only what changed since', async () => {
    const directory = logDirectory();
    const file = await closedLog(directory, { continueDay: true });
    const other = await openLog(directory);
    await setTimeout(30); // longer than a tick of the file system's clock
    await closedLog(directory, { continueDay: true });
    await closedLog(directory, { continueDay: true });
    const openings = recordsOf(file).filter(record => record.type === 'audit.opened');
    const heads = openings.map(record => (record.data as { heads: unknown }).heads);
    expect(heads).toEqual([[], [other.head()], []]);
  });

  test('lets each chain be continued by one only', async () => {
    const directory = logDirectory();
    await closedLog(directory, { continueDay: true });
    const logs = await Promise.all([1, 2, 3, 4, 5].map(() => openLog(directory, { continueDay: true })));
    expect(new Set(logs.map(log => log.file)).size).toBe(5);
    for (const log of logs) expect(await recordCommand(log, request('c2'))).toBeUndefined();
    await Promise.all(logs.map(log => log.close()));
    expect(await verifyAudit(directory)).toMatchObject({ intact: true, chains: 5 });
  });

  const others: readonly [string, (file: string) => void][] = [
    ['has another name as well', file => linkSync(file, `${file}.copy`)],
    ['is open to others', file => chmodSync(file, 0o644)],
  ];
  test.each(others)('leaves alone one that %s, with an alarm', async (why, change) => {
    const directory = logDirectory();
    const file = await closedLog(directory);
    const before = readFileSync(file);
    change(file);
    const log = await openLog(directory, { continueDay: true });
    expect(log.file).not.toBe(file);
    expect(log.alarms).toEqual([expect.stringContaining(`${basename(file)} ${why}`)]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('leaves alone one of yesterday, and one that failed', async () => {
    const directory = logDirectory();
    const yesterday = { now: () => Date.now() - 86_400_000, monotonicNs: process.hrtime.bigint };
    const old = await closedLog(directory, { clock: yesterday });
    const failed = await openLog(directory, { disk: failingFrom(3) });
    await recordCommand(failed, request('c1'));
    await failed.close();
    const log = await openLog(directory, { continueDay: true });
    expect([old, failed.file]).not.toContain(log.file);
  });

  test('leaves alone one whose end was changed', async () => {
    const directory = logDirectory();
    const file = await closedLog(directory);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"closed":true', '"closed":True'));
    expect((await openLog(directory, { continueDay: true })).file).not.toBe(file);
  });
});

describe('whose chain it is', () => {
  const self = thisProcess();
  test.each<[string, object, boolean]>([
    ['this process', {}, false],
    ['a process of an earlier boot', { boot: 'another' }, true],
    ['a pid that somebody else has now', { started: '1' }, true],
    ['a pid that nobody has', { pid: 2 ** 22 + 1 }, true],
    ['a process of another host', { host: 'elsewhere', pid: 2 ** 22 + 1 }, false],
    ['a process of another pid namespace', { pidNamespace: 'pid:[1]', pid: 2 ** 22 + 1 }, false],
  ])('%s', (_name, change, dead) => {
    expect(isDead({ ...self, ...change })).toBe(dead);
  });

  /** A chain as a process leaves it that ended without closing it: its claim, whoever is said to have it. */
  async function abandoned(directory: string, owner: string): Promise<string> {
    const log = await openLog(directory, { disk: failingFrom(7) });
    await recordCommand(log, request('c1'));
    log.event('session.closed', {});
    log.event('session.closed', {});
    await log.close();
    const [claim] = namesIn(directory, '.claim') as [string];
    writeFileSync(join(directory, claim), owner);
    return log.file!;
  }

  test.each<[string, string, boolean]>([
    ['of a dead owner is settled', JSON.stringify({ ...self, pid: 2 ** 22 + 1 }), true],
    ['whose owner had no time to sign is left alone', '', false],
    ['whose owner is on another host is left alone', JSON.stringify({ host: `not-${hostname()}`, pid: 1 }), false],
    ['with a claim that makes no sense is left alone', '{"host":1}', false],
  ])('a chain %s', async (_name, owner, settled) => {
    const directory = logDirectory();
    const file = await abandoned(directory, owner);
    const before = recordsOf(file).length;
    await openLog(directory);
    expect(recordsOf(file).length > before).toBe(settled);
    expect(namesIn(directory, '.claim')).toHaveLength(settled ? 1 : 2);
  });
});

describe('a claim', () => {
  const parts = { disk: realDisk, clock: realClock, alarm: () => {} };

  /** A closed chain, and where it ends. */
  async function ended(directory: string) {
    const file = await closedLog(directory);
    const { chain, seq, hash } = recordsOf(file).at(-1)!;
    return { name: chainName(directory, basename(file).slice(0, 10), chain), seq, hash };
  }

  test('is taken by one only, and holds who has it', async () => {
    const directory = logDirectory();
    const { name, seq } = await ended(directory);
    expect([takeClaim(directory, name.stem, seq), takeClaim(directory, name.stem, seq)]).toEqual([true, false]);
    expect(claimsIn(directory)).toEqual([{ stem: name.stem, seq, owner: thisProcess() }]);
  });

  test('does not let two go on from different places of one chain', async () => {
    verifies('P1');
    const directory = logDirectory();
    const at = await ended(directory);
    takeClaim(directory, at.name.stem, 0); // somebody who is alive began it and has written on since
    expect(goOn(directory, at, parts)).toBeUndefined();
    expect(claimsIn(directory).map(claim => claim.seq)).toEqual([0]);
  });

  test('is given back where the chain does not end as it was read', async () => {
    const directory = logDirectory();
    const at = await ended(directory);
    expect(goOn(directory, { ...at, hash: 'beef' }, parts)).toBeUndefined();
    expect(claimsIn(directory)).toEqual([]);
    const owned = goOn(directory, at, parts)!;
    await owned.release();
  });
});

test('a dead owner’s chain that cannot be gone on with keeps its claim, and that is an alarm', async () => {
  const directory = logDirectory();
  const log = await openLog(directory, { disk: failingFrom(4) });
  await recordCommand(log, request('c1'));
  await log.close();
  const [claim] = namesIn(directory, '.claim') as [string];
  writeFileSync(join(directory, claim), JSON.stringify({ ...thisProcess(), pid: 2 ** 22 + 1 }));
  linkSync(log.file!, `${log.file}.copy`);
  const next = await openLog(directory);
  expect(next.alarms).toEqual([expect.stringContaining('has another name as well')]);
  expect(namesIn(directory, '.claim')).toContain(claim);
});

test('a claim lost under a log does not let another write into its chain unseen', async () => {
  const directory = logDirectory();
  const log = await openLog(directory);
  await recordCommand(log, request('c1'));
  for (const claim of namesIn(directory, '.claim')) unlinkSync(join(directory, claim));
  const other = await openLog(directory, { continueDay: true });
  expect(other.file).not.toBe(log.file); // it is not closed
  expect(await recordCommand(log, request('c2'))).toBeUndefined();
});

test('a chain file under another name is not its chain', async () => {
  const directory = logDirectory();
  const file = await closedLog(directory);
  const moved = join(directory, `${basename(file).slice(0, 10)}-beef.jsonl`);
  renameSync(file, moved);
  const log = await openLog(directory, { continueDay: true });
  expect(log.file).not.toBe(moved);
  expect(chainFiles(directory)).toHaveLength(2);
});
