import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify, type TomlTable } from 'smol-toml';
import { ShellgateError } from '../contract/error.js';
import { readOwnFile } from './policy-file.js';

/** How long a writer waits for another one, and when a lock is taken for forgotten. */
const WAIT_MS = 2_000;
const STALE_MS = 10_000;

/**
 * A TOML file that only shellgate writes: read before each change, rewritten whole (temporary file, fsync, rename, fsync
 * of the directory), 0600. Several processes may change it; a lock file keeps them in order. Errors: `FILE_BUSY`,
 * `POLICY_UNREADABLE`, and what the file system says.
 */
export class MachineFile<T> {
  readonly #path: string;
  readonly #header: string;
  readonly #fromTable: (table: TomlTable) => T;
  readonly #toTable: (value: T) => TomlTable;

  constructor(path: string, shape: { header: string; fromTable: (table: TomlTable) => T; toTable: (value: T) => TomlTable }) {
    this.#path = path;
    this.#header = shape.header;
    this.#fromTable = shape.fromTable;
    this.#toTable = shape.toTable;
  }

  /** What the file holds now; undefined where there is none. */
  read(): T | undefined {
    try {
      return this.#fromTable(parse(readOwnFile(this.#path, { writers: 'owner' })));
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof ShellgateError) throw error;
      const message = `cannot be read: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}; move it away to begin anew`;
      throw new ShellgateError('POLICY_UNREADABLE', message, { cause: error, place: this.#path });
    }
  }

  /** Changes what is on disk at that moment, not what was read before. Returns what was written. */
  async change(update: (value: T | undefined) => T): Promise<T> {
    makeDirectory(dirname(this.#path));
    const release = await this.#lock();
    try {
      const value = update(this.read());
      this.#write(`${this.#header}\n${stringify(this.#toTable(value))}`);
      return value;
    } finally {
      release();
    }
  }

  #write(text: string): void {
    const temporary = `${this.#path}.${process.pid}.new`;
    const descriptor = openSync(temporary, 'w', 0o600);
    try {
      chmodSync(temporary, 0o600);
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, this.#path);
    const directory = openSync(dirname(this.#path), 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }

  async #lock(): Promise<() => void> {
    const lock = `${this.#path}.lock`;
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      try {
        closeSync(openSync(lock, 'wx', 0o600));
        return () => rmSync(lock, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      if (ageOf(lock) > STALE_MS) rmSync(lock, { force: true });
      else if (Date.now() > deadline)
        throw new ShellgateError('FILE_BUSY', `another process is writing it; if none is, remove ${lock}`, { place: this.#path });
      else await sleep(20);
    }
  }
}

/** Step by step: a recursive mkdir below a place like /proc never comes back (Node 20). */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function ageOf(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof ShellgateError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
