import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { Session } from '../../contract/gate.js';
import { nearest } from '../../contract/nearest.js';
import type { Principal } from '../../contract/principal.js';
import type { CommandResult } from '../../contract/result.js';
import { visible } from '../../contract/visible.js';
import { createGate, type LocalGate } from '../../create-gate.js';
import { approversFor } from '../approvers.js';
import { bannerLines } from '../banner.js';
import { follow } from '../follow.js';
import { exitStatus, resultLines, seconds } from '../messages.js';
import { type CommonFlags, gateOptions, withRunOptions } from '../options.js';
import { stdinLines } from '../request-lines.js';
import { createScreenOutput, type ScreenOutput } from '../screen-output.js';
import { onInterrupt } from '../signals.js';
import { answerSocket } from '../user-config.js';

/** What is typed stands for an assistant's request, so that a person sees what an assistant would meet. */
const principal: Principal = { kind: 'model', id: 'terminal', label: 'you, as the assistant' };

interface Conversation {
  readonly session: Session;
  readonly output: ScreenOutput;
  readonly tally: Tally;
  /** Requests that a person was asked about. */
  readonly asked: ReadonlySet<string>;
  /** Told to end, not only to cancel what runs. */
  readonly over: AbortController;
}

interface Tally {
  commands: number;
  ran: number;
  asked: number;
  refused: number;
}

export function register(program: Command): void {
  // Words that are no command come here, so that they can be named.
  withRunOptions(program)
    .allowExcessArguments()
    .action(async (flags: CommonFlags, command: Command) => {
      if (command.args.length > 0) command.error(unknownCommand(command.args[0]!, command));
      const output = createScreenOutput(process.stdin.isTTY === true && process.stdout.isTTY === true);
      const asked = new Set<string>();
      await using gate = await createGate({
        ...gateOptions(flags),
        approver: approversFor(flags, output.writer, asked),
        answerSocket: answerSocket('shellgate'),
        denialsToPause: Number.POSITIVE_INFINITY,
      });
      await using session = await gate.openSession({ label: 'main', mode: flags.stateless ? 'stateless' : 'persistent' });
      const tally = { commands: 0, ran: 0, asked: 0, refused: 0 };
      const conversation: Conversation = { session, output, tally, asked, over: new AbortController() };
      if (output.interactive) for (const line of bannerLines(gate.about)) output.line(line);
      process.exitCode = output.interactive ? await converse(conversation) : await runLines(conversation);
      if (output.interactive) output.line(await summary(conversation.tally, gate));
    });
}

function unknownCommand(word: string, { commands }: Command): string {
  const names = commands.map(each => each.name());
  const near = nearest(word, names);
  return `error: unknown command '${word}'${near === undefined ? '' : `; did you mean ${near}?`}`;
}

async function converse(conversation: Conversation): Promise<number> {
  const { session, output } = conversation;
  const history: string[] = [];
  let status = 0;
  for (;;) {
    const line = await readLine(`${visible(basename(session.cwd ?? '/') || '/')} ❯ `, history);
    if (line === undefined || line.trim() === 'exit') return status;
    if (line.trim() === '') continue;
    const result = await runOne(conversation, line);
    status = exitStatus(result);
    if (conversation.over.signal.aborted) return status;
    if (result.outcome === 'exited' && result.exitCode !== 0) output.line(`exit ${result.exitCode}`);
    if (result.outcome !== 'refused' && result.shell === 'ended') {
      output.line('the shell ended; the next command starts a fresh one in the same directory');
    }
  }
}

/** One line from the person; undefined at the end of input. Ctrl-C drops the line and asks for another. */
function readLine(prompt: string, history: string[]): Promise<string | undefined> {
  const terminal = createInterface({
    input: process.stdin,
    output: process.stdout,
    history,
    historySize: 1_000,
    removeHistoryDuplicates: true,
  });
  return new Promise(resolve => {
    let answer: string | undefined;
    const settle = (line: string) => {
      answer = line;
      terminal.close();
    };
    terminal.on('history', lines => history.splice(0, history.length, ...lines));
    terminal.on('SIGINT', () => {
      process.stdout.write('^C\n');
      settle('');
    });
    terminal.on('close', () => {
      if (answer === undefined) process.stdout.write('\n');
      resolve(answer);
    });
    terminal.question(prompt, settle);
  });
}

/** Commands from a pipe or a file, one a line. The status is the last command's. */
async function runLines(conversation: Conversation): Promise<number> {
  let status = 0;
  for await (const line of stdinLines(conversation.over.signal)) {
    if (line.trim() === '') continue;
    if (line.trim() === 'exit') break;
    status = exitStatus(await runOne(conversation, line));
  }
  return status;
}

async function runOne({ session, output, tally, asked, over }: Conversation, text: string): Promise<CommandResult> {
  const execution = session.start(text, { principal });
  const stop = onInterrupt(signal => {
    execution.cancel('interrupted at the terminal');
    // Ctrl-C at a terminal takes back what runs; anywhere else, and any other signal, means all of it.
    if (signal !== 'SIGINT' || !output.interactive) over.abort();
  });
  const hideProgress = output.showProgress(execution);
  const result = await follow(execution, { stdout: output.stdout, stderr: output.stderr }).finally(() => {
    hideProgress();
    stop();
  });
  tally.commands += 1;
  if (asked.has(execution.id)) tally.asked += 1;
  if (result.outcome === 'refused') tally.refused += 1;
  else tally.ran += 1;
  for (const line of endLines(result)) output.line(line);
  return result;
}

/** The end of a command in words: how it was cancelled and what was left, or the general lines. */
function endLines(result: CommandResult): string[] {
  if (result.outcome !== 'cancelled' && result.outcome !== 'timed-out') return resultLines(result);
  const how = result.outcome === 'cancelled' ? 'cancelled' : 'timed out';
  const left =
    result.survivors.length === 0
      ? 'none left'
      : `${result.survivors.length} left: ${result.survivors.map(p => p.pid).join(' ')}`;
  const kept = result.shell === 'kept' ? 'directory and variables kept' : 'the next command gets a fresh shell';
  return [`${how} after ${seconds(result.durationMs)} · its processes ended, ${left} · ${kept}`];
}

async function summary(tally: Tally, gate: LocalGate): Promise<string> {
  const { commands, ran, asked, refused } = tally;
  const failure = await gate.about.auditFailure();
  const log = failure === undefined ? `log intact, head ${gate.about.head().hash.slice(0, 8)}` : `LOG BROKEN: ${failure}`;
  return `${commands} ${commands === 1 ? 'command' : 'commands'}: ${ran} ran, ${asked} asked, ${refused} refused · ${log}`;
}
