import type { Answer, Answered, Approver, Remember } from '../contract/answer.js';
import type { Principal } from '../contract/principal.js';
import type { Question } from '../contract/question.js';

/** What a program says to a question. It binds to that question by itself: no id or digest to copy. */
export type Reply =
  | 'approved'
  | 'denied'
  | { readonly outcome: 'approved'; readonly remember?: Remember }
  | { readonly outcome: 'denied'; readonly feedback?: string }
  | { readonly outcome: 'edited'; readonly text: string }
  | { readonly outcome: 'unavailable'; readonly reason: string };

export interface CallbackOptions {
  /** Channel name in the log. Default `callback`. */
  readonly name?: string;
  /** Who answers. Default: a program called like the channel. */
  readonly approver?: Principal;
}

/**
 * Answer questions from code (a test, a chat bot, an SDK's own approval). `decide` may take its time; when the question
 * ends elsewhere, `signal` aborts with a sentence that says how. A throw refuses the command (`APPROVER_FAILED`), and so
 * does anything returned that is no Reply.
 */
export function callbackApprover(
  decide: (question: Question, signal: AbortSignal) => Reply | Promise<Reply>,
  options: CallbackOptions = {},
): Approver {
  const { name = 'callback', approver = { kind: 'program', id: name, label: name } } = options;
  return {
    name,
    request: (question, signal) =>
      new Promise((resolve, reject) => {
        const told = () => resolve({ outcome: 'unavailable', reason: String(signal.reason) });
        if (signal.aborted) return told();
        signal.addEventListener('abort', told, { once: true });
        const bound: Answered = {
          questionId: question.id,
          digest: question.evaluation.digest,
          approver,
          channel: name,
          level: 'same-user',
        };
        (async () => decide(question, signal))()
          .then(reply => bind(reply, bound))
          .then(resolve, reject)
          .finally(() => signal.removeEventListener('abort', told));
      }),
  };
}

function bind(reply: Reply, bound: Answered): Answer {
  if (reply === 'approved') return { ...bound, outcome: 'approved' };
  if (reply === 'denied') return { ...bound, outcome: 'denied', how: 'answered' };
  if (reply.outcome === 'denied') return { ...reply, ...bound, how: 'answered' };
  return reply.outcome === 'unavailable' ? reply : { ...reply, ...bound };
}
