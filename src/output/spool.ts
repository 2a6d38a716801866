import { createHash, type Hash, randomBytes } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Captured } from '../contract/result.js';
import { privateDirectory } from '../platform.js';
import { isLeased, takeLease } from './spool-lease.js';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const PENDING_BYTES = 65_536;
const FREE_CHECK_BYTES = 16 * MIB;
const SCAN_EVERY_MS = 60_000;
const OWN_FILE = /^(\d+-[0-9a-f]{8})(?:-\d+-[\w.-]+\.raw|\.lock)$/;

export interface SpoolOptions {
  /** Made with mode 0700 when the first long output comes. */
  readonly directory: string;
  /** Quota of one command, all its streams together. Default 1 GiB. */
  readonly perCommandBytes?: number;
  /** Quota of the directory. Default 5 GiB. */
  readonly totalBytes?: number;
  /** Space of the file system that output never takes. Default 512 MiB. */
  readonly keepFreeBytes?: number;
  /** Age since the last write after which `sweep` removes a file. Default 7 days. */
  readonly maxAgeMs?: number;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * One stream on disk, raw: what the command wrote, secrets included (P10). No file before the first byte. Nothing here
 * throws: a full disk or a spent quota makes the copy incomplete and the command goes on.
 */
export interface SpoolWriter {
  write(bytes: Uint8Array): void;
  /** Bytes that can be read back; stops growing when the quota is spent. */
  readonly bytes: number;
  /** At most `max` bytes from offset `from`, also while it is written and after its end. Empty past the end. */
  read(from: number, max: number): Uint8Array;
  /** Close the file and say what it holds; undefined when nothing was written. Again: the same answer. */
  end(): Captured['full'];
}

/** The directory of raw output. Other users cannot enter it; other processes of this user share it. */
export interface Spools {
  /** `name` is `<command>.<stream>`: what stands before the last dot shares one quota. */
  open(name: string): SpoolWriter;
  /** Remove expired files of processes that are gone, and our own finished ones. Resolves with their number. */
  sweep(): Promise<number>;
  /** End every writer and give the files up to the next sweep. */
  close(): Promise<void>;
}

/** What all writers of one directory share. */
interface Ledger {
  /** Bytes of these `wanted` that may be written for this command. */
  grant(command: string, wanted: number): number;
  /** Path for a new file. Throws when the directory is unsafe. */
  path(name: string): string;
  opened(writer: SpoolWriter, command: string): void;
  closed(writer: SpoolWriter, command: string): void;
}

export function createSpools(options: SpoolOptions): Spools {
  const { directory, perCommandBytes = GIB, totalBytes = 5 * GIB, keepFreeBytes = 512 * MIB } = options;
  const { maxAgeMs = 7 * 86_400_000, now = Date.now } = options;
  const instance = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const writing = new Set<string>();
  const writers = new Map<SpoolWriter, string>();
  const perCommand = new Map<string, number>();
  let lease: { release(): void } | undefined;
  let used = 0;
  let scannedAt = Number.NEGATIVE_INFINITY;
  let uncheckedBytes = Number.POSITIVE_INFINITY;
  let count = 0;

  function freeEnough(wanted: number): boolean {
    uncheckedBytes += wanted;
    if (uncheckedBytes < FREE_CHECK_BYTES) return true;
    const { bavail, bsize } = statfsSync(directory);
    if (bavail * bsize - wanted < keepFreeBytes) return false;
    uncheckedBytes = 0;
    return true;
  }

  /** Count what the directory holds, and remove what has expired. Files that are not ours are neither. */
  function scan(): number {
    let removed = 0;
    let bytes = 0;
    for (const entry of readdirSync(directory)) {
      const owner = OWN_FILE.exec(entry)?.[1];
      if (owner === undefined) continue;
      const path = join(directory, entry);
      try {
        const stat = lstatSync(path);
        if (!stat.isFile() || stat.uid !== process.getuid?.()) continue;
        const inUse = owner === instance ? writing.has(path) || entry.endsWith('.lock') : isLeased(directory, owner);
        if (!inUse && now() - stat.mtimeMs > maxAgeMs) {
          unlinkSync(path);
          removed += 1;
        } else bytes += stat.size;
      } catch {
        // Another process removed it meanwhile.
      }
    }
    used = bytes;
    scannedAt = now();
    return removed;
  }

  const ledger: Ledger = {
    grant(command, wanted) {
      const own = perCommand.get(command) ?? 0;
      const granted = Math.max(0, Math.min(wanted, perCommandBytes - own, totalBytes - used));
      if (granted === 0 || !freeEnough(granted)) return 0;
      perCommand.set(command, own + granted);
      used += granted;
      return granted;
    },
    path(name) {
      privateDirectory(directory);
      if (now() - scannedAt > SCAN_EVERY_MS) scan();
      lease ??= takeLease(directory, instance);
      count += 1;
      const path = join(directory, `${instance}-${count}-${name.replace(/[^\w.-]/g, '_').slice(0, 100)}.raw`);
      writing.add(path);
      return path;
    },
    opened(writer, command) {
      writers.set(writer, command);
    },
    closed(writer, command) {
      writers.delete(writer);
      writing.delete(writer.end()?.ref ?? '');
      if (![...writers.values()].includes(command)) perCommand.delete(command);
    },
  };

  return {
    open: name => createWriter(name, ledger),
    async sweep() {
      try {
        return scan();
      } catch {
        return 0;
      }
    },
    async close() {
      for (const writer of [...writers.keys()]) writer.end();
      lease?.release();
      lease = undefined;
    },
  };
}

function createWriter(name: string, ledger: Ledger): SpoolWriter {
  const command = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : name;
  let hash: Hash | undefined;
  let pending: Buffer | undefined;
  let pendingBytes = 0;
  let stored = 0;
  let complete = true;
  let file: { readonly path: string; readonly fd: number } | undefined;
  let full: Captured['full'];

  function store(bytes: Uint8Array): void {
    hash ??= createHash('sha256');
    hash.update(bytes);
    for (let at = 0; at < bytes.length; ) at += writeSync(file!.fd, bytes, at, bytes.length - at, stored + at);
    stored += bytes.length;
  }

  function flush(): void {
    if (pendingBytes === 0) return;
    const bytes = pending!.subarray(0, pendingBytes);
    pendingBytes = 0;
    store(bytes);
  }

  const writer: SpoolWriter = {
    get bytes() {
      return stored + pendingBytes;
    },
    write(bytes) {
      // A hole would make every later offset lie: after the first byte that did not fit, nothing more is taken.
      if (!complete || full || bytes.length === 0) return;
      try {
        if (!file) {
          file = openFile(ledger.path(name));
          ledger.opened(writer, command);
        }
        const granted = ledger.grant(command, bytes.length);
        complete = granted === bytes.length;
        const taken = complete ? bytes : bytes.subarray(0, granted);
        if (pendingBytes + taken.length > PENDING_BYTES) flush();
        if (taken.length >= PENDING_BYTES) return store(taken);
        pending ??= Buffer.allocUnsafeSlow(PENDING_BYTES);
        pending.set(taken, pendingBytes);
        pendingBytes += taken.length;
      } catch {
        complete = false;
      }
    },
    read(from, max) {
      if (!file || from >= stored + pendingBytes) return new Uint8Array(0);
      try {
        flush();
        return readPiece(file, { from, max: Math.min(max, stored - from), open: full === undefined });
      } catch {
        return new Uint8Array(0);
      }
    },
    end() {
      if (full || !file) return full;
      try {
        flush();
      } catch {
        complete = false;
      }
      closeSync(file.fd);
      pending = undefined;
      full = { ref: file.path, bytes: stored, sha256: (hash ?? createHash('sha256')).digest('hex'), complete };
      ledger.closed(writer, command);
      return full;
    },
  };
  return writer;
}

function openFile(path: string): { path: string; fd: number } {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return { path, fd: openSync(path, O_RDWR | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600) };
}

function readPiece(file: { path: string; fd: number }, piece: { from: number; max: number; open: boolean }): Uint8Array {
  const bytes = Buffer.allocUnsafe(piece.max);
  const fd = piece.open ? file.fd : openSync(file.path, constants.O_RDONLY);
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, piece.max, piece.from));
  } finally {
    if (!piece.open) closeSync(fd);
  }
}
