import { userInfo } from 'node:os';
import type { GivenAnswer } from '../approval/open-question.js';
import { codeOf } from '../contract/error.js';
import type { Accepted, Question } from '../contract/question.js';
import { namedQuestion } from './find-question.js';
import { allGates, closeAll } from './gates.js';
import { EXIT, errorLines } from './messages.js';
import { say } from './output.js';
import { sessionLabel, type Waiting } from './pending-table.js';

/** What the answering side says of itself; channel and level are the gate's to say. */
export function boundTo(question: Question) {
  const { username, uid } = userInfo();
  return {
    questionId: question.id,
    digest: question.evaluation.digest,
    approver: { kind: 'person', id: `uid ${uid}`, label: username },
    channel: 'socket',
    level: 'same-user',
  } as const;
}

/** Ask the running gates for the question that was named and give it what `decide` says; sets the exit status. */
export async function answerNamed(typed: string, decide: (waiting: Waiting) => Promise<GivenAnswer | undefined>): Promise<void> {
  const gates = await allGates();
  try {
    const waiting = await namedQuestion(gates, typed);
    const answer = await decide(waiting);
    if (!answer) return;
    report(waiting, answer, await waiting.gate.answer(answer));
  } catch (error) {
    if (!NOTHING_CHANGED.has(codeOf(error) ?? '')) throw error;
    for (const line of errorLines(error)) say(line);
    process.exitCode = EXIT.no;
  } finally {
    closeAll(gates);
  }
}

const NOTHING_CHANGED = new Set(['UNKNOWN_QUESTION', 'AMBIGUOUS_ID']);

/** Screen f: what became of it. A question that is answered already is a no (1), a refused answer a refusal (126). */
function report({ question }: Waiting, answer: GivenAnswer, accepted: Accepted): void {
  if (accepted.accepted) {
    process.stdout.write(`${doneLine(question, answer)}\n`);
    return;
  }
  say(refusedLine(accepted));
  process.exitCode = accepted.code === 'ALREADY_ANSWERED' || accepted.code === 'UNKNOWN_QUESTION' ? EXIT.no : EXIT.refused;
}

export function refusedLine({ code, reason }: Extract<Accepted, { accepted: false }>): string {
  return `shellgate: ${code} ${reason}${code === 'ANSWER_REFUSED' ? '. Recorded.' : ''}`;
}

/** `k7qd allowed once; running in session main.` */
export function doneLine({ id, request }: Question, answer: GivenAnswer): string {
  const session = sessionLabel(request.sessionId);
  switch (answer.outcome) {
    case 'denied':
      return answer.feedback ? `${id} denied; ${request.principal.label} is told "${answer.feedback}".` : `${id} denied.`;
    case 'edited':
      return `${id} edited; the new text is judged in session ${session}.`;
    case 'approved': {
      const how = answer.remember ? (answer.remember.scope === 'session' ? 'for this session' : 'always') : 'once';
      return `${id} allowed ${how}; running in session ${session}.`;
    }
  }
}
