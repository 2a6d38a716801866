import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ShellgateError } from '../../contract/error.js';
import type { CapturePipe } from '../../contract/executor.js';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
/** Memory where the system has it: what goes to a program's stdin shall not reach a disk (P10). */
const MEMORY = '/dev/shm';

export interface StdinPlace {
  /** Private directory, where there is no room in memory. */
  readonly directory: string;
  /** For shells that cannot open what is below `/proc/HOST/fd`: the file keeps its name until its command is over. */
  readonly named: boolean;
}

/**
 * The stdin of a command: a file without a name. Not a pipe, because a program that opens `/dev/stdin` again would wait
 * for a writer that has already left; not a socket, which cannot be opened again at all.
 */
export class StdinFile implements CapturePipe {
  readonly path: string;
  #fd: number;
  #name: string | undefined;

  /** Errors: `STDIN_UNAVAILABLE` with the cause, when there is no room for it. */
  constructor(bytes: Uint8Array, place: StdinPlace) {
    const { fd, name } = place.named ? firstRoom(bytes, [place.directory]) : firstRoom(bytes, [MEMORY, place.directory]);
    this.#fd = fd;
    if (place.named) this.#name = name;
    else unlinkSync(name);
    this.path = this.#name ?? `/proc/${process.pid}/fd/${fd}`;
  }

  /** The shell has a descriptor of its own. */
  opened(): void {
    this.release();
  }

  release(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
    if (this.#name !== undefined) unlinkSync(this.#name);
    this.#name = undefined;
  }
}

type Written = { readonly fd: number; readonly name: string };

function firstRoom(bytes: Uint8Array, [directory, ...others]: readonly string[]): Written {
  try {
    return written(bytes, directory!);
  } catch (cause) {
    if (others.length > 0) return firstRoom(bytes, others);
    const reason = `there is no room for ${bytes.length} bytes of stdin in ${directory} (${(cause as Error).message})`;
    throw new ShellgateError('STDIN_UNAVAILABLE', `${reason}; write them to a file and read that`, { cause });
  }
}

function written(bytes: Uint8Array, directory: string): Written {
  const name = join(directory, `shellgate-stdin-${randomBytes(12).toString('hex')}`);
  const fd = openSync(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at);
    return { fd, name };
  } catch (error) {
    closeSync(fd);
    unlinkSync(name);
    throw error;
  }
}
