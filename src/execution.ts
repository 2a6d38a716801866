import { setTimeout as delay } from 'node:timers/promises';
import { ShellgateError } from './contract/error.js';
import type { Chunk, Execution, Judged, Live, Progress, Status, StreamName } from './contract/execution.js';
import { sizeSchema } from './contract/gate.js';
import type { Question } from './contract/question.js';
import type { CommandResult, Refusal } from './contract/result.js';
import type { Watch } from './contract/shell.js';
import { wrongInput } from './contract/wrong-input.js';

/** What carries one request through the gate; it reports to the watch and stops at the signal. */
type Pass<R> = (watch: Watch, signal: AbortSignal) => Promise<R | Refusal>;

/** How often `events()` looks, in ms: ten times a second (design 4). */
const EVENT_INTERVAL_MS = 100;

type Phase =
  | { name: 'queued' | 'judging' }
  | { name: 'pending'; question: Question }
  | { name: 'running' | 'background'; live: Live };

/** Set one request on its way. The result settles once and never rejects: a bug on the way is an INTERNAL_ERROR refusal. */
export function startExecution<R = CommandResult>(id: string, pass: Pass<R>, signal?: AbortSignal): Execution<R | Refusal> {
  const abort = new AbortController();
  const onAbort = () => abort.abort(reasonOf(signal?.reason));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });

  let phase: Phase = { name: 'queued' };
  let live: Live | undefined;
  let finished: R | Refusal | undefined;
  let judged: Judged = {};
  const watch: Watch = {
    judging: (analysis, text) => {
      phase = { name: 'judging' };
      judged = { ...judged, analysis, text };
    },
    pending: question => {
      phase = { name: 'pending', question };
      judged = { ...judged, question };
    },
    started: running => {
      live = running;
      phase = { name: 'running', live: running };
    },
  };

  const result = pass(watch, abort.signal)
    .catch((error: unknown): Refusal => {
      const reason = `shellgate failed: ${error instanceof Error ? error.message : String(error)}`;
      return { outcome: 'refused', by: 'session', code: 'INTERNAL_ERROR', reason };
    })
    .then(outcome => {
      finished = outcome;
      signal?.removeEventListener('abort', onAbort);
      return outcome;
    });

  const status = (): Status<R | Refusal> => {
    if (finished) return { phase: 'finished', result: finished, ...(live && { progress: live.progress() }) };
    if (phase.name === 'pending') return { phase: 'pending', question: phase.question };
    if (phase.name === 'running' || phase.name === 'background') return { phase: phase.name, progress: phase.live.progress() };
    return { phase: phase.name };
  };

  return {
    id,
    result,
    status: async () => status(),
    judged: async () => judged,
    output: async (stream: StreamName, from: number, max: number): Promise<Chunk> => {
      requireOffset(stream, { from, max, progress: live?.progress() });
      return live ? live.output(stream, from, max) : { bytes: new Uint8Array(), next: from, end: finished !== undefined };
    },
    screen: async () => live?.screen(),
    resize: (cols, rows) => {
      requireSize(cols, rows);
      live?.resize(cols, rows);
    },
    cancel: reason => abort.abort(reason ?? 'cancelled by its caller'),
    toBackground: () => {
      if (!live) return;
      live.toBackground();
      phase = { name: 'background', live };
    },
    events: () => progressOf(() => live, result),
  };
}

function reasonOf(reason: unknown): string {
  return typeof reason === 'string' ? reason : 'cancelled by its caller';
}

interface Piece {
  readonly from: number;
  readonly max: number;
  /** Absent: it has not started. */
  readonly progress: Progress | undefined;
}

/** A reader that is past the end took a number from somewhere else: it would wait for bytes that are not the next ones. */
function requireOffset(stream: StreamName, { from, max, progress }: Piece): void {
  if (!['stdout', 'stderr', 'terminal'].includes(stream)) {
    throw new ShellgateError('STREAM_UNKNOWN', `there is no stream "${stream}"; read stdout, stderr or terminal`, {
      place: 'stream',
    });
  }
  const bytes = (stream === 'stderr' ? progress?.stderrBytes : progress?.stdoutBytes) ?? 0;
  if (Number.isSafeInteger(from) && from >= 0 && from <= bytes && Number.isSafeInteger(max) && max > 0) return;
  const wrong = from > bytes ? `byte ${from} of ${stream} is past its end` : `no piece begins at ${from} and has ${max} bytes`;
  throw new ShellgateError('OFFSET_INVALID', `${wrong}; ${bytes} bytes are there, read from 0 to ${bytes} and go on at "next"`, {
    place: 'from',
  });
}

function requireSize(cols: number, rows: number): void {
  const parsed = sizeSchema.safeParse({ cols, rows });
  if (parsed.success) return;
  throw new ShellgateError(
    'SIZE_INVALID',
    `a terminal cannot be ${cols} by ${rows}: ${wrongInput(parsed.error, { cols, rows }, []).text}`,
    {
      place: 'size',
    },
  );
}

/** Progress whenever output grew, and once a second even when it did not; ends with the command. */
async function* progressOf(live: () => Live | undefined, result: Promise<unknown>): AsyncGenerator<Progress> {
  const over = new AbortController();
  const ended = result.then(() => over.abort());
  let last: Progress | undefined;
  while (!over.signal.aborted) {
    await delay(EVENT_INTERVAL_MS, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
    const now = live()?.progress();
    if (now && hasGrown(now, last)) {
      last = now;
      yield now;
    }
  }
  await ended;
}

function hasGrown(now: Progress, last: Progress | undefined): boolean {
  if (!last) return true;
  return now.stdoutBytes !== last.stdoutBytes || now.stderrBytes !== last.stderrBytes || now.elapsedMs - last.elapsedMs >= 1_000;
}
