import type { Analysis } from './analysis.js';
import type { Answer, Approved, Approver, Declined, Edited } from './answer.js';
import type { SessionFacts } from './facts.js';
import type { Evaluation } from './policy.js';
import type { Principal } from './principal.js';
import type { Request } from './request.js';
import type { SessionState } from './session-state.js';

/** Text for a person's eyes: control, bidi, zero-width and confusable characters made visible. Made from the bytes that will run. */
export interface Display {
  readonly text: string;
  /** One sentence per kind of hidden character: `1 hidden character: <U+202E> at 14`. */
  readonly warnings: readonly string[];
}

/** A file the answer relies on. A change before the start asks again (P4). */
export interface ShownFile {
  readonly path: string;
  readonly sha256: string;
}

/** Everything a person needs to answer, and all an answer binds. Plain data: it can be shown elsewhere, days later. */
export interface Question {
  /** Short, four characters, e.g. `k7qd`; people type it. */
  readonly id: string;
  readonly request: Request;
  readonly state: SessionState;
  readonly analysis: Analysis;
  readonly facts: SessionFacts;
  readonly evaluation: Evaluation;
  readonly display: Display;
  readonly files: readonly ShownFile[];
  /** ISO 8601, UTC. */
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** `k7qd-3f9a`: the id with four digits of the digest, so that naming it binds what was asked. */
export const shownId = ({ id, evaluation }: Question): string => `${id}-${evaluation.digest.slice(0, 4)}`;

/** What gate.ts asks through. It owns the clock: `answer` always settles, by expiry at the latest. */
export interface ApprovalQueue {
  ask(request: Request, state: SessionState, analysis: Analysis, facts: SessionFacts, evaluation: Evaluation): Question;
  answer(question: Question, signal: AbortSignal): Promise<Approved | Edited | Declined>;
}

/** What became of an answer that was offered. */
export type Accepted =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      /** `ANSWER_REFUSED`: whoever answers descends from a gated session (a tripwire, not a boundary). */
      readonly code: 'UNKNOWN_QUESTION' | 'ALREADY_ANSWERED' | 'ANSWER_FOREIGN' | 'ANSWER_REFUSED' | 'LEVEL_TOO_LOW';
      readonly reason: string;
    };

/** The public side of the queue: list what waits, answer it, add a way to reach a person. */
export interface Approvals {
  pending(): Promise<readonly Question[]>;
  answer(answer: Exclude<Answer, { outcome: 'unavailable' }>): Promise<Accepted>;
  /** Add a channel; the returned function takes it out again. */
  attach(approver: Approver): () => void;
  /** Principals that are not asked about any more, after so many denials in a row (`denialsToPause`). */
  paused(): Promise<readonly Principal[]>;
  /** Let a principal ask again. */
  resume(principalId: string): void;
}
