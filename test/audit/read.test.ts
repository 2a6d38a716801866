import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { auditRecords, columnsOf, lineOf, readCommands, tailAudit } from '../../src/audit/read.js';
import { duration } from '../../src/audit/show.js';
import type { AuditRecord } from '../../src/contract/audit.js';
import { verifies } from '../helpers/verifies.js';
import { chainFiles, logDirectory, openLog, REFUSAL, recordCommand, recordsOf, request } from './scratch.js';

const APPROVER = { kind: 'person', id: 'uid 1000', label: 'ana' };

/** A log with one command for every way that one can go. */
async function manyWays(): Promise<string> {
  const directory = logDirectory();
  let now = Date.parse('2025-01-20T21:04:12Z');
  const log = await openLog(directory, { clock: { now: () => now, monotonicNs: () => BigInt(now) * 1_000_000n } });
  now += 1_000;
  await recordCommand(log, request('ran', 'ls'));

  now += 1_000;
  const asked = log.command(request('asked', 'npm ci'));
  asked.record('command.requested', request('asked', 'npm ci'));
  asked.record('command.evaluated', { decision: 'ask', matches: [{ source: 'default', decision: 'ask', reason: 'x' }] });
  asked.record('policy.shadowed', { decision: 'deny', decided: 'ask' });
  asked.record('approval.requested', {
    id: 'k7qd',
    request: request('asked', 'npm ci'),
    evaluation: { digest: 'd' },
    display: { text: 'npm ci', warnings: [] },
  });
  now += 8_000;
  asked.record('approval.answered', { outcome: 'approved', approver: APPROVER, channel: 'tty' });
  asked.record('command.started', { text: 'npm ci --ignore-scripts' });
  asked.record('command.finished', { outcome: 'exited', exitCode: 1, durationMs: 41_000 });

  now += 1_000;
  const denied = log.command(request('denied', 'cat .env'));
  denied.record('command.requested', request('denied', 'cat .env'));
  denied.record('command.evaluated', {
    decision: 'deny',
    matches: [
      { source: 'rule', rule: 'secret-files', decision: 'deny' },
      { source: 'rule', rule: 'reads', decision: 'allow' },
    ],
  });
  denied.record('command.refused', REFUSAL);

  now += 1_000;
  log
    .command(request('open', 'sleep 9', { sessionId: 'api' }))
    .record('command.requested', request('open', 'sleep 9', { sessionId: 'api' }));
  await log.durable();
  return directory;
}

describe('audit show', () => {
  test('tells of each command how it was decided and how it ended', async () => {
    verifies('P6');
    const { commands, damaged } = await readCommands(await manyWays());
    expect(damaged).toBe(0);
    expect(commands.map(columnsOf).map(({ text, decided, ended, took, who }) => [text, decided, ended, took, who])).toEqual([
      ['ls', 'allowed', 'exited 0', '12 ms', 'claude-code'],
      ['npm ci → npm ci --ignore-scripts', 'asked → once by ana (tty, 8 s) · in shadow: deny', 'exited 1', '41 s', 'claude-code'],
      ['cat .env', 'denied (secret-files)', 'did not run', '', 'claude-code'],
      ['sleep 9', 'not judged', 'no end recorded', '', 'claude-code'],
    ]);
  });

  test.each<[string, Parameters<typeof readCommands>[1], string[]]>([
    ['everything', {}, ['ran', 'asked', 'denied', 'open']],
    ['the newest two', { last: 2 }, ['denied', 'open']],
    ['one outcome', { outcome: 'exited' }, ['ran', 'asked']],
    ['those without an end', { outcome: 'open' }, ['open']],
    ['one session', { session: 'api' }, ['open']],
    ['no such session', { session: 'other' }, []],
    ['up to a time', { until: '2025-01-20T21:04:14Z' }, ['ran', 'asked']],
    ['from a time on', { since: Date.parse('2025-01-20T21:04:14Z') }, ['asked', 'denied', 'open']],
  ])('chooses: %s', async (_name, filter, ids) => {
    const { commands } = await readCommands(await manyWays(), filter);
    expect(commands.map(command => command.command)).toEqual(ids);
  });

  test('counts damaged lines and leaves out what they say', async () => {
    const directory = await manyWays();
    const [file] = chainFiles(directory) as [string];
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('"text":"npm ci --ignore-scripts"', '"text":"npm ci --ignore-scriptz"'),
    );
    appendFileSync(file, 'half a li');
    mkdirSync(join(directory, '2020-01-01-beef.jsonl'));
    const { commands, damaged } = await readCommands(directory);
    expect(damaged).toBe(3);
    expect(commands.find(command => command.command === 'asked')).not.toHaveProperty('ranInstead');
  });

  test('nothing that a log says moves a cursor or turns a line around', async () => {
    const directory = logDirectory();
    const log = await openLog(directory);
    const evil = 'ls \x1b[2J\u202Ecod.exe\n\u0007';
    log.command(request('c1')).record('command.requested', request('c1', evil));
    log.command(request('c1')).record('command.refused', { ...REFUSAL, reason: evil });
    const { commands } = await readCommands(directory);
    const shown = [...Object.values(columnsOf(commands[0]!)), ...recordsOf(log.file!).map(lineOf)].join('');
    expect(shown).not.toMatch(/[\x00-\x1f\u202e]/);
    expect(columnsOf(commands[0]!).text).toBe('ls <U+001B>[2J<U+202E>cod.exe<U+000A><U+0007>');
  });

  test('of a very long text the beginning', async () => {
    const directory = logDirectory();
    const log = await openLog(directory);
    await recordCommand(log, request('c1', 'x'.repeat(100_000)));
    const { commands } = await readCommands(directory);
    expect(commands[0]!.text).toBe(`${'x'.repeat(16 * 1024)}…`);
    expect(commands[0]).not.toHaveProperty('ranInstead');
  });

  test.each([
    [340, '340 ms'],
    [8_000, '8 s'],
    [240_000, '4 min'],
    [7_200_000, '2 h'],
  ])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text));
});

