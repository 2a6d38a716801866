import { z } from 'zod';
import type { Rule } from './policy.js';
import type { Principal } from './principal.js';
import type { Question } from './question.js';
import { commandTextSchema } from './request.js';
import type { Refusal } from './result.js';

/**
 * How sure we are that a person answered. `same-user` is a convenience, not a boundary; `keyed` is a signature by a
 * sealed or other-device key; `separate-user` is the boundary; `unverified` is a host's word for it.
 */
export type Level = 'unverified' | 'same-user' | 'keyed' | 'separate-user';

/** An answer names the question and the digest it was shown; anything else is refused and recorded. */
export interface Answered {
  readonly questionId: string;
  readonly digest: string;
  readonly approver: Principal;
  /** `terminal`, `callback`, `socket`, `elicitation` … */
  readonly channel: string;
  readonly level: Level;
}

export type Remember =
  | { readonly scope: 'session'; readonly rule?: Rule /** As the suggestion's. */; readonly also?: readonly Rule[] }
  | { readonly scope: 'always'; readonly rule: Rule };

export type Approved = Answered & { readonly outcome: 'approved'; readonly remember?: Remember };
export type Edited = Answered & { readonly outcome: 'edited'; readonly text: string };
/**
 * Each way to say no has its own name in the log: `answered` (the no key, a message), `enter`, `escape`, `interrupt`
 * (Ctrl-C), `eof` (Ctrl-D), `closed` (the terminal went away). The last two are nobody's judgement of the command.
 */
export type DeniedHow = 'answered' | 'enter' | 'escape' | 'interrupt' | 'eof' | 'closed';
export type Denied = Answered & {
  readonly outcome: 'denied';
  readonly how: DeniedHow;
  /** A sentence for the model. */
  readonly feedback?: string;
};
/** What the queue makes of a no: the refusal, and for the log who gave it, how and where. */
export type Declined = Refusal & { readonly answer?: Denied };
/** This channel cannot ask anybody. It is not a no; other channels stay open. */
export type Unavailable = { readonly outcome: 'unavailable'; readonly reason: string };

export type Answer = Approved | Edited | Denied | Unavailable;

/**
 * One way to reach a person. Contract: settles at most once; resolves soon after `signal` aborts (the question was
 * answered elsewhere, expired or cancelled; `signal.reason` is a sentence to show). A throw refuses the command.
 */
export interface Approver {
  readonly name: string;
  /** true: a host whose word the user's file trusts. Its `unverified` yes counts: once, at most at medium risk. */
  readonly trusted?: boolean;
  /**
   * false: nobody is there now, though an answer would be carried if somebody came (a socket without a watcher). Such a
   * channel does not keep a question open. Absent: an unsettled `request` means that somebody can answer.
   */
  reachable?(): boolean;
  request(question: Question, signal: AbortSignal): Promise<Answer>;
}

const principalSchema = z.object({
  kind: z.enum(['model', 'person', 'program']),
  id: z.string().min(1),
  label: z.string(),
  client: z.string().optional(),
  model: z.string().optional(),
});
const answered = {
  questionId: z.string(),
  digest: z.string(),
  approver: principalSchema,
  channel: z.string().min(1),
  level: z.enum(['unverified', 'same-user', 'keyed', 'separate-user']),
};
// Only its frame is checked here: whether a rule is one is the policy's to say, when it is asked to remember it.
const rule = z.looseObject({ id: z.string(), decision: z.enum(['allow', 'ask', 'deny']) });
const remember = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('session'), rule: rule.optional(), also: z.array(rule).max(20).optional() }),
  z.object({ scope: z.literal('always'), rule }),
]);

/** What a channel may hand over. Anything else is no answer: a channel that returns it has failed. */
export const answerSchema = z.discriminatedUnion('outcome', [
  z.object({ ...answered, outcome: z.literal('approved'), remember: remember.optional() }),
  z.object({ ...answered, outcome: z.literal('edited'), text: commandTextSchema }),
  z.object({
    ...answered,
    outcome: z.literal('denied'),
    how: z.enum(['answered', 'enter', 'escape', 'interrupt', 'eof', 'closed']),
    feedback: z.string().max(10_000).optional(),
  }),
  z.object({ outcome: z.literal('unavailable'), reason: z.string() }),
]);
