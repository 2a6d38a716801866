import { Command } from 'commander';
import { version } from '../version.js';
import * as approve from './commands/approve.js';
import * as audit from './commands/audit.js';
import * as batch from './commands/batch.js';
import * as deny from './commands/deny.js';
import * as doctor from './commands/doctor.js';
import * as explain from './commands/explain.js';
import * as grants from './commands/grants.js';
import * as hook from './commands/hook.js';
import * as mcp from './commands/mcp.js';
import * as pending from './commands/pending.js';
import * as policy from './commands/policy.js';
import * as probe from './commands/probe.js';
import * as run from './commands/run.js';
import * as setup from './commands/setup.js';
import * as shell from './commands/shell.js';
import * as tools from './commands/tools.js';
import { say } from './output.js';

/** One registration line a command; each says itself what it is. */
const COMMANDS = [
  shell,
  run,
  batch,
  mcp,
  setup,
  hook,
  pending,
  approve,
  deny,
  explain,
  policy,
  grants,
  audit,
  doctor,
  probe,
  tools,
];

const GROUPS = `
shellgate [run CMD | batch | mcp]              use it: a gated shell here; one command; JSON lines; for an assistant
shellgate setup CLIENT | hook                  connect an assistant (prints its config); judge its own shell tool
shellgate pending [--watch] | approve | deny   what waits for you; answer it
shellgate explain CMD | policy check|test|init|trust|suggest | grants     the rules: why a line runs, asks or is denied
shellgate audit show|tail|verify|export        the record
shellgate doctor | probe | tools               the state; what is installed here; functions for a model
`;

/** The whole command line. Errors of usage throw CommanderError after their message was printed. */
export function buildProgram(): Command {
  const program = new Command('shellgate')
    .description('A real shell for the assistant, a gate for the person, a log for whoever asks later.')
    .version(version, '-V, --version')
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .addHelpText('beforeAll', GROUPS.trimStart())
    .exitOverride()
    .configureOutput({
      outputError: text => say(`shellgate: USAGE ${text.replace(/^error: /, '').trimEnd()}. See shellgate --help`),
    });
  for (const command of COMMANDS) command.register(program);
  for (const command of program.commands) inherit(command, program);
  return program;
}

function inherit(command: Command, program: Command): void {
  command.copyInheritedSettings(program);
  for (const child of command.commands) inherit(child, command);
}