describe('audit tail', () => {
  async function collect(
    directory: string,
    count: number,
    from: 'start' | 'end',
    during = async () => {},
  ): Promise<AuditRecord[]> {
    const ended = new AbortController();
    const got: AuditRecord[] = [];
    const collecting = (async () => {
      for await (const record of tailAudit(directory, { signal: ended.signal, from, pollMs: 5 })) {
        got.push(record);
        if (got.length === count) ended.abort();
      }
    })();
    await during();
    await collecting;
    return got;
  }

  test('begins at the end and brings what is written, of new chains as well', async () => {
    const directory = logDirectory();
    const log = await openLog(directory);
    await recordCommand(log, request('before'));
    const got = await collect(directory, 10, 'end', async () => {
      await new Promise(setImmediate);
      await recordCommand(log, request('c1'));
      const other = await openLog(directory);
      await recordCommand(other, request('c2'));
      other.event('session.closed', {});
    });
    expect(got.map(record => record.command).filter(Boolean)).toEqual([...Array(4).fill('c1'), ...Array(4).fill('c2')]);
    expect(got[0]).toEqual(recordsOf(log.file!)[5]);
  });

  test('from the start brings all, and no half of a line', async () => {
    const directory = await manyWays();
    const [file] = chainFiles(directory) as [string];
    appendFileSync(file, '{"half');
    const all = recordsOf(file);
    expect(await collect(directory, all.length, 'start')).toEqual(all);
  });

  test('a line that is still being written comes when it is whole', async () => {
    const directory = await manyWays();
    const [file] = chainFiles(directory) as [string];
    const whole = readFileSync(file, 'utf8');
    const cut = whole.length - 40;
    writeFileSync(file, whole.slice(0, cut));
    const { length } = whole.trimEnd().split('\n');
    const got = await collect(directory, length, 'start', async () => {
      await sleep(30);
      appendFileSync(file, whole.slice(cut));
    });
    expect(got.at(-1)).toEqual(recordsOf(file).at(-1));
  });

  test('ends when it is told to, with nothing to bring', async () => {
    const directory = logDirectory();
    await openLog(directory);
    const ended = new AbortController();
    setTimeout(() => ended.abort(), 20);
    for await (const record of tailAudit(directory, { signal: ended.signal, pollMs: 10_000 })) expect(record).toBe('nothing');
    expect(ended.signal.aborted).toBe(true);
  });
});

test('every genuine record of a directory, chain after chain', async () => {
  const directory = await manyWays();
  const second = await openLog(directory);
  const types: string[] = [];
  for await (const record of auditRecords(directory)) types.push(record.type);
  expect(types.filter(type => type === 'audit.opened')).toHaveLength(2);
  expect(types).toHaveLength(chainFiles(directory).flatMap(recordsOf).length);
  expect(second.failure()).toBeUndefined();
});
