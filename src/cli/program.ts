import { Command } from 'commander';
import { version } from '../version.js';
import { say } from './output.js';

interface CommandModule {
  register(program: Command): void;
}

/** Without a command: a gated shell here. Its options are the program's own. */
const SHELL = (): Promise<CommandModule> => import('./commands/shell.js');

/** One registration line a command; each says itself what it is. Only what is asked for is loaded: starting must be quick. */
const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  run: () => import('./commands/run.js'),
  batch: () => import('./commands/batch.js'),
  mcp: () => import('./commands/mcp.js'),
  setup: () => import('./commands/setup.js'),
  hook: () => import('./commands/hook.js'),
  pending: () => import('./commands/pending.js'),
  approve: () => import('./commands/approve.js'),
  deny: () => import('./commands/deny.js'),
  explain: () => import('./commands/explain.js'),
  policy: () => import('./commands/policy.js'),
  grants: () => import('./commands/grants.js'),
  audit: () => import('./commands/audit.js'),
  doctor: () => import('./commands/doctor.js'),
  probe: () => import('./commands/probe.js'),
  tools: () => import('./commands/tools.js'),
};

const GROUPS = `
shellgate [run CMD | batch | mcp]              use it: a gated shell here; one command; JSON lines; for an assistant
shellgate setup CLIENT | hook                  connect an assistant (prints its config); judge its own shell tool
shellgate pending [--watch] | approve | deny   what waits for you; answer it
shellgate explain CMD | policy check|test|init|trust|suggest | grants     the rules: why a line runs, asks or is denied
shellgate audit show|tail|verify|export        the record
shellgate doctor | probe | tools               the state; what is installed here; functions for a model
`;

/** The command line for these arguments. Errors of usage throw CommanderError after their message was printed. */
export async function buildProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('shellgate')
    .description('A real shell for the assistant, a gate for the person, a log for whoever asks later.')
    .version(version, '-V, --version')
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .addHelpText('before', GROUPS.trimStart())
    .helpCommand(true)
    .exitOverride();
  for (const module of await Promise.all(wanted(args).map(load => load()))) module.register(program);
  settle(program, 'shellgate');
  return program;
}

/** What every command has in common: how it fails, and which help that names. */
function settle(command: Command, path: string): void {
  command.configureOutput({ outputError: text => say(`shellgate: USAGE ${usageSentence(text)} See ${path} --help`) });
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    settle(child, `${path} ${child.name()}`);
  }
}

/** The parser's words as one sentence: it ends a line before its suggestion, and some with a dot. */
function usageSentence(text: string): string {
  const words = text
    .replace(/^error: /, '')
    .trimEnd()
    .replace(/\n\(Did you mean (.*)\?\)$/, '; did you mean $1?')
    .replace(/\.$/, '');
  return words.endsWith('?') ? words : `${words}.`;
}

/** The command that stands first, alone; else all of them, for help and for what is none. */
function wanted([first = '']: readonly string[]): (() => Promise<CommandModule>)[] {
  const command = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (command) return [command];
  if (first === '-V' || first === '--version') return [];
  return first === '' ? [SHELL] : [SHELL, ...Object.values(COMMANDS)];
}
