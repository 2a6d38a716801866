import { userInfo } from 'node:os';
import type { Answer, Approver } from '../contract/answer.js';
import type { Principal } from '../contract/principal.js';
import type { Question } from '../contract/question.js';
import { terminalPath } from '../platform.js';
import type { Said } from './prompt/dialog.js';
import { type Ended, type Prompt, showPrompt } from './prompt/prompt.js';
import { openTty, terminalProblem } from './prompt/tty.js';
import { createScreenWriter, type ScreenWriter } from './screen-writer.js';

export interface TerminalOptions {
  /** Default: the controlling terminal (/dev/tty). */
  readonly path?: string;
  /** Holds everybody else's output while a question is on the screen. Pass the one that all output goes through. */
  readonly writer?: ScreenWriter;
  /** Called before a question reads keys, and after: let go of the same terminal meanwhile. */
  readonly onOpen?: () => void;
  readonly onClose?: () => void;
  /** Who sits there. Default: the user that runs this process. */
  readonly person?: Principal;
}

interface Waiting {
  readonly question: Question;
  readonly signal: AbortSignal;
  settle(answer: Answer): void;
}

/**
 * Ask the person at the terminal, one question at a time. It draws and reads on the terminal itself, so that stdin and
 * stdout may carry anything. Without a terminal, or in its background, it is unavailable.
 */
export function terminalApprover(options: TerminalOptions = {}): Approver & { available(): boolean } {
  const { path = terminalPath, writer = createScreenWriter(process.stderr) } = options;
  const waiting: Waiting[] = [];
  let current: Prompt | undefined;
  let isBusy = false;

  async function work(): Promise<void> {
    isBusy = true;
    const screen = await writer.take();
    let { preface } = screen;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      next.settle(await put(next, preface).catch(error => unavailable(`the terminal failed: ${(error as Error).message}`)));
      preface = '';
    }
    isBusy = false;
    screen.release();
  }

  async function put({ question, signal }: Waiting, preface: string): Promise<Answer> {
    if (signal.aborted) return unavailable(String(signal.reason));
    options.onOpen?.();
    const tty = openTty(path);
    try {
      tty.write(preface);
      current = showPrompt(question, { tty, signal, waiting: () => waiting.length });
      return answerOf(await current.said, question);
    } finally {
      current = undefined;
      tty.close();
      options.onClose?.();
    }
  }

  function answerOf(said: Said | Ended, question: Question): Answer {
    if (said.outcome === 'ended') return unavailable(said.sentence);
    const approver = options.person ?? localPerson();
    return {
      ...said,
      questionId: question.id,
      digest: question.evaluation.digest,
      approver,
      channel: 'terminal',
      level: 'same-user',
    };
  }

  return {
    name: 'terminal',
    available: () => terminalProblem(path) === undefined,
    async request(question, signal) {
      const problem = terminalProblem(path);
      if (problem !== undefined) return unavailable(problem);
      return new Promise(resolve => {
        const job: Waiting = { question, signal, settle: resolve };
        waiting.push(job);
        signal.addEventListener('abort', () => leaveQueue(job), { once: true });
        current?.refresh();
        if (!isBusy) void work();
      });
    },
  };

  function leaveQueue(job: Waiting): void {
    const index = waiting.indexOf(job);
    if (index < 0) return;
    waiting.splice(index, 1);
    current?.refresh();
    job.settle(unavailable(String(job.signal.reason)));
  }
}

function unavailable(reason: string): Answer {
  return { outcome: 'unavailable', reason };
}

function localPerson(): Principal {
  const { uid, username } = userInfo();
  return { kind: 'person', id: `uid ${uid}`, label: username };
}
