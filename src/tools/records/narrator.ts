import type { Analysis } from '../../contract/analysis.js';
import type { Judged, Progress, Status } from '../../contract/execution.js';
import type { CommandResult } from '../../contract/result.js';
import { allowed, asked, denied } from './decisions.js';
import { type Ending, endingOf } from './ending.js';
import type { Fields, Recorder } from './recorder.js';
import type { ProgressStatus } from './vocabulary.js';

/** What kind of command it is (S2-08): a description, never a permission. */
export interface Classification {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly concurrencySafe: boolean;
  readonly reasons: readonly string[];
}

export interface NarratorOptions {
  readonly recorder: Recorder;
  /** As submitted. */
  readonly text: string;
  readonly timeoutMs: number | undefined;
  readonly classify: ((analysis: Analysis) => Classification) | undefined;
}

/** A progress record at least so often while nothing is printed. */
const QUIET_MS = 1_000;
const NOTHING: Progress = { elapsedMs: 0, stdoutBytes: 0, stderrBytes: 0, stdoutLines: 0, stderrLines: 0 };

/**
 * Tells one command's way as records, in the standard's order, from looking at it now and then. What passed between two
 * looks is told when its end is known, so every record that belongs is there.
 */
export class Narrator {
  readonly #recorder: Recorder;
  readonly #options: NarratorOptions;
  readonly #questions = new Set<string>();
  #last: Progress | undefined;
  #taskId: string | undefined;
  #isDecided = false;
  #cancellation: Fields | undefined;

  constructor(options: NarratorOptions) {
    this.#recorder = options.recorder;
    this.#options = options;
    this.#progress('queued', NOTHING);
  }

  /** Facts of a cancellation, each with its time (S2-10). */
  get cancellation(): Fields | undefined {
    return this.#cancellation;
  }

  see(status: Status, judged: Judged): void {
    if (status.phase === 'pending') {
      if (this.#ask(status)) this.#progress('waiting_for_permission', NOTHING);
      return;
    }
    if (status.phase !== 'running' && status.phase !== 'background') return;
    const { progress } = status;
    const before = this.#last;
    this.#ask(judged);
    this.#allow(judged);
    this.#running();
    if (!before) this.#progress('started', progress);
    else if (hasGrown(progress, before)) this.#progress('running', progress);
  }

  cancelRequested(reason: string): void {
    this.#cancellation ??= { cancel_requested: new Date().toISOString(), abort_reason: reason };
    this.#recorder.describe({ cancellation: this.#cancellation });
  }

  /** The command goes on after the call has answered. */
  yielded(taskId: string, judged: Judged): void {
    this.#taskId = taskId;
    this.#ask(judged);
    this.#classify(judged);
    this.#allow(judged);
    this.#running();
    this.#recorder.move('yielded', { task_id: taskId });
    this.#progress('backgrounded', this.#last ?? NOTHING);
    this.#recorder.rest();
  }

  over(result: CommandResult, status: Status, judged: Judged): Ending {
    const ending = endingOf(result);
    this.#classify(judged);
    this.#ask(judged);
    const counted = status.phase === 'finished' ? status.progress : undefined;
    if (result.outcome === 'refused') denied(this.#recorder, result);
    else {
      this.#allow(judged);
      this.#running();
      if (!this.#last) this.#progress('started', NOTHING);
      this.#edited(result.ranInstead);
    }
    if (ending.state === 'canceled') this.#canceled();
    this.#recorder.move(ending.state);
    const code = result.outcome === 'exited' ? { exit_code: result.exitCode } : {};
    const elapsed = result.outcome === 'refused' ? {} : { elapsedMs: result.durationMs };
    this.#progress(ending.progress, { ...(counted ?? NOTHING), ...elapsed }, code);
    return ending;
  }

  #ask({ question }: Judged): boolean {
    if (!question || this.#questions.has(question.id)) return false;
    this.#questions.add(question.id);
    this.#recorder.move('awaiting_approval', { question_id: question.id, expires_at: question.expiresAt });
    asked(this.#recorder, question);
    return true;
  }

  #allow(judged: Judged): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    allowed(this.#recorder, judged, this.#options.text);
  }

  #running(): void {
    if (this.#recorder.since('running') !== undefined) return;
    this.#recorder.move('approved', { behavior: 'allow' });
    this.#recorder.move('queued');
    this.#recorder.move('running');
  }

  #edited(ranInstead: string | undefined): void {
    if (ranInstead === undefined) return;
    this.#recorder.describe({ call_input: { command: ranInstead } });
    this.#recorder.mutated('permission_prompt', {
      from_input_ref: 'model_input',
      to_input_ref: 'call_input',
      changed_fields: ['command'],
      reason: 'a person edited the command',
    });
  }

  #canceled(): void {
    this.cancelRequested('user_interruption');
    this.#cancellation = { ...this.#cancellation, cancel_acknowledged: true, canceled: new Date().toISOString() };
    this.#recorder.describe({ cancellation: this.#cancellation });
  }

  #classify({ analysis }: Judged): void {
    const kind = analysis && this.#kindOf(analysis);
    if (!kind) return;
    const { readOnly, destructive, concurrencySafe, reasons } = kind;
    const flags = { is_read_only: readOnly, is_destructive: destructive, is_concurrency_safe: concurrencySafe };
    this.#recorder.describe({ classification: { ...flags, reasons } });
  }

  /** A host's own classifier may fail; the command goes on, its records say nothing of its kind. */
  #kindOf(analysis: Analysis): Classification | undefined {
    try {
      return this.#options.classify?.(analysis);
    } catch {
      return undefined;
    }
  }

  #progress(status: ProgressStatus, progress: Progress, more: Fields = {}): void {
    if (status === 'started' || status === 'running') this.#last = progress;
    this.#recorder.progress(status, {
      elapsed_ms: Math.round(progress.elapsedMs),
      stdout_bytes: progress.stdoutBytes,
      stderr_bytes: progress.stderrBytes,
      stdout_lines: progress.stdoutLines,
      stderr_lines: progress.stderrLines,
      timeout_ms: this.#options.timeoutMs ?? null,
      ...(this.#taskId !== undefined && { task_id: this.#taskId }),
      ...more,
    });
  }
}

function hasGrown(now: Progress, last: Progress): boolean {
  if (now.stdoutBytes !== last.stdoutBytes || now.stderrBytes !== last.stderrBytes) return true;
  return now.elapsedMs - last.elapsedMs >= QUIET_MS;
}
