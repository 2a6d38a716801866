import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
const CHUNK = Buffer.allocUnsafeSlow(64 * 1024);
const ONE_BYTE = Buffer.from([0]);

const own = (fd: number): string => `/proc/self/fd/${fd}`;

/** Close a descriptor that may be gone. */
export function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // nothing to close
  }
}

function unlinkQuietly(name: string): void {
  try {
    unlinkSync(name);
  } catch {
    // its directory was swept away
  }
}

/** What a drain came to: everybody has closed it, somebody still has it, or the bound was reached. */
export type Drained = 'ended' | 'held';

/**
 * One FIFO, known by the host's reading end. A shell opens it through the host's `/proc` entry, so that programs can open
 * `/dev/stdout` again, which they cannot where it is a socket. Where there is no such entry it keeps its name until its
 * command is over, and serves one command only: whoever knows the name could have opened it for later.
 */
export class Pipe {
  #read: number;
  #name: string | undefined;

  constructor(read: number, name?: string) {
    this.#read = read;
    this.#name = name;
  }

  get path(): string {
    return this.#name ?? `/proc/${process.pid}/fd/${this.#read}`;
  }

  /** Can it serve another command? */
  get reusable(): boolean {
    return this.#name === undefined;
  }

  /** Nobody has the writing end. Anything else means that a stranger got hold of it while it lay in the pool. */
  isUntouched(): boolean {
    try {
      return readSync(this.#read, CHUNK) === 0;
    } catch {
      return false;
    }
  }

  /** A writing end of the host's own: keeps a reader from seeing an early end. */
  openWriter(): number {
    return openSync(this.#name ?? own(this.#read), O_WRONLY | O_NONBLOCK);
  }

  /** Read without waiting, at most `bound` bytes. Not with the host's own writer open: each EAGAIN is a costly exception. */
  drain(push: (bytes: Uint8Array) => void, bound: number): Drained {
    for (let total = 0; total < bound; ) {
      let bytes: number;
      try {
        bytes = readSync(this.#read, CHUNK);
      } catch {
        return 'held';
      }
      if (bytes === 0) return 'ended';
      push(Buffer.from(CHUNK.subarray(0, bytes)));
      total += bytes;
    }
    return 'held';
  }

  /** A stream that reads from now on. It owns the descriptor; `keep` gives the pipe another one first. */
  stream(): Socket {
    return new Socket({ fd: this.#read, readable: true, writable: false });
  }

  /** Take a second reading end, so that the pipe outlives a stream that closes the first. */
  keep(): void {
    this.#read = openSync(own(this.#read), O_RDONLY | O_NONBLOCK);
  }

  /**
   * Make it fit for another command: true only when nobody else reads it. With our reading end closed, a write that
   * succeeds had a stranger for a reader, who would steal the output of a later command.
   */
  recycle(): boolean {
    let write: number;
    try {
      write = this.openWriter();
    } catch {
      this.close();
      return false;
    }
    closeSync(this.#read);
    this.#read = -1;
    try {
      writeSync(write, ONE_BYTE);
      return false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') return false;
      this.#read = openSync(own(write), O_RDONLY | O_NONBLOCK);
      return true;
    } finally {
      closeSync(write);
    }
  }

  /** The stream has closed the descriptor. */
  forget(): void {
    this.#read = -1;
    this.close();
  }

  close(): void {
    if (this.#name !== undefined) unlinkQuietly(this.#name);
    if (this.#read >= 0) closeQuietly(this.#read);
    this.#read = -1;
  }
}
