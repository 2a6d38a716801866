import { setTimeout as delay } from 'node:timers/promises';
import type { Execution, Status, StreamName } from '../contract/execution.js';
import { shownId } from '../contract/question.js';

/** What a call looks like before its result is there. Each one replaces the last. */
export type RunningView =
  | { readonly status: 'queued' }
  /** A person must answer; `shellgate approve <request>` does, from any terminal. */
  | { readonly status: 'pending'; readonly request: string; readonly note: string }
  | {
      readonly status: 'running';
      /** The end of what was printed so far, at most 4,000 bytes a stream. */
      readonly stdout: string;
      readonly stderr: string;
      readonly bytes: { readonly stdout: number; readonly stderr: number };
      readonly durationMs: number;
    };

/** How often a running command is looked at. */
const LOOK_MS = 150;
/** A view is sent whole each time, so it stays small. */
const TAIL_BYTES = 4_000;

/** Views of an execution whenever there is something new to show; ends with its result. Never rejects. */
export async function* followExecution(execution: Execution): AsyncGenerator<RunningView, void> {
  const over = new AbortController();
  void execution.result.then(() => over.abort());
  let shown: string | undefined;
  while (!over.signal.aborted) {
    await delay(LOOK_MS, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
    if (over.signal.aborted) return;
    const status = await execution.status();
    const news = newsOf(status);
    if (news === undefined || news === shown) continue;
    shown = news;
    const view = await viewOf(execution, status);
    if (view) yield view;
  }
}

/** Changes where a new view is worth sending. */
function newsOf(status: Status): string | undefined {
  switch (status.phase) {
    case 'finished':
      return undefined;
    case 'pending':
      return `pending ${status.question.id}`;
    case 'running':
    case 'background':
      return `running ${status.progress.stdoutBytes} ${status.progress.stderrBytes}`;
    default:
      return 'queued';
  }
}

async function viewOf(execution: Execution, status: Status): Promise<RunningView | undefined> {
  switch (status.phase) {
    case 'finished':
      return undefined;
    case 'pending': {
      const request = shownId(status.question);
      return { status: 'pending', request, note: `waits for a person: shellgate approve ${request}` };
    }
    case 'running':
    case 'background': {
      const { stdoutBytes, stderrBytes, elapsedMs } = status.progress;
      return {
        status: 'running',
        stdout: await tailOf(execution, 'stdout', stdoutBytes),
        stderr: await tailOf(execution, 'stderr', stderrBytes),
        bytes: { stdout: stdoutBytes, stderr: stderrBytes },
        durationMs: Math.round(elapsedMs),
      };
    }
    default:
      return { status: 'queued' };
  }
}

async function tailOf(execution: Execution, stream: StreamName, length: number): Promise<string> {
  if (length === 0) return '';
  const from = Math.max(0, length - TAIL_BYTES);
  const { bytes } = await execution.output(stream, from, TAIL_BYTES);
  let start = 0;
  // A tail that begins inside a character begins after it instead.
  if (from > 0) while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start), { stream: true });
}
