import { constants, fchmodSync, fstatSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ShellgateError } from '../../contract/error.js';
import { privateDirectory, realLookup } from '../../platform.js';
import { closeQuietly, Pipe } from './pipe.js';
import { runHelper } from './spawn-helper.js';

/** Directories in which pipes have a name for some milliseconds. */
const PREFIX = 'pipes-';
const STALE_MS = 60_000;
const REFILL_BELOW = 6;
const BATCH = 16;
const MOST_KEPT = 64;

/**
 * Nameless FIFOs for the output of commands, one pool per executor. They have a name only for the milliseconds between
 * `mkfifo` and `unlink`, in a directory that no one else can enter.
 */
export class PipePool {
  readonly #directory: string;
  readonly #names: 'none' | 'kept';
  readonly #places: string[] = [];
  #free: Pipe[] = [];
  #filling: Promise<void> | undefined;
  #closed = false;

  /** `kept`: for shells that cannot open what is below `/proc/HOST/fd`. */
  constructor(directory: string, names: 'none' | 'kept' = 'none') {
    this.#directory = directory;
    this.#names = names;
  }

  /** Where the other files of a command may be. */
  get place(): { readonly directory: string; readonly named: boolean } {
    return { directory: this.#directory, named: this.#names === 'kept' };
  }

  /** Start filling, so that the first command need not wait. Errors come at `take`. */
  warm(): void {
    if (this.#free.length < REFILL_BELOW && !this.#closed) this.#fill().catch(() => {});
  }

  /** A pipe nobody else has, if one lies ready. */
  takeReady(): Pipe | undefined {
    for (let pipe = this.#free.pop(); pipe; pipe = this.#free.pop()) {
      if (this.#free.length < REFILL_BELOW) this.warm();
      if (pipe.isUntouched()) return pipe;
      pipe.close();
    }
    return undefined;
  }

  /** A pipe nobody else has. Errors: `PIPES_UNAVAILABLE` with the cause, `EXECUTOR_CLOSED`. */
  async take(): Promise<Pipe> {
    for (;;) {
      const pipe = this.takeReady();
      if (pipe) return pipe;
      if (this.#closed) throw new ShellgateError('EXECUTOR_CLOSED', 'the executor is closed; open a new one');
      await this.#fill();
    }
  }

  /** All or none. Errors: as `take`. */
  async takeSome(count: number): Promise<Pipe[]> {
    const pipes: Pipe[] = [];
    try {
      while (pipes.length < count) pipes.push(this.takeReady() ?? (await this.take()));
      return pipes;
    } catch (error) {
      for (const pipe of pipes) pipe.close();
      throw error;
    }
  }

  /** Give a drained pipe back. The checks cost a few system calls and are done when the result is on its way. */
  giveBack(pipe: Pipe): void {
    setImmediate(() => {
      if (this.#closed || this.#free.length >= MOST_KEPT || !pipe.reusable) pipe.close();
      else if (pipe.recycle()) this.#free.push(pipe);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#filling?.catch(() => {});
    for (const pipe of this.#free) pipe.close();
    this.#free = [];
    for (const place of this.#places) tryTo(() => rmSync(place, { recursive: true }));
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#makeBatch().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #makeBatch(): Promise<void> {
    const mkfifo = ['/usr/bin/mkfifo', '/bin/mkfifo'].find(path => realLookup.isExecutable(path));
    if (!mkfifo) throw new ShellgateError('PIPES_UNAVAILABLE', 'no mkfifo in /usr/bin or /bin; install coreutils');
    const place = await mkdtemp(join(privateDirectory(this.#directory), `${PREFIX}${process.pid}-`));
    const keep = this.#names === 'kept';
    if (keep) this.#places.push(place);
    const names = Array.from({ length: BATCH }, (_, index) => join(place, String(index)));
    try {
      const made = await runHelper([mkfifo, '-m', '600', ...names]);
      if (made.status !== 0) {
        throw new ShellgateError(
          'PIPES_UNAVAILABLE',
          `mkfifo failed in ${this.#directory}: ${made.stderr.trim() || 'no reason given'}`,
        );
      }
      for (const name of names) {
        const pipe = openOwn(name, keep);
        if (pipe) this.#free.push(pipe);
      }
    } finally {
      if (!keep) tryTo(() => rmSync(place, { recursive: true }));
    }
    if (this.#free.length === 0) throw new ShellgateError('PIPES_UNAVAILABLE', `no FIFO made in ${place} was ours`);
  }
}

function openOwn(name: string, keep: boolean): Pipe | undefined {
  const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const stat = fstatSync(fd);
  if (!stat.isFIFO() || stat.uid !== process.getuid?.()) {
    closeQuietly(fd);
    return undefined;
  }
  fchmodSync(fd, 0o600);
  return keep ? new Pipe(fd, name) : new Pipe(fd);
}

/** Remove the directories of hosts that were killed while they made pipes. */
export function sweepPipes(directory: string): void {
  tryTo(() => {
    for (const name of readdirSync(directory)) if (name.startsWith(PREFIX)) tryTo(() => removeStale(join(directory, name)));
  });
}

function removeStale(place: string): void {
  const stat = lstatSync(place);
  const ours = stat.isDirectory() && stat.uid === process.getuid?.();
  const host = Number(/^pipes-(\d+)-/.exec(basename(place))?.[1]);
  if (ours && !isAlive(host) && stat.mtimeMs < Date.now() - STALE_MS) rmSync(place, { recursive: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function tryTo(act: () => void): void {
  try {
    act();
  } catch {
    // it was never made, or is gone
  }
}
