import type { Command } from 'commander';
import { Option } from 'commander';
import { environmentModes } from '../config.js';
import type { GateOptions } from '../create-gate.js';
import { parseDuration } from './duration.js';
import { policyChangeLine } from './messages.js';
import { say } from './output.js';

/** The options that every command which may run something shares (design 10), as commander hands them over. */
export interface CommonFlags {
  policy?: string[];
  shadow?: string[];
  onAsk?: 'prompt' | 'deny' | 'allow';
  acknowledgeUnsafe?: boolean;
  shell?: string;
  cwd?: string;
  stateless?: boolean;
  env?: (typeof environmentModes)[number];
  timeout?: string;
  audit?: string;
  pty?: boolean;
  json?: boolean;
}

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

/** `--policy` and what else decides how a line is judged. */
export function withJudgeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--policy <file|profile>', 'rules to judge by (repeatable; the strictest verdict wins)').argParser(collect),
    )
    .option('--shell <program>', 'shell to run, as a path or a line of words')
    .option('--cwd <dir>', 'directory to start in')
    .option('--json', 'machine-readable output');
}

/** What a command that may run something adds. */
export function withRunOptions(command: Command): Command {
  return withJudgeOptions(command)
    .addOption(new Option('--shadow <file|profile>', 'rules to judge by and log, without effect (repeatable)').argParser(collect))
    .addOption(new Option('--on-ask <how>', 'what an ask means').choices(['prompt', 'deny', 'allow']))
    .option('--acknowledge-unsafe', 'say that you know what --on-ask allow does')
    .option('--stateless', 'a fresh shell for every command')
    .addOption(new Option('--env <how>', 'what the shell inherits').choices([...environmentModes]))
    .option('--timeout <time>', 'deadline of a command: 90, 90s, 5m')
    .option('--audit <dir>', 'directory of the log')
    .option('--no-pty', 'pipes only');
}

/** Flags to the library's options, and a word on stderr when rules change meanwhile. `--on-ask prompt` is the library's `ask`. */
export function gateOptions(flags: CommonFlags): GateOptions {
  const onAsk = flags.onAsk === 'prompt' || flags.onAsk === undefined ? undefined : flags.onAsk;
  return {
    onPolicyChange: change => say(policyChangeLine(change)),
    ...(flags.policy && { policy: flags.policy }),
    ...(flags.shadow && { shadow: flags.shadow }),
    ...(flags.shell !== undefined && { shell: flags.shell }),
    ...(flags.cwd !== undefined && { cwd: flags.cwd }),
    ...(flags.env && { env: flags.env }),
    ...(flags.audit !== undefined && { audit: flags.audit }),
    ...(flags.pty === false && { pty: 'off' as const }),
    ...(flags.timeout !== undefined && { timeoutMs: parseDuration(flags.timeout, '--timeout') }),
    ...(onAsk && { onAsk }),
    ...(flags.acknowledgeUnsafe && { acknowledgeUnsafe: true }),
  };
}
