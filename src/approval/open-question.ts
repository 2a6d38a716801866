import {
  type Answer,
  type Approved,
  type Approver,
  answerSchema,
  type Declined,
  type Edited,
  type Level,
} from '../contract/answer.js';
import { type Accepted, type Question, shownId } from '../contract/question.js';
import type { Refusal } from '../contract/result.js';
import type { Clock } from './clock.js';

/** How a question ended. */
export interface Ending {
  readonly outcome: Approved | Edited | Declined;
  /** The answer that ended it, when an answer did. */
  readonly answer?: Answer;
  /** What the other channels show: `allowed once by ana (terminal) at 21:04:12`. */
  readonly sentence: string;
}

export type GivenAnswer = Exclude<Answer, { outcome: 'unavailable' }>;
type RefusedAnswer = Extract<Accepted, { accepted: false }>;
/** Called for each answer that does not count. */
export type RefusedAnswerListener = (question: Question, answer: unknown, refused: RefusedAnswer) => void;

const RANK: Readonly<Record<Level, number>> = { unverified: 0, 'same-user': 1, keyed: 2, 'separate-user': 3 };

/**
 * One question while it waits: a race of all channels, the clock and the caller. The first valid answer ends it, once;
 * the other channels are told through their signals. It never rejects.
 */
export class OpenQuestion {
  readonly ending: Promise<Ending>;
  readonly #channels = new Map<Approver, AbortController>();
  readonly #gone: string[] = [];
  #foreign = false;
  #ended: Ending | undefined;
  #resolve!: (ending: Ending) => void;

  constructor(
    readonly question: Question,
    private readonly clock: Clock,
    private readonly onRefused: RefusedAnswerListener,
  ) {
    this.ending = new Promise(resolve => {
      this.#resolve = resolve;
    });
  }

  get ended(): Ending | undefined {
    return this.#ended;
  }

