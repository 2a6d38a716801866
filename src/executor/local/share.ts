import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';

/** One stream gets no more than this of a round of the event loop: a flood must not keep other sessions waiting. */
const MOST_AT_ONCE = 64 * 1024;
/** A shell that was spoken to so lately is at work, and somebody waits for its answer. */
const AT_WORK_MS = 200;
/**
 * How long a stream that used up its round rests while other shells work. Its writer then sleeps on a full pipe, and
 * both leave the processor to whoever answers: without the rest a `yes` and its reader take two of them.
 */
const REST_MS = 2;

interface Spoken {
  readonly to: object | undefined;
  readonly at: number;
}

const NEVER: Spoken = { to: undefined, at: Number.NEGATIVE_INFINITY };

/** Which of the shells of one executor are at work. */
export class Traffic {
  #last = NEVER;
  /** The last time for a shell that is not the last one. */
  #other = NEVER;

  /** A line goes to this shell. */
  spokenTo(shell: object): void {
    if (this.#last.to !== shell) this.#other = this.#last;
    this.#last = { to: shell, at: performance.now() };
  }

  /** Is a shell beside this one at work? */
  isBeside(shell: object): boolean {
    const { at } = this.#last.to === shell ? this.#other : this.#last;
    return performance.now() - at < AT_WORK_MS;
  }
}

/** Gives a stream its share of the event loop, by back-pressure: what it does not read waits in the pipe. */
export class Share {
  readonly #stream: Readable;
  readonly #beside: () => boolean;
  #thisRound = 0;

  /** `beside`: does somebody else wait for an answer? */
  constructor(stream: Readable, beside: () => boolean) {
    this.#stream = stream;
    this.#beside = beside;
  }

  /** Tell it of each piece that was read. */
  took(bytes: number): void {
    if (this.#thisRound === 0) setImmediate(() => this.#nextRound());
    this.#thisRound += bytes;
    if (this.#thisRound >= MOST_AT_ONCE) this.#stream.pause();
  }

  #nextRound(): void {
    this.#thisRound = 0;
    if (!this.#stream.isPaused()) return;
    if (this.#beside()) setTimeout(() => this.#goOn(), REST_MS);
    else this.#goOn();
  }

  #goOn(): void {
    if (!this.#stream.destroyed) this.#stream.resume();
  }
}
