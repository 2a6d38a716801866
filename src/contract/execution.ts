import type { Analysis } from './analysis.js';
import type { Question } from './question.js';
import type { CommandResult } from './result.js';

export type StreamName = 'stdout' | 'stderr' | 'terminal';

/** A piece of a stream, read by offset. `end: true`: the stream is over and `next` is its length. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly next: number;
  readonly end: boolean;
}

/** How far a running command has got. Output itself is pulled by offset. */
export interface Progress {
  readonly elapsedMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly stdoutLines: number;
  readonly stderrLines: number;
  readonly timeoutMs?: number;
}

/** What a terminal shows. `version` counts changes. */
export interface Screen {
  readonly version: number;
  readonly cols: number;
  readonly rows: number;
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
  readonly alternate: boolean;
}

/** The running side of a command, handed out by the session when it starts. */
export interface Live {
  readonly startedAt: string;
  progress(): Progress;
  output(stream: StreamName, from: number, max: number): Promise<Chunk>;
  screen(): Promise<Screen | undefined>;
  resize(cols: number, rows: number): void;
  /** Type into it. Only gate.ts may call this, with bytes that were judged (P9). Absent: it has no terminal. */
  type?(bytes: Uint8Array): void;
  /** Let it run on outside the turn. Asking twice does nothing. */
  toBackground(): void;
}

export type Status<R = CommandResult> =
  | { readonly phase: 'queued' | 'judging' | 'waiting' }
  | { readonly phase: 'pending'; readonly question: Question }
  | { readonly phase: 'running' | 'background'; readonly progress: Progress }
  /** `progress`: how far it had got at its end; absent when it never started. */
  | { readonly phase: 'finished'; readonly result: R; readonly progress?: Progress };

/** What the gate made of a request so far. Of an edited one: of the text that was judged last. */
export interface Judged {
  readonly analysis?: Analysis;
  /** The text that was judged last: another than was submitted when a person edited it. */
  readonly text?: string;
  /** The last question that was asked about it. Absent: nobody had to be asked. */
  readonly question?: Question;
}

/** One request on its way. `result` settles once and never rejects. */
export interface Execution<R = CommandResult> {
  readonly id: string;
  readonly result: Promise<R>;
  status(): Promise<Status<R>>;
  /** For records of a call; absent where the gate is far away and does not tell. */
  judged?(): Promise<Judged>;
  /** At most `max` bytes from byte `from`. Errors: `OFFSET_INVALID`, also for one past what there is; `STREAM_UNKNOWN`. */
  output(stream: StreamName, from: number, max: number): Promise<Chunk>;
  screen(): Promise<Screen | undefined>;
  /** Of the terminal, from now on and for later commands of the session; nothing where there is none. Errors: `SIZE_INVALID`. */
  resize(cols: number, rows: number): void;
  cancel(reason?: string): void;
  /**
   * Lets it run on with its shell. The session goes on in a fresh one: in the last directory, with what was exported when this
   * started (after a taint: with the session's first environment). Nothing else is kept, and the next result says so.
   */
  toBackground(): void;
  /** `grew to N bytes`, at most ten a second; ends with the command. */
  events(): AsyncIterable<Progress>;
}
