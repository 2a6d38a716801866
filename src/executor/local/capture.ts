import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { ByteSource, CapturePair, CapturePipe } from '../../contract/executor.js';
import { Feed } from './byte-source.js';
import type { Pipe } from './pipe.js';
import type { PipePool } from './pipe-pool.js';
import { Share } from './share.js';
import type { StdinFile } from './stdin-file.js';

/** A command that ends sooner is read in one go at its end; most do. */
const STREAM_AFTER_MS = 2;
/**
 * Everything written before the report is in the pipe already: 64 KiB, or as much as an unprivileged program may have
 * enlarged it to. The bound is for a background `yes`, which would never let the loop end.
 */
const MOST_IN_PIPE = 1024 * 1024;

type Name = 'out' | 'err';
type Late = (stream: Name, bytes: Uint8Array) => void;

interface Surroundings {
  readonly pool: PipePool;
  /** Does another session wait for its shell? */
  readonly beside: () => boolean;
}

/** One of the two outputs: pooled pipe, stream once it takes long, late output once the command is over. */
class Outlet extends Feed implements CapturePipe {
  readonly path: string;
  readonly #name: Name;
  readonly #pipe: Pipe;
  readonly #pool: PipePool;
  readonly #beside: () => boolean;
  #socket: Socket | undefined;
  #writer = -1;
  #late: Late | undefined;
  whenLateEnds: () => void = () => {};
  done = false;

  constructor(name: Name, pipe: Pipe, { pool, beside }: Surroundings) {
    super();
    this.#beside = beside;
    this.#name = name;
    this.#pipe = pipe;
    this.#pool = pool;
    this.path = pipe.path;
  }

  stream(): void {
    if (this.done || this.#socket) return;
    this.#writer = this.#pipe.openWriter();
    this.#attach();
  }

  finish(late: Late): 'ended' | 'held' {
    if (this.done) return 'ended';
    this.#closeWriter();
    // What a stream that was held back has read already comes before what is still in the pipe.
    if (this.#socket?.isPaused()) while (this.#socket.read() !== null);
    const state = this.#pipe.drain(bytes => this.push(bytes), MOST_IN_PIPE);
    if (state === 'ended') {
      this.#giveBack();
      return state;
    }
    this.#late = late;
    if (!this.#socket) this.#attach();
    return state;
  }

  release(): void {
    if (this.done) return;
    this.done = true;
    this.#closeWriter();
    if (this.#socket) {
      this.#socket.destroy();
      this.#pipe.forget();
    } else this.#pipe.close();
    this.end();
  }

  #attach(): void {
    const socket = this.#pipe.stream();
    this.#socket = socket;
    const share = new Share(socket, () => !this.done && this.#beside());
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      if (this.done) return;
      share.took(bytes.length);
      if (this.#late) this.#late(this.#name, bytes);
      else this.push(bytes);
    });
    // Before `finish` our own writer keeps the end away: an end is always the last background writer leaving.
    socket.on('end', () => {
      if (this.done) return;
      this.release();
      this.whenLateEnds();
    });
  }

  #giveBack(): void {
    this.done = true;
    if (this.#socket && !this.#pipe.reusable) {
      this.#socket.destroy();
      this.#pipe.forget();
    } else if (this.#socket) {
      this.#pipe.keep();
      this.#socket.once('close', () => this.#pool.giveBack(this.#pipe));
      this.#socket.destroy();
    } else this.#pool.giveBack(this.#pipe);
    this.end();
  }

  #closeWriter(): void {
    if (this.#writer >= 0) closeSync(this.#writer);
    this.#writer = -1;
  }
}

export interface CaptureOptions {
  readonly stdin?: StdinFile;
  /** Called once nothing of it is open any more. */
  readonly settled: () => void;
  /** Does another session wait for its shell? A long output then rests between its pieces. Default: never. */
  readonly beside?: () => boolean;
}

/** The private pipes of one captured command. */
export class Capture implements CapturePair {
  readonly out: CapturePipe & ByteSource;
  readonly err: CapturePipe & ByteSource;
  readonly in?: CapturePipe & { opened(): void };
  readonly #outlets: readonly [Outlet, Outlet];
  readonly #stdin: StdinFile | undefined;
  readonly #since = performance.now();
  readonly #settled: () => void;
  #timer: NodeJS.Timeout;

  constructor(pool: PipePool, pipes: { out: Pipe; err: Pipe }, { stdin, settled, beside = () => false }: CaptureOptions) {
    this.#settled = settled;
    const out = new Outlet('out', pipes.out, { pool, beside });
    const err = new Outlet('err', pipes.err, { pool, beside });
    this.#outlets = [out, err];
    const ended = (): void => {
      if (out.done && err.done) this.#settled();
    };
    out.whenLateEnds = ended;
    err.whenLateEnds = ended;
    this.out = out;
    this.err = err;
    if (stdin) {
      this.#stdin = stdin;
      this.in = stdin;
    }
    this.#timer = setTimeout(() => this.#stream(), STREAM_AFTER_MS);
  }

  async finish(late: Late): Promise<{ readonly held: readonly Name[] }> {
    clearTimeout(this.#timer);
    this.#stdin?.release();
    const [out, err] = this.#outlets;
    const held: Name[] = [];
    if (out.finish(late) === 'held') held.push('out');
    if (err.finish(late) === 'held') held.push('err');
    if (held.length === 0) this.#settled();
    return { held };
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#stdin?.release();
    for (const outlet of this.#outlets) outlet.release();
    this.#settled();
  }

  // After a busy tick timers fire too early, and a stream costs more than all the rest of a short command.
  #stream(): void {
    const left = STREAM_AFTER_MS - (performance.now() - this.#since);
    if (left > 0.2) {
      this.#timer = setTimeout(() => this.#stream(), left);
      return;
    }
    for (const outlet of this.#outlets) outlet.stream();
  }
}
