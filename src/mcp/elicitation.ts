import type { Answer, Approver } from '../contract/answer.js';
import type { Principal } from '../contract/principal.js';
import { type Question, shownId } from '../contract/question.js';
import type { Calls, Said } from './calls.js';
import { formContentSchema } from './elicitation-form.js';

export interface ElicitationOptions {
  readonly calls: Calls;
  /** true: the user's file trusts the program that started us. Its yes counts once, at most at medium risk. */
  readonly trusted: boolean;
  /** Who sits in front of the client, as far as one can know. */
  person(): Principal;
}

/**
 * Ask through the client's own dialog. A host may decline for its user, or accept everything: so a decline is not a no,
 * and a yes counts only where the user's file trusts that program.
 */
export function elicitationApprover({ calls, trusted, person }: ElicitationOptions): Approver {
  return {
    name: 'elicitation',
    trusted,
    async request(question, signal) {
      const call = calls.byExecution(question.request.id);
      if (!call) return unavailable('the call that asked is gone');
      call.question = question;
      call.requests.add(shownId(question));
      const ended = new Promise<Answer>(resolve => {
        const end = () => {
          if (call.question === question) call.question = undefined;
          if (call.carried?.question === question) call.carried = undefined;
          calls.notify();
          resolve(unavailable(String(signal.reason)));
        };
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      });
      calls.notify();
      if (!call.ask || signal.aborted) return unavailable('the client offers no dialog');
      const said = call.ask(question, signal).then(
        heard => answerOf(heard, question, person()),
        (error: Error) => unavailable(`the client's dialog failed: ${error.message}`),
      );
      return Promise.race([said, ended]);
    },
  };
}

/** Without a level of its own: the queue decides whether an unverified yes is enough. */
function answerOf({ action, content }: Said, question: Question, approver: Principal): Answer {
  if (action !== 'accept') return unavailable(`the client ${action === 'decline' ? 'declined' : 'cancelled'} the dialog`);
  const parsed = formContentSchema.safeParse(content);
  if (!parsed.success) return unavailable('the client sent no answer to the dialog');
  const { decision, tell } = parsed.data;
  if (decision === 'later') return unavailable('left open for another terminal');
  const bound = {
    questionId: question.id,
    digest: question.evaluation.digest,
    approver,
    channel: 'elicitation',
    level: 'unverified',
  } as const;
  if (decision === 'once') return { ...bound, outcome: 'approved' };
  return { ...bound, outcome: 'denied', how: 'answered', ...(tell && { feedback: tell }) };
}

const unavailable = (reason: string): Answer => ({ outcome: 'unavailable', reason });
