import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, readSync, unlinkSync } from 'node:fs';
import { ShellgateError } from '../contract/error.js';
import { Chain, type ChainFile, type Clock, openToAppend } from './chain.js';
import { claimsIn, dropClaim, isHeldBesides, takeClaim } from './claim.js';
import { type ChainName, chainName, chainsIn, isClosed, lastRecord, readHead, syncDirectory } from './directory.js';
import type { Disk } from './disk.js';
import { lastLine } from './lines.js';

export interface ChainParts {
  readonly disk: Disk;
  readonly clock: Clock;
  /** Told what is wrong with older files of the log. */
  alarm(text: string): void;
}

/** An unfinished last line that was cut off: what a power cut leaves. */
export interface Repair {
  readonly bytes: number;
  readonly sha256: string;
}

/** A chain with the claim it is written under. `release` after its last record. */
export interface OwnedChain {
  readonly chain: Chain;
  readonly name: ChainName;
  /** When it was opened the last time, in ms; 0 for a new chain. */
  readonly openedMs: number;
  readonly repaired?: Repair;
  /** Closes the file and gives the claim back. */
  release(): Promise<void>;
}

/** A chain file of our own. */
export function newChain(directory: string, parts: ChainParts): OwnedChain {
  const date = new Date(parts.clock.now()).toISOString().slice(0, 10);
  const taken = new Set(chainsIn(directory).map(name => name.chain));
  for (let attempt = 0; attempt < 8; attempt++) {
    const name = chainName(directory, date, randomBytes(4).toString('hex'));
    if (taken.has(name.chain) || !takeClaim(directory, name.stem, 0)) continue;
    let fd: number | undefined;
    try {
      fd = openToAppend(name.path, 'new');
      syncDirectory(directory);
      return own(directory, { ...name, fd, size: 0, seq: 0, hash: '' }, parts);
    } catch (error) {
      if (fd !== undefined) {
        closeSync(fd);
        unlinkSync(name.path);
      }
      dropClaim(directory, name.stem, 0);
      throw error;
    }
  }
  throw new ShellgateError('AUDIT_UNAVAILABLE', `no free name for a chain in ${directory}`, { place: directory });
}

/** Today's first chain that was closed properly and nobody else goes on with. */
export function continueToday(directory: string, parts: ChainParts): OwnedChain | undefined {
  const today = new Date(parts.clock.now()).toISOString().slice(0, 10);
  const claimed = new Set(claimsIn(directory).map(claim => claim.stem));
  for (const name of chainsIn(directory)) {
    if (name.date !== today || claimed.has(name.stem)) continue;
    const head = readHead(name);
    const owned = head && isClosed(head) ? goOn(directory, { name, seq: head.seq, hash: head.hash }, parts) : undefined;
    if (owned) return owned;
  }
  return undefined;
}

/** Claim a chain at its head and open it, if it still ends there. A torn last line is cut off. */
export function goOn(
  directory: string,
  at: { readonly name: ChainName; readonly seq: number; readonly hash: string },
  parts: ChainParts,
): OwnedChain | undefined {
  const { name, seq, hash } = at;
  if (!takeClaim(directory, name.stem, seq)) return undefined;
  let fd: number | undefined;
  try {
    if (isHeldBesides(directory, name.stem, seq)) {
      dropClaim(directory, name.stem, seq);
      return undefined;
    }
    fd = openToAppend(name.path, 'existing');
    const wrong = unsafe(fd);
    if (wrong) parts.alarm(`${name.file} ${wrong}; it is not continued`);
    const last = wrong ? undefined : lastRecord(fd);
    if (last?.hash === hash) {
      const torn = cutTornLine(fd);
      const owned = own(directory, { ...name, fd, size: fstatSync(fd).size, seq, hash }, parts);
      const openedMs = (last.data as { openedMs?: unknown } | null)?.openedMs;
      return { ...owned, openedMs: typeof openedMs === 'number' ? openedMs : 0, ...(torn && { repaired: torn }) };
    }
  } catch (error) {
    parts.alarm(`${name.file} cannot be continued: ${(error as Error).message}`);
  }
  if (fd !== undefined) closeSync(fd);
  dropClaim(directory, name.stem, seq);
  return undefined;
}

function own(directory: string, file: ChainFile & ChainName, parts: ChainParts): OwnedChain {
  const chain = new Chain(file, parts.disk, parts.clock);
  const { stem, seq } = file;
  return {
    chain,
    name: file,
    openedMs: 0,
    async release() {
      // A chain that failed keeps its claim: whoever opens the log after this process is gone looks after it.
      if (await chain.close()) dropClaim(directory, stem, seq);
    },
  };
}

function cutTornLine(fd: number): Repair | undefined {
  const { size } = fstatSync(fd);
  const torn = lastLine(fd)?.torn ?? 0;
  if (torn === 0) return undefined;
  const bytes = Buffer.alloc(torn);
  readSync(fd, bytes, 0, torn, size - torn);
  ftruncateSync(fd, size - torn);
  return { bytes: torn, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function unsafe(fd: number): string | undefined {
  const stat = fstatSync(fd);
  if (!stat.isFile()) return 'is not a file';
  if (stat.nlink !== 1) return 'has another name as well';
  if (stat.uid !== process.getuid?.()) return `belongs to uid ${stat.uid}`;
  return (stat.mode & 0o077) === 0 ? undefined : `is open to others (mode ${(stat.mode & 0o777).toString(8)})`;
}
