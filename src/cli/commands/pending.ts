import type { Command } from 'commander';
import { oneLine } from '../../approval/display.js';
import { terminalApprover } from '../../approval/terminal.js';
import { watchGates } from '../../approval/watch.js';
import { ShellgateError } from '../../contract/error.js';
import { allGates, closeAll, gateDirectories } from '../gates.js';
import { refusedLine } from '../give-answer.js';
import { EXIT } from '../messages.js';
import { print, say, tell } from '../output.js';
import { gateNames, nothingWaits, pendingLine, pendingTable, type Waiting } from '../pending-table.js';
import { onInterrupt } from '../signals.js';

interface Flags {
  watch?: boolean;
  json?: boolean;
  resume?: boolean;
}

export function register(program: Command): void {
  program
    .command('pending')
    .description('what waits for an answer, in every process of yours on this machine')
    .option('--watch', 'answer them here, one by one, as they come')
    .option('--json', 'one JSON line for each question')
    .option('--resume', 'let those ask again who were denied three times in a row')
    .action((flags: Flags) => (flags.resume ? resume() : flags.watch ? watch() : list(flags)));
}

async function list(flags: Flags): Promise<void> {
  const gates = await allGates();
  try {
    const found = await Promise.all(
      gates.map(async gate => (await gate.pending().catch(() => [])).map((question): Waiting => ({ gate, question }))),
    );
    const waiting = found.flat().sort((a, b) => a.question.askedAt.localeCompare(b.question.askedAt));
    if (flags.json) for (const each of waiting) print(pendingLine(each));
    else if (waiting.length === 0) tell(nothingWaits(gates));
    else tell(pendingTable(waiting, Date.now(), process.stdout.columns).join('\n'));
  } finally {
    closeAll(gates);
  }
}

async function resume(): Promise<void> {
  const gates = await allGates();
  try {
    let count = 0;
    for (const gate of gates) {
      for (const { id, label } of await gate.paused().catch(() => [])) {
        const said = await gate.resume(id);
        if (!said.accepted) {
          say(refusedLine(said));
          process.exitCode = EXIT.refused;
          continue;
        }
        count += 1;
        tell(`${oneLine(label)} may ask again, at ${gateNames([gate])}.`);
      }
    }
    if (count === 0 && process.exitCode === undefined) tell('Nobody is paused.');
  } finally {
    closeAll(gates);
  }
}

async function watch(): Promise<void> {
  const approver = terminalApprover();
  if (!approver.available()) {
    throw new ShellgateError('NO_TERMINAL', 'questions are answered in a terminal, and there is none; see shellgate pending');
  }
  if (await watchingIsRefused()) return;
  const over = new AbortController();
  const stop = onInterrupt(() => over.abort());
  say('Waiting for questions; each is shown here, Enter is no. Ctrl-C ends it.');
  const watchOne = (directory: string) =>
    watchGates(
      {
        directory,
        approver,
        onGates: gates => say(gates.length === 0 ? 'No gate is running.' : `Watching ${gateNames(gates)}.`),
        onAnswered: (_question, accepted) => {
          if (!accepted.accepted) say(refusedLine(accepted));
        },
      },
      over.signal,
    );
  await Promise.all(gateDirectories().map(watchOne));
  stop();
  process.exitCode = EXIT.cancelled;
}

/** A gate refuses watchers that descend from one of its commands, and records it; then there is nothing to do here. */
async function watchingIsRefused(): Promise<boolean> {
  const gates = await allGates();
  try {
    const nobody = { asked: () => {}, ended: () => {}, gone: () => {} };
    const said = await Promise.all(gates.map(gate => gate.watch(nobody).catch(() => undefined)));
    const refused = said.find(each => each?.accepted === false);
    if (!refused || refused.accepted) return false;
    say(refusedLine(refused));
    process.exitCode = EXIT.refused;
    return true;
  } finally {
    closeAll(gates);
  }
}
