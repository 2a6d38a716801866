import { closeSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecord } from '../contract/audit.js';
import { sessionLabel } from '../contract/request.js';
import { type ChainName, chainsIn } from './directory.js';
import { linesOf, openToRead } from './lines.js';
import { isGenuine, MAX_LINE, parseRecord } from './record.js';
import { type CommandSummary, Summaries } from './summary.js';

export { type CommandColumns, columnsOf, lineOf } from './show.js';
export type { AnswerSummary, CommandSummary, EndSummary } from './summary.js';

export interface CommandFilter {
  /** Its id or its label. */
  readonly session?: string;
  /** Requested at or after, at or before: ISO 8601 or ms. */
  readonly since?: string | number;
  readonly until?: string | number;
  /** `exited`, `refused` … ; `open` for those without a recorded end. */
  readonly outcome?: string;
  /** Only the newest so many. Default 1000. */
  readonly last?: number;
}

/**
 * The commands of a log directory, oldest first, in memory bounded by `last` and the commands still open. `damaged`
 * counts lines that are no genuine records and files that cannot be read: `verifyAudit` says where they are.
 */
export async function readCommands(
  directory: string,
  filter: CommandFilter = {},
): Promise<{ readonly commands: readonly CommandSummary[]; readonly damaged: number }> {
  const { last = 1_000 } = filter;
  const since = filter.since === undefined ? 0 : new Date(filter.since).getTime();
  const summaries = new Summaries();
  let kept: CommandSummary[] = [];
  let damaged = 0;
  const keep = (summary: CommandSummary | undefined): void => {
    if (!summary || !matches(summary, filter)) return;
    kept.push(summary);
    if (kept.length > 2 * last) kept = newest(kept, last);
  };
  for (const name of chainsIn(directory)) {
    if ((statSync(name.path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < since) continue;
    for await (const record of recordsOf(name)) {
      if (record) keep(summaries.take(record));
      else damaged += 1;
    }
  }
  for (const summary of summaries.unfinished()) keep(summary);
  return { commands: newest(kept, last), damaged };
}

function newest(summaries: readonly CommandSummary[], count: number): CommandSummary[] {
  const sorted = summaries.toSorted(byTime);
  return sorted.slice(Math.max(0, sorted.length - count));
}

function matches(summary: CommandSummary, { session, since, until, outcome }: CommandFilter): boolean {
  const time = Date.parse(summary.time);
  return (
    (session === undefined || isSession(summary.session ?? '', session)) &&
    (since === undefined || time >= new Date(since).getTime()) &&
    (until === undefined || time <= new Date(until).getTime()) &&
    (outcome === undefined || (summary.end?.outcome ?? 'open') === outcome)
  );
}

/** By its whole id, or by the label that people know it by. */
const isSession = (id: string, named: string): boolean => id === named || sessionLabel(id) === named;

/**
 * Every genuine record of a directory, chain after chain in the order of their names. A line that is none, and a file that
 * cannot be read, are left out; `onDamaged` counts them.
 */
export async function* auditRecords(directory: string, onDamaged: () => void = () => {}): AsyncGenerator<AuditRecord> {
  for (const name of chainsIn(directory)) {
    for await (const record of recordsOf(name)) {
      if (record) yield record;
      else onDamaged();
    }
  }
}

/** A chain's records; undefined for a line that is none, and once for a file that cannot be read (on). */
async function* recordsOf(name: ChainName): AsyncGenerator<AuditRecord | undefined> {
  let fd: number | undefined;
  try {
    fd = openToRead(name.path);
    for await (const { bytes } of linesOf(fd)) {
      const record = parseRecord(bytes);
      yield record && isGenuine(bytes, record) ? record : undefined;
    }
  } catch {
    yield undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Every record that is appended to any chain of a directory from now on (`from: 'start'`: from the beginning): in the
 * order of each chain, and of those that came since the last look in the order of time. Ends when `signal` aborts. Looks
 * every `pollMs` (default 250): notices of changed files are lost on network file systems. A file that cannot be read is
 * left out; `verifyAudit` says why.
 */
export async function* tailAudit(
  directory: string,
  options: { readonly signal: AbortSignal; readonly from?: 'start' | 'end'; readonly pollMs?: number },
): AsyncGenerator<AuditRecord> {
  const { signal, from = 'end', pollMs = 250 } = options;
  const offsets = new Map<string, number>();
  if (from === 'end') for (const name of chainsIn(directory)) offsets.set(name.stem, sizeOf(name));
  while (!signal.aborted) {
    const news: AuditRecord[] = [];
    for (const name of chainsIn(directory)) {
      const offset = offsets.get(name.stem) ?? 0;
      if (sizeOf(name) > offset) offsets.set(name.stem, await readGrowth(name, offset, news));
    }
    for (const record of news.sort((a, b) => byTime(a, b) || a.seq - b.seq)) {
      yield record;
      if (signal.aborted) return;
    }
    if (news.length === 0) await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Adds the next complete records, at most one block of them a look. Returns where they end. */
async function readGrowth(name: ChainName, offset: number, into: AuditRecord[]): Promise<number> {
  let fd: number | undefined;
  let end = offset;
  try {
    fd = openToRead(name.path);
    for await (const line of linesOf(fd, offset, offset + MAX_LINE)) {
      if (!line.complete) break;
      end = line.to;
      const record = parseRecord(line.bytes);
      if (record) into.push(record);
    }
  } catch {
    return sizeOf(name);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  return end;
}

function byTime(a: { readonly time: string }, b: { readonly time: string }): number {
  return a.time < b.time ? -1 : a.time > b.time ? 1 : 0;
}

const sizeOf = (name: ChainName): number => statSync(name.path, { throwIfNoEntry: false })?.size ?? 0;