  /** Ask through one more channel. */
  ask(approver: Approver): void {
    if (this.#ended || this.#channels.has(approver)) return;
    const controller = new AbortController();
    this.#channels.set(approver, controller);
    // The async wrapper turns a channel that throws synchronously into a rejection like any other.
    (async () => approver.request(this.question, controller.signal))().then(
      answer => this.#heard(approver, answer),
      (error: unknown) => this.#failed(approver, error),
    );
  }

  /** A channel was taken out. */
  drop(approver: Approver): void {
    this.#channels.get(approver)?.abort('this channel was closed');
    if (this.#channels.delete(approver)) this.#lose(`${approver.name} was closed`);
  }

  /** An answer from anywhere. Counts if it names this question and its digest, first, at a sufficient level. */
  offer(answer: GivenAnswer, approver?: Approver): Accepted {
    // A timer can be late (a laptop that slept), an answer must not profit from it.
    if (this.clock.now() >= Date.parse(this.question.expiresAt)) this.expire();
    const problem = this.#problem(answer, approver);
    if (problem) {
      this.onRefused(this.question, answer, problem);
      return problem;
    }
    this.end({ outcome: outcomeOf(answer), answer, sentence: sentenceOf(answer, this.clock.now()) });
    return { accepted: true };
  }

  end(ending: Ending): void {
    if (this.#ended) return;
    this.#ended = ending;
    for (const controller of this.#channels.values()) controller.abort(ending.sentence);
    this.#channels.clear();
    this.#resolve(ending);
  }

  expire(): void {
    this.#refuse('expiry', 'APPROVAL_EXPIRED', 'nobody answered in time');
  }

  /** Ends the question when no channel is left that could bring an answer. */
  checkReachable(): void {
    if (this.#ended) return;
    for (const approver of this.#channels.keys()) if (approver.reachable?.() ?? true) return;
    if (this.#foreign) this.#refuse('approver', 'ANSWER_FOREIGN', 'the answer was for something else than what was asked');
    else this.#refuse('nobody', 'NOBODY_TO_ASK', ['no one can be asked', this.#gone.join('; ')].filter(Boolean).join(': '));
  }

  #heard(approver: Approver, raw: unknown): void {
    const wasOpen = this.#channels.delete(approver);
    const parsed = answerSchema.safeParse(raw);
    if (!parsed.success) {
      if (wasOpen) this.#failed(approver, new Error('it returned no answer'));
      return;
    }
    const answer = parsed.data as Answer;
    if (answer.outcome === 'unavailable') {
      if (wasOpen) this.#lose(answer.reason);
      return;
    }
    const accepted = this.offer(answer, approver);
    if (accepted.accepted || !wasOpen) return;
    if (accepted.code === 'ANSWER_FOREIGN') this.#foreign = true;
    this.#lose(accepted.reason);
  }

  #failed(approver: Approver, error: unknown): void {
    if (this.#ended) return; // a channel that is told to stop may say so with an error
    const message = error instanceof Error ? error.message : String(error);
    this.#refuse('approver', 'APPROVER_FAILED', `the approver ${approver.name} failed: ${message}`);
  }

  #lose(reason: string): void {
    this.#gone.push(reason);
    this.checkReachable();
  }

  #refuse(by: Refusal['by'], code: Refusal['code'], reason: string): void {
    this.end({ outcome: { outcome: 'refused', by, code, reason }, sentence: reason });
  }

  #problem(answer: GivenAnswer, approver: Approver | undefined): RefusedAnswer | undefined {
    const { question } = this;
    if (answer.questionId !== question.id || answer.digest !== question.evaluation.digest) {
      return foreign(answer, shownId(question));
    }
    if (this.#ended) return alreadyEnded(question.id, this.#ended.sentence);
    const reason = levelProblem(question, answer, approver);
    return reason === undefined ? undefined : { accepted: false, code: 'LEVEL_TOO_LOW', reason };
  }
}

export function foreign(answer: GivenAnswer, asked: string): RefusedAnswer {
  const named = `${answer.questionId}-${answer.digest.slice(0, 4)}`;
  return { accepted: false, code: 'ANSWER_FOREIGN', reason: `the answer names ${named}, what was asked is ${asked}` };
}

export function alreadyEnded(id: string, sentence: string): RefusedAnswer {
  return { accepted: false, code: 'ALREADY_ANSWERED', reason: `${id} was ${sentence}. Nothing changed.` };
}

/** A no counts at any level; a yes or an edit needs what the policy asks for, and at least the same user. */
function levelProblem(question: Question, answer: GivenAnswer, approver: Approver | undefined): string | undefined {
  if (answer.outcome === 'denied') return undefined;
  const { level, risk } = question.evaluation;
  const remembers = answer.outcome === 'approved' && answer.remember !== undefined;
  const hostsWord =
    approver?.trusted === true && answer.level === 'unverified' && risk !== 'high' && !remembers && level === undefined;
  const needed = RANK[level ?? 'same-user'] > RANK['same-user'] ? level! : 'same-user';
  if (hostsWord || RANK[answer.level] >= RANK[needed]) return undefined;
  return `this question needs an answer at level ${needed}; this one is ${answer.level}`;
}

function outcomeOf(answer: GivenAnswer): Approved | Edited | Declined {
  if (answer.outcome !== 'denied') return answer;
  return {
    outcome: 'refused',
    by: 'approver',
    code: 'APPROVAL_DENIED',
    reason: DENIED[answer.how],
    ...(answer.feedback !== undefined && { feedback: answer.feedback }),
    answer,
  };
}

const byAPerson = 'denied by a person';
const DENIED: Readonly<Record<Extract<Answer, { outcome: 'denied' }>['how'], string>> = {
  answered: byAPerson,
  enter: byAPerson,
  escape: byAPerson,
  interrupt: byAPerson,
  eof: 'the input of the terminal ended before anyone said yes',
  closed: 'the terminal was closed before anyone answered',
};

function sentenceOf(answer: GivenAnswer, now: number): string {
  const what =
    answer.outcome === 'denied'
      ? 'denied'
      : answer.outcome === 'edited'
        ? 'edited'
        : answer.remember
          ? `allowed, remembered ${answer.remember.scope === 'session' ? 'for the session' : 'always'},`
          : 'allowed once';
  const time = new Date(now).toTimeString().slice(0, 8);
  return `${what} by ${answer.approver.label} (${answer.channel}) at ${time}`;
}
