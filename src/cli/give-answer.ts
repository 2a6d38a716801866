import type { KeyObject } from 'node:crypto';
import { userInfo } from 'node:os';
import { oneLine } from '../approval/display.js';
import type { GivenAnswer } from '../approval/open-question.js';
import { signAnswer } from '../approval/signature.js';
import type { GateConnection } from '../approval/socket-client.js';
import { codeOf } from '../contract/error.js';
import type { Accepted, Question } from '../contract/question.js';
import { sessionLabel } from '../contract/request.js';
import { defaultAuditDirectory } from './commands/audit.js';
import { namedQuestion } from './find-question.js';
import { allGates, closeAll } from './gates.js';
import { pastQuestion } from './late-answer.js';
import { EXIT, errorLines } from './messages.js';
import { say, tell } from './output.js';
import type { Waiting } from './pending-table.js';

/** The gate knows neither what was signed with nor that something could be. */
function reasonOf(
  { code, reason }: Extract<Accepted, { accepted: false }>,
  { evaluation }: Question,
  key: KeyObject | undefined,
): string {
  if (code !== 'LEVEL_TOO_LOW' || evaluation.level !== 'keyed') return reason;
  return key === undefined
    ? `${reason}; sign it: --key FILE`
    : 'what signed it is none of the answer_keys that the gate read from config.toml when it started';
}

/** An answer to this question and nothing else. */
export function boundTo(question: Question) {
  return { ...whoAnswers(), questionId: question.id, digest: question.evaluation.digest } as const;
}

/** What the answering side says of itself; channel and level are the gate's to say. */
function whoAnswers() {
  const { username, uid } = userInfo();
  return {
    approver: { kind: 'person', id: `uid ${uid}`, label: username },
    channel: 'socket',
    level: 'same-user',
  } as const;
}

/** Ask the running gates for the question that was named and give it what `decide` says; sets the exit status. */
export async function answerNamed(
  typed: string,
  decide: (waiting: Waiting) => Promise<GivenAnswer | undefined>,
  key?: KeyObject,
): Promise<void> {
  const gates = await allGates();
  try {
    const waiting = await namedQuestion(gates, typed);
    const answer = await decide(waiting);
    if (!answer) return;
    const accepted = await waiting.gate.answer(answer, key && signAnswer(waiting.question, answer, key));
    report(waiting, answer, accepted.accepted ? accepted : { ...accepted, reason: reasonOf(accepted, waiting.question, key) });
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'UNKNOWN_QUESTION' && code !== 'AMBIGUOUS_ID') throw error;
    const late = code === 'UNKNOWN_QUESTION' ? await lateLine(gates, typed) : undefined;
    for (const line of late === undefined ? errorLines(error) : [late]) say(line);
    process.exitCode = EXIT.no;
  } finally {
    closeAll(gates);
  }
}

/**
 * What became of a question that waits no more. The gate that asked it says so itself and records the late answer: a
 * denial, which can do no harm should it still arrive in time. Where that gate is gone, the log tells.
 */
async function lateLine(gates: readonly GateConnection[], typed: string): Promise<string | undefined> {
  const past = await pastQuestion(defaultAuditDirectory(), typed);
  if (!past) return undefined;
  const { id: questionId, digest } = past;
  const answer: GivenAnswer = { ...whoAnswers(), questionId, digest, outcome: 'denied', how: 'answered' };
  for (const gate of gates) {
    const said = await gate.answer(answer).catch(() => undefined);
    if (said?.accepted === false && said.code === 'ALREADY_ANSWERED') return refusedLine(said);
  }
  return `shellgate: ALREADY_ANSWERED ${questionId} was ${past.ending}. Nothing changed.`;
}

/** Screen f: what became of it. A question that is answered already is a no (1), a refused answer a refusal (126). */
function report({ question }: Waiting, answer: GivenAnswer, accepted: Accepted): void {
  if (accepted.accepted) {
    tell(doneLine(question, answer));
    return;
  }
  say(refusedLine(accepted));
  process.exitCode = accepted.code === 'ALREADY_ANSWERED' || accepted.code === 'UNKNOWN_QUESTION' ? EXIT.no : EXIT.refused;
}

export function refusedLine({ code, reason }: Extract<Accepted, { accepted: false }>): string {
  return `shellgate: ${code} ${reason}${code === 'ANSWER_REFUSED' ? '. Recorded.' : ''}`;
}

/** `k7qd allowed once; running in session main.` */
function doneLine({ id, request }: Question, answer: GivenAnswer): string {
  const session = sessionLabel(request.sessionId);
  switch (answer.outcome) {
    case 'denied':
      return answer.feedback
        ? `${id} denied; ${oneLine(request.principal.label)} was told "${answer.feedback}".`
        : `${id} denied.`;
    case 'edited':
      return `${id} edited; the new text is judged in session ${session}.`;
    case 'approved': {
      const how = answer.remember ? (answer.remember.scope === 'session' ? 'for this session' : 'always') : 'once';
      return `${id} allowed ${how}; running in session ${session}.`;
    }
  }
}
