import type { Analysis } from '../contract/analysis.js';
import type { Execution } from '../contract/execution.js';
import type { Session } from '../contract/gate.js';
import type { RunOptions } from '../contract/request.js';
import type { CommandResult } from '../contract/result.js';
import { observe } from './observe.js';
import type { Ending } from './records/ending.js';
import { type Classification, Narrator } from './records/narrator.js';
import type { Recorder } from './records/recorder.js';
import type { Sessions } from './sessions.js';
import type { CallContext, Fault } from './tool.js';

/** A command of a call that is over. */
export interface Done {
  readonly execution: Execution;
  readonly result: CommandResult;
  readonly ending: Ending;
  readonly narrator: Narrator;
}

/** One on its way. */
export interface Begun {
  readonly execution: Execution;
  readonly narrator: Narrator;
  /** Its end, told in the records once this was called: a call that has something to say before it calls this after it. */
  done(): Promise<Done>;
  /** The host's signal speaks of the call that has answered, no longer of the command. */
  detach(): void;
}

interface Running {
  readonly session: Session;
  readonly execution: Execution;
  readonly narrator: Narrator;
}

export interface TaskOptions {
  readonly sessions: Sessions;
  readonly recorder: Recorder;
  readonly context: CallContext;
  readonly classify: ((analysis: Analysis) => Classification) | undefined;
}

/** One call on its way: runs its command through the gate and has what happens to it recorded. */
export class Task {
  readonly sessions: Sessions;
  readonly recorder: Recorder;
  /** How it ended; undefined before, and for calls that run no command and succeed. */
  ending: Ending | undefined;
  readonly #options: TaskOptions;

  constructor(options: TaskOptions) {
    this.sessions = options.sessions;
    this.recorder = options.recorder;
    this.#options = options;
  }

  /** Run a command to its end. Errors: `REQUEST_INVALID`. */
  async run(session: Session, text: string, options: RunOptions): Promise<Done> {
    const { done } = await this.begin(session, text, options);
    return done();
  }

  /** Resolves when the command runs, or is over. Errors: `REQUEST_INVALID`. */
  async begin(session: Session, text: string, options: RunOptions): Promise<Begun> {
    const { context, recorder, classify } = this.#options;
    const execution = session.start(text, { ...options, ...askedBy(context) });
    recorder.describe({ call_input: { command: text }, runtime_refs: [`session:${session.id}`, `command:${execution.id}`] });
    const narrator = new Narrator({ recorder, classify, text, timeoutMs: options.timeoutMs });
    const detach = this.#cancelBySignal(execution, narrator);
    let over: Promise<void> | undefined;
    await new Promise<void>((begun, failed) => {
      over = observe(execution, (status, judged) => {
        narrator.see(status, judged);
        if (status.phase === 'running' || status.phase === 'background') begun();
      });
      over.finally(detach).then(begun, failed);
    });
    let done: Promise<Done> | undefined;
    return {
      execution,
      narrator,
      detach,
      done: () => {
        done ??= over!.then(() => this.#conclude({ session, execution, narrator }));
        return done;
      },
    };
  }

  /** The call came to nothing. */
  fail(fault: Fault, state: 'validation_failed' | 'failed'): void {
    this.ending = { state, status: 'failed', progress: 'failed', fault };
    this.recorder.move(state);
  }

  async #conclude({ session, execution, narrator }: Running): Promise<Done> {
    const result = await execution.result;
    if (result.outcome === 'refused' && result.code === 'SESSION_CLOSED') this.sessions.forget(session);
    const ending = narrator.over(result, await execution.status(), (await execution.judged?.()) ?? {});
    this.ending = ending;
    return { execution, result, ending, narrator };
  }

  #cancelBySignal(execution: Execution, narrator: Narrator): () => void {
    const { signal } = this.#options.context;
    const onAbort = () => {
      const reason = typeof signal?.reason === 'string' ? signal.reason : 'user_interruption';
      narrator.cancelRequested(reason);
      execution.cancel(reason);
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => signal?.removeEventListener('abort', onAbort);
  }
}

function askedBy({ toolCallId, traceparent, principal }: CallContext): RunOptions {
  const origin = { ...(toolCallId !== undefined && { toolCallId }), ...(traceparent !== undefined && { traceparent }) };
  return { origin, ...(principal && { principal }) };
}
