import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { signingKey } from '../../approval/signature.js';
import { terminalApprover } from '../../approval/terminal.js';
import { codeOf, ShellgateError } from '../../contract/error.js';
import { shownId } from '../../contract/question.js';
import { namesBytes } from '../find-question.js';
import { answerNamed, boundTo } from '../give-answer.js';
import type { Waiting } from '../pending-table.js';

export function register(program: Command): void {
  program
    .command('approve')
    .description('allow one command that waits, once')
    .argument('<id>', 'k7qd-3f9a allows exactly those bytes; k7qd shows the question here and asks you')
    .option('--key <file>', 'sign the answer with this Ed25519 key (PEM; - for stdin), where a rule wants the level "keyed"')
    .action((id: string, { key }: { key?: string }) => {
      const signing = key === undefined ? undefined : readKey(key);
      return answerNamed(
        id,
        async waiting =>
          namesBytes(id)
            ? { ...boundTo(waiting.question), outcome: 'approved' }
            : askHere(signing ? withoutLevel(waiting) : waiting, id),
        signing,
      );
    });
}

function readKey(file: string): KeyObject {
  const place = file === '-' ? 'stdin' : file;
  try {
    return signingKey(readFileSync(file === '-' ? process.stdin.fd : file, 'utf8'), place);
  } catch (cause) {
    if (codeOf(cause) !== undefined) throw cause;
    throw new ShellgateError('KEY_UNREADABLE', (cause as Error).message, { cause, place });
  }
}

/** The yes that is asked for here is signed: the question is drawn as one that takes it. */
function withoutLevel({ gate, question }: Waiting): Waiting {
  const { level: _, ...evaluation } = question.evaluation;
  return { gate, question: { ...question, evaluation } };
}

/** The question as the terminal draws it; taken away when it is answered elsewhere meanwhile. */
async function askHere({ gate, question }: Waiting, typed: string) {
  const terminal = terminalApprover();
  if (!terminal.available()) {
    const whole = shownId(question);
    throw new ShellgateError(
      'NO_TERMINAL',
      `${typed} is shown before it is allowed, and there is no terminal; name it whole: ${whole}`,
    );
  }
  const ended = new AbortController();
  const listener = {
    asked: () => {},
    ended: (id: string, sentence: string) => {
      if (id === question.id) ended.abort(sentence);
    },
    gone: () => ended.abort('the gate that asked is gone'),
  };
  await gate.watch(listener);
  const answer = await terminal.request(question, ended.signal);
  return answer.outcome === 'unavailable' ? undefined : answer;
}
