import type { Answer, Approver } from '../contract/answer.js';
import type { Session } from '../contract/gate.js';
import type { Evaluation } from '../contract/policy.js';
import type { Principal } from '../contract/principal.js';
import type { Approvals, Question } from '../contract/question.js';
import type { RunOptions } from '../contract/request.js';

/** What a host is asked about: one call of a tool, as the gate would judge it now. */
export interface HostQuestion {
  readonly sessionId: string;
  /** The SDK's id of the call. */
  readonly toolCallId: string;
  readonly text: string;
  readonly digest: string;
  /** Name of the channel in the log: the SDK. */
  readonly channel: string;
  /** Who asks. */
  readonly principal: Principal;
  /** Who answers in the host's own dialog, as far as the program knows. */
  readonly approver: Principal;
}

/** Calls that are remembered until their answer comes; more are forgotten, the oldest first. */
const REMEMBERED = 1_000;

/**
 * What hosts were asked, and the one channel through which their answers reach the gate. A yes of a host counts for the
 * call it was asked about, once, and only while the gate would show the same digest: a sticky approval, an automatic one
 * or one for something else finds nothing here, and the gate asks elsewhere or refuses.
 */
export class HostApprovals {
  readonly #asked = new Map<string, HostQuestion>();
  readonly #given = new Map<string, HostQuestion>();

  constructor(approvals: Approvals) {
    approvals.attach(this.#approver());
  }

  /** The host is about to show this to a person. */
  asked(question: HostQuestion): void {
    const key = keyOf(question.sessionId, question.toolCallId);
    this.#asked.delete(key);
    this.#asked.set(key, question);
    const oldest = this.#asked.keys().next();
    if (this.#asked.size > REMEMBERED && !oldest.done) this.#asked.delete(oldest.value);
  }

  /** What the host was asked about this call and did not answer yet. */
  find(sessionId: string, toolCallId: string): HostQuestion | undefined {
    return this.#asked.get(keyOf(sessionId, toolCallId));
  }

  /** Everything a session's hosts were asked and that waits for an answer. */
  waiting(sessionId: string): readonly HostQuestion[] {
    return [...this.#asked.values()].filter(question => question.sessionId === sessionId);
  }

  /** The host's person said yes to exactly this. Counts until `withdraw`, once. */
  approved(question: HostQuestion): void {
    const key = keyOf(question.sessionId, question.toolCallId);
    if (this.#asked.get(key) !== question) return;
    this.#asked.delete(key);
    this.#given.set(key, question);
  }

  /**
   * The host's person said no to exactly this. The SDK calls nothing then, so the log would not know: it gets a request that
   * is taken back before it begins, which can never start.
   */
  denied(session: Session, question: HostQuestion, sentence?: string): void {
    const { sessionId, toolCallId, text, principal, approver, channel } = question;
    if (!this.#asked.delete(keyOf(sessionId, toolCallId))) return;
    const reason = `denied by ${approver.label} (${channel})${sentence ? `: ${sentence}` : ''}`;
    session.start(text, { principal, origin: { toolCallId }, signal: AbortSignal.abort(reason) });
  }

  /** The call is over: nothing of it counts any more. */
  withdraw(sessionId: string, toolCallId: string): void {
    const key = keyOf(sessionId, toolCallId);
    this.#asked.delete(key);
    this.#given.delete(key);
  }

  #approver(): Approver {
    return { name: 'sdk-host', request: async question => this.#answer(question) };
  }

  #answer(question: Question): Answer {
    const { sessionId, origin } = question.request;
    const key = keyOf(sessionId, origin?.toolCallId ?? '');
    const given = this.#given.get(key);
    if (!given) return unavailable('the host did not ask its person about this call');
    this.#given.delete(key);
    if (given.digest !== question.evaluation.digest) {
      return unavailable('what was approved in the host is not what would run now; ask again');
    }
    const { digest, approver, channel } = given;
    return { questionId: question.id, digest, approver, channel, level: 'same-user', outcome: 'approved' };
  }
}

const known = new WeakMap<Approvals, HostApprovals>();

/** One memory and one channel for a gate, however many tools are made for its sessions. */
export function hostApprovals({ approvals }: Session): HostApprovals {
  const before = known.get(approvals);
  if (before) return before;
  const made = new HostApprovals(approvals);
  known.set(approvals, made);
  return made;
}

/**
 * What a host should ask a person about, as the gate would judge it now; undefined where it should not: allowed, denied,
 * not to be judged, or wanting a level of approval that a host does not have.
 */
export async function hostShouldAsk(session: Session, text: string, options: RunOptions): Promise<Evaluation | undefined> {
  try {
    const { evaluation } = await session.check(text, options);
    const reachable = evaluation.level === undefined || evaluation.level === 'same-user' || evaluation.level === 'unverified';
    return evaluation.decision === 'ask' && reachable ? evaluation : undefined;
  } catch {
    return undefined; // running it says why, as a result
  }
}

const keyOf = (sessionId: string, toolCallId: string) => JSON.stringify([sessionId, toolCallId]);
const unavailable = (reason: string): Answer => ({ outcome: 'unavailable', reason });
