import type { Command } from 'commander';
import type { Principal } from '../../contract/principal.js';
import { createGate } from '../../create-gate.js';
import { approversFor } from '../approvers.js';
import { follow, shownSink } from '../follow.js';
import { exitStatus, resultLines } from '../messages.js';
import { type CommonFlags, gateOptions, withRunOptions } from '../options.js';
import { print, say } from '../output.js';
import { onInterrupt } from '../signals.js';
import { answerSocket } from '../user-config.js';
import { resultLine } from '../wire.js';

const principal: Principal = { kind: 'program', id: 'run', label: 'shellgate run' };

export function register(program: Command): void {
  withRunOptions(program.command('run').description('one command through the gate; its exit status is ours'))
    .argument('<command...>', 'one argument is a command line; several are words, quoted for you')
    .passThroughOptions()
    .action(async (words: string[], flags: CommonFlags) => {
      await using gate = await createGate({
        ...gateOptions(flags),
        approver: approversFor(flags),
        chain: 'day',
        answerSocket: answerSocket('run'),
      });
      await using session = await gate.openSession({ label: 'main', mode: flags.stateless ? 'stateless' : 'persistent' });
      const text = words.length === 1 ? words[0]! : session.quote(words);
      const execution = session.start(text, { principal });
      const stop = onInterrupt(signal => execution.cancel(signal));
      const sinks = flags.json ? {} : { stdout: shownSink(process.stdout), stderr: shownSink(process.stderr) };
      const result = await follow(execution, sinks).finally(stop);
      if (flags.json) print(resultLine({ id: execution.id, session: session.id }, result, session.cwd));
      for (const line of resultLines(result)) say(line);
      process.exitCode = exitStatus(result);
    });
}
