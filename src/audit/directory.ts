import { fsyncSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditHead, AuditRecord } from '../contract/audit.js';
import { ShellgateError } from '../contract/error.js';
import { lastLine, reading } from './lines.js';
import { isGenuine, parseRecord } from './record.js';

/** `2026-11-20-9d02c1aa.jsonl`: the day it was begun, UTC, and the chain. */
export interface ChainName {
  readonly stem: string;
  readonly date: string;
  readonly chain: string;
  readonly file: string;
  readonly path: string;
}

const CHAIN_FILE = /^((\d{4}-\d{2}-\d{2})-([0-9a-z]+))\.jsonl$/;

/**
 * The chain files of a directory, oldest day first. Errors: `AUDIT_MISSING` where there is nothing, `AUDIT_UNREADABLE` where
 * it is no directory or may not be looked at.
 */
export function chainsIn(directory: string): ChainName[] {
  const names = listed(directory).map(file => CHAIN_FILE.exec(file));
  return names
    .flatMap(match => (match ? [chainName(directory, match[2]!, match[3]!)] : []))
    .sort((a, b) => (a.stem < b.stem ? -1 : 1));
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    const options = { cause, place: directory };
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new ShellgateError('AUDIT_MISSING', 'there is no log here; a gate begins one with its first command', options);
    }
    throw new ShellgateError('AUDIT_UNREADABLE', `cannot be read as a log: ${(cause as Error).message}`, options);
  }
}

export function chainName(directory: string, date: string, chain: string): ChainName {
  const stem = `${date}-${chain}`;
  return { stem, date, chain, file: `${stem}.jsonl`, path: join(directory, `${stem}.jsonl`) };
}

/** The last record of a file, if it is whole and genuine. */
export function lastRecord(fd: number): AuditRecord | undefined {
  const last = lastLine(fd);
  const record = last && parseRecord(last.bytes);
  return record && isGenuine(last.bytes, record) ? record : undefined;
}

/** Did its owner end this chain properly, so that another may go on with it? */
export function isClosed(record: AuditRecord): boolean {
  return record.type === 'audit.head' && (record.data as { closed?: unknown } | null)?.closed === true;
}

/** How many other chains one opening names. Each chain is named again by the openings that follow it. */
const MOST_HEADS = 256;

/** A file's time of change is that of the last clock tick before it. */
const TICK_MS = 10;

/** Heads of the other chains that changed since a time, the newest first, and files that have no readable head. */
export function headsSince(directory: string, sinceMs: number, except: string): { heads: AuditHead[]; headless: string[] } {
  const heads: AuditHead[] = [];
  const headless: string[] = [];
  const recent = chainsIn(directory)
    .filter(name => name.chain !== except)
    .map(name => ({ name, changedMs: statSync(name.path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .filter(({ changedMs }) => changedMs >= sinceMs - TICK_MS)
    .sort((a, b) => b.changedMs - a.changedMs)
    .slice(0, MOST_HEADS);
  for (const { name } of recent) {
    const last = readHead(name);
    if (last) heads.push({ chain: last.chain, seq: last.seq, hash: last.hash });
    else headless.push(name.file);
  }
  return { heads, headless };
}

/** The last genuine record of a chain's file; undefined also when the file cannot be read. */
export function readHead(name: ChainName): AuditRecord | undefined {
  try {
    const last = reading(name.path, lastRecord);
    return last?.chain === name.chain ? last : undefined;
  } catch {
    return undefined;
  }
}

/** A new file's name is on disk only when its directory is. */
export function syncDirectory(directory: string): void {
  reading(directory, fsyncSync);
}
