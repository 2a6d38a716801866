import type { Approver } from '../contract/answer.js';
import type { AuditType } from '../contract/audit.js';
import { type ApprovalQueue, type Approvals, type Question, shownId } from '../contract/question.js';
import type { Refusal } from '../contract/result.js';
import { atTime, type Clock, systemClock } from './clock.js';
import { createLimits } from './limits.js';
import { alreadyEnded, foreign, OpenQuestion, type RefusedAnswerListener } from './open-question.js';
import { buildQuestion, newQuestionId } from './question.js';

export interface QueueOptions {
  /** Ways to reach a person; more may be attached later. None: every question is refused at once (`NOBODY_TO_ASK`). */
  readonly approvers: readonly Approver[];
  /** How long a question waits, in ms. Default one hour. */
  readonly expiryMs?: number;
  readonly clock?: Clock;
  /** Denials in a row that pause a principal. Default 3; Infinity: never. */
  readonly denialsToPause?: number;
  /** Questions of one principal that may wait at a time. Default 20. */
  readonly principalLimit?: number;
  /** Told of `answer.refused`, `principal.paused`, `principal.resumed`. Must not throw. */
  readonly onEvent: (type: AuditType, data: unknown) => void;
}

/** Answered questions that a late answer is still told about by name. */
const REMEMBERED = 500;

/**
 * The questions of this process and the clock they run against. `answer` always settles: by the first valid answer of
 * any channel, by expiry, by the caller, or at once when nobody can be reached. Silence is a no.
 */
export function createApprovalQueue(options: QueueOptions): ApprovalQueue & { approvals: Approvals; close(): Promise<void> } {
  const { expiryMs = 3_600_000, clock = systemClock, principalLimit = 20, denialsToPause = 3, onEvent } = options;
  const approvers = new Set(options.approvers);
  const open = new Map<string, OpenQuestion>();
  const ended = new Map<string, { readonly question: string; readonly digest: string; readonly sentence: string }>();
  const limits = createLimits(clock, denialsToPause);
  let closed = false;

  const refusedAnswer: RefusedAnswerListener = (question, answer, { code, reason }) =>
    onEvent('answer.refused', { question: shownId(question), request: question.request.id, code, reason, answer });
  const waiting = () => [...open.values()].filter(each => !each.ended);

  function refuseUnasked(question: Question, signal: AbortSignal): Refusal | undefined {
    if (closed) return cancelled('the gate was closed');
    if (signal.aborted) return cancelled(signal.reason);
    const { principal } = question.request;
    const own = waiting().filter(each => each.question.request.principal.id === principal.id).length;
    return own >= principalLimit ? full(own) : limits.refuse(question);
  }

  const queue: ApprovalQueue = {
    ask(request, state, analysis, facts, evaluation) {
      const id = newQuestionId(taken => open.has(taken) || ended.has(taken));
      return buildQuestion({ id, request, state, analysis, facts, evaluation }, { now: clock.now(), expiryMs });
    },

    async answer(question, signal) {
      const unasked = refuseUnasked(question, signal);
      if (unasked) return unasked;
      const asking = new OpenQuestion(question, clock, refusedAnswer);
      open.set(question.id, asking);
      const stopClock = atTime(clock, Date.parse(question.expiresAt), () => asking.expire());
      const cancel = () => {
        const outcome = cancelled(signal.reason);
        asking.end({ outcome, sentence: `cancelled: ${outcome.reason}` });
      };
      signal.addEventListener('abort', cancel, { once: true });
      for (const approver of approvers) asking.ask(approver);
      asking.checkReachable();
      const ending = await asking.ending;
      stopClock();
      signal.removeEventListener('abort', cancel);
      open.delete(question.id);
      remember(ended, question.id, {
        question: shownId(question),
        digest: question.evaluation.digest,
        sentence: ending.sentence,
      });
      if (limits.note(question, ending.answer)) onEvent('principal.paused', { principal: question.request.principal });
      return ending.outcome;
    },
  };

  const approvals: Approvals = {
    pending: async () => waiting().map(each => each.question),

    async answer(answer) {
      const asking = open.get(answer.questionId);
      if (asking) return asking.offer(answer);
      const before = ended.get(answer.questionId);
      const refused = !before
        ? ({ accepted: false, code: 'UNKNOWN_QUESTION', reason: `no question ${answer.questionId} waits here` } as const)
        : before.digest === answer.digest
          ? alreadyEnded(answer.questionId, before.sentence)
          : foreign(answer, before.question);
      const { code, reason } = refused;
      onEvent('answer.refused', { question: before?.question ?? answer.questionId, code, reason, answer });
      return refused;
    },

    attach(approver) {
      approvers.add(approver);
      for (const asking of waiting()) asking.ask(approver);
      return () => {
        approvers.delete(approver);
        for (const asking of waiting()) asking.drop(approver);
      };
    },

    paused: async () => limits.paused(),

    resume(principalId) {
      if (limits.resume(principalId)) onEvent('principal.resumed', { principal: principalId });
    },
  };

  return {
    ...queue,
    approvals,
    async close() {
      closed = true;
      const outcome = cancelled('the gate was closed');
      for (const asking of waiting()) asking.end({ outcome, sentence: outcome.reason });
    },
  };
}

function remember<T>(ended: Map<string, T>, id: string, ending: T): void {
  ended.set(id, ending);
  const oldest = ended.keys().next();
  if (ended.size > REMEMBERED && !oldest.done) ended.delete(oldest.value);
}

function cancelled(reason: unknown): Refusal {
  const said = typeof reason === 'string' ? reason : 'cancelled before it was answered';
  return { outcome: 'refused', by: 'caller', code: 'CANCELLED', reason: said };
}

function full(count: number): Refusal {
  const reason = `${count} questions of this principal wait for an answer already; wait until one is answered`;
  return { outcome: 'refused', by: 'session', code: 'QUEUE_FULL', reason };
}
