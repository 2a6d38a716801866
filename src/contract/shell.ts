import type { Analysis, FactsQuery } from './analysis.js';
import type { Approved } from './answer.js';
import type { Live } from './execution.js';
import type { SessionFacts } from './facts.js';
import type { Evaluation } from './policy.js';
import type { Question } from './question.js';
import type { CommandRequest, InputRequest, Request } from './request.js';
import type { CommandResult, InputResult, Refusal } from './result.js';
import type { SessionState } from './session-state.js';

declare const authorized: unique symbol;

/** Why this command may run. Recorded with its start. */
export interface Authority {
  readonly text: string;
  readonly digest: string;
  readonly decision: 'allow' | 'approved';
  readonly approval?: Approved;
}

/** A request that the gate let through. Only gate.ts can make one (P2). */
export interface Authorized {
  readonly [authorized]: true;
  readonly request: Request;
  readonly evaluation: Evaluation;
  readonly authority: Authority;
}

/** Told what happens to a request on its way. Contract: must not throw. */
export interface Watch {
  /** `text`: what is judged; an edit of a person brings another one. */
  judging(analysis: Analysis, text: string): void;
  pending(question: Question): void;
  started(live: Live): void;
}

/**
 * The right to run one thing in a session. Disposing gives the turn back; `start` takes it over and gives it back
 * itself, when the command ends or goes to the background. Disposing after `start` does nothing.
 */
export interface Turn<R = CommandResult> extends Disposable {
  readonly state: SessionState;
  /** One round trip. Contract: never throws; what cannot be told is `known: false`. */
  facts(query: FactsQuery, signal: AbortSignal): Promise<SessionFacts>;
  /** Runs a command to its end, or types an input. Contract: never rejects. A signal's abort cancels the command. */
  start(what: Authorized, watch: Watch, signal: AbortSignal): Promise<R>;
}

/** A session's shell, as only gate.ts receives it. Turns are given one at a time, in order. */
export interface Shell {
  /** A command's turn is the session's; an input's is that of the terminal of the command it is for. */
  turn(request: CommandRequest, signal: AbortSignal): Promise<Turn | Refusal>;
  turn(request: InputRequest, signal: AbortSignal): Promise<Turn<InputResult> | Refusal>;
  turn(request: Request, signal: AbortSignal): Promise<Turn<CommandResult | InputResult> | Refusal>;
}
