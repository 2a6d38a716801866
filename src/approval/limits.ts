import type { Answer } from '../contract/answer.js';
import type { Principal } from '../contract/principal.js';
import type { Question } from '../contract/question.js';
import type { Refusal } from '../contract/result.js';
import type { Clock } from './clock.js';

const REPEAT_MS = 10 * 60_000;
/** More remembered refusals than this are forgotten, the oldest first. */
const REMEMBERED = 1_000;

/** Limits on asking a person (design 7): no repeated question, no further one after so many noes in a row. */
export interface Limits {
  /** The refusal that this question gets unasked, if any. */
  refuse(question: Question): Refusal | undefined;
  /** Learn from how a question ended. Returns true when its principal is paused by it. */
  note(question: Question, answer: Answer | undefined): boolean;
  paused(): Principal[];
  /** Returns false when the principal was not paused. */
  resume(principalId: string): boolean;
}

/** `denialsToPause`: Infinity never pauses. */
export function createLimits(clock: Clock, denialsToPause: number): Limits {
  const denied = new Map<string, { readonly at: number; readonly refusal: Refusal }>();
  const inARow = new Map<string, { readonly principal: Principal; readonly denials: number }>();
  const isPaused = (principalId: string) => (inARow.get(principalId)?.denials ?? 0) >= denialsToPause;
  const keyOf = (question: Question) => {
    const { kind, principal, text } = question.request;
    return JSON.stringify([principal.id, kind, text]);
  };

  return {
    refuse(question) {
      if (isPaused(question.request.principal.id)) return paused(denialsToPause);
      const before = denied.get(keyOf(question));
      if (!before) return undefined;
      if (clock.now() - before.at < REPEAT_MS) return before.refusal;
      denied.delete(keyOf(question));
      return undefined;
    },
    note(question, answer) {
      const { principal } = question.request;
      if (answer?.outcome === 'approved' || answer?.outcome === 'edited') inARow.delete(principal.id);
      // A terminal that went away says nothing about the command.
      if (answer?.outcome !== 'denied' || answer.how === 'closed' || answer.how === 'eof') return false;
      denied.delete(keyOf(question));
      denied.set(keyOf(question), { at: clock.now(), refusal: repeated(answer.feedback) });
      for (const key of denied.keys()) {
        if (denied.size <= REMEMBERED) break;
        denied.delete(key);
      }
      const denials = (inARow.get(principal.id)?.denials ?? 0) + 1;
      inARow.set(principal.id, { principal, denials });
      return denials === denialsToPause;
    },
    paused: () => [...inARow.values()].map(each => each.principal).filter(({ id }) => isPaused(id)),
    resume: principalId => {
      const wasPaused = isPaused(principalId);
      inARow.delete(principalId);
      return wasPaused;
    },
  };
}

function repeated(feedback: string | undefined): Refusal {
  return {
    outcome: 'refused',
    by: 'approver',
    code: 'REPEATED_REQUEST',
    reason: 'a person denied exactly this within the last ten minutes; it was not asked again',
    ...(feedback !== undefined && { feedback }),
  };
}

function paused(denials: number): Refusal {
  return {
    outcome: 'refused',
    by: 'approver',
    code: 'PRINCIPAL_PAUSED',
    reason: `${denials} denials in a row: nothing is asked until a person runs \`shellgate pending --resume\``,
  };
}
