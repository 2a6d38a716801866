import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ReadStream } from 'node:tty';
import type { Terminal } from '../../contract/executor.js';
import { hasProc } from '../../platform.js';
import { Feed } from './byte-source.js';
import { launcher } from './launch.js';
import { Share } from './share.js';

/**
 * The two functions of the native part. Its public wrapper is of no use here: it reads the slave (and eats typed input),
 * leaks one descriptor a call and cannot give a shell sockets for its standard streams.
 */
interface NativePty {
  open(cols: number, rows: number): { master: number; slave: number; pty: string };
  resize(master: number, cols: number, rows: number): void;
}

export interface PtySupport {
  readonly available: boolean;
  /** Why not, in one sentence; empty when available. */
  readonly reason: string;
}

let loaded: NativePty | string | undefined;

function load(): NativePty | string {
  if (!hasProc) return 'terminals are only proven where /proc exists';
  if (!launcher().closesAll) return 'no bash was found, and /bin/sh cannot close the descriptors of other terminals';
  try {
    const { requireBinary } = createRequire(import.meta.url)('@lydell/node-pty/requireBinary.js') as {
      requireBinary(file: string): Partial<NativePty>;
    };
    const native = requireBinary('pty.node');
    if (typeof native.open === 'function' && typeof native.resize === 'function') return native as NativePty;
    return 'this version of @lydell/node-pty lacks open or resize; install version 1.1.0';
  } catch (error) {
    return `@lydell/node-pty could not be loaded: ${(error as Error).message.split('\n')[0]}`;
  }
}

/** Can sessions own a terminal here? Loads the native library at the first call. */
export function ptySupport(): PtySupport {
  loaded ??= load();
  return typeof loaded === 'string' ? { available: false, reason: loaded } : { available: true, reason: '' };
}

const RETRY_MS = 5;

/** One terminal: the shell's side is `path`, ours is the master. */
export class Pty implements Terminal {
  readonly path: string;
  /** Bytes read so far. */
  received = 0;
  readonly #native: NativePty;
  readonly #master: number;
  readonly #holder: number;
  readonly #reader: ReadStream;
  readonly #feed = new Feed();
  #typed: Uint8Array[] = [];
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
  #beside: () => boolean = () => false;

  /** Errors: whatever the system says when there is no terminal left to give. */
  constructor(size: { readonly cols: number; readonly rows: number }) {
    loaded ??= load();
    if (typeof loaded === 'string') throw new Error(loaded);
    this.#native = loaded;
    const { master, slave, pty } = loaded.open(size.cols, size.rows);
    this.path = pty;
    this.#master = master;
    // Without a holder the master answers EIO as soon as no program has the terminal open. Node opens close-on-exec.
    this.#holder = openSync(pty, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    closeSync(slave);
    this.#reader = new ReadStream(master);
    const share = new Share(this.#reader, () => !this.#closed && this.#beside());
    this.#reader.on('data', (bytes: Buffer) => {
      share.took(bytes.length);
      this.received += bytes.length;
      this.#feed.push(bytes);
    });
    this.#reader.on('error', () => {});
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#feed.onData(listener);
  }

  onEnd(listener: () => void): void {
    this.#feed.onEnd(listener);
  }

  /** A long output rests between its pieces while another session waits for its shell. */
  restWhile(beside: () => boolean): void {
    this.#beside = beside;
  }

  /** Typed bytes wait in memory while the program does not read: a tty stream would block the whole process instead. */
  write(bytes: Uint8Array): void {
    if (this.#closed || bytes.length === 0) return;
    this.#typed.push(bytes);
    if (!this.#retry) this.#flush();
  }

  resize(cols: number, rows: number): void {
    if (!this.#closed) this.#native.resize(this.#master, cols, rows);
  }

  /** Hangs up whoever still has the terminal. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#typed = [];
    closeSync(this.#holder);
    this.#reader.destroy();
    this.#feed.end();
  }

  #flush(): void {
    this.#retry = undefined;
    while (this.#typed.length > 0) {
      const bytes = this.#typed[0]!;
      let written: number;
      try {
        written = writeSync(this.#master, bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
          this.#typed = [];
          return;
        }
        this.#retry = setTimeout(() => this.#flush(), RETRY_MS);
        return;
      }
      if (written < bytes.length) this.#typed[0] = bytes.subarray(written);
      else this.#typed.shift();
    }
  }
}
