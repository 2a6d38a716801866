import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { ShellgateError } from '../../contract/error.js';
import type { Principal } from '../../contract/principal.js';
import { createGate } from '../../create-gate.js';
import { createTools } from '../../create-tools.js';
import { ShellEnvironmentProvider } from '../../environment/provider.js';
import { Calls } from '../../mcp/calls.js';
import { carriedStateCodec } from '../../mcp/desk.js';
import { elicitationApprover } from '../../mcp/elicitation.js';
import { serveMcp } from '../../mcp/server.js';
import { Sessions } from '../../mcp/sessions.js';
import { requireSafeStart } from '../../mcp/start-safety.js';
import { toolsOverMcp } from '../../mcp/tools/from-tools.js';
import { shellTools } from '../../mcp/tools/index.js';
import { currentDirectory } from '../../platform.js';
import { type ToolSet, toolSets } from '../../tools/tool.js';
import { version } from '../../version.js';
import { parseDuration } from '../duration.js';
import { type CommonFlags, gateOptions, withRunOptions } from '../options.js';
import { say } from '../output.js';
import { questionWords } from '../question-words.js';
import { onInterrupt } from '../signals.js';
import { startedBy } from '../started-by.js';
import { answerSocket, readUserConfig } from '../user-config.js';

const HOUR_MS = 3_600_000;
const LIMITS = { timeoutMs: 120_000, maxTimeoutMs: 600_000, backgroundMs: HOUR_MS, answerWaitMs: 50_000 };

const INSTRUCTIONS =
  'run_shell runs command lines in a real bash that keeps its state. Reads run at once; other commands may wait for a person: then the outcome is "pending" and nothing has run. Poll shell_status; do not send the command again. A refusal is final: read its reason and feedback. The resource shellgate://environment says which shell and programs there are.';

interface Flags extends CommonFlags {
  answerWait?: string;
  tools?: string;
}

export function register(program: Command): void {
  withRunOptions(program.command('mcp').description('a server of shell tools for an assistant, on stdin and stdout'))
    .option('--answer-wait <time>', 'how long a call waits for a person before it returns "pending" (50s)')
    .option('--tools <sets>', 'also serve the tools of other systems: supyagent, agenttool')
    .action(serve);
}

async function serve(flags: Flags): Promise<void> {
  const options = gateOptions(flags);
  const workspace = options.cwd ?? currentDirectory();
  requireSafeStart({ programs: [process.argv[1] ?? '', process.execPath], workspace, env: process.env });
  const program = startedBy();
  const { trusted_clients: trustedClients } = readUserConfig();
  const trusted = program !== undefined && trustedClients.includes(program);
  const limits = {
    ...LIMITS,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(flags.answerWait !== undefined && { answerWaitMs: parseDuration(flags.answerWait, '--answer-wait') }),
  };
  const calls = new Calls();
  let client = 'the client';
  const person = (): Principal => ({ kind: 'person', id: `dialog of ${program ?? 'an unknown program'}`, label: client });
  const approver = elicitationApprover({ calls, trusted, person });
  // Whose it is, by the kernel's word: what a client calls itself is not known before its first call, and proves nothing.
  const socketChoice = { ...answerSocket(program === undefined ? 'mcp' : `mcp, ${basename(program)}`), keepOpen: true };
  await using gate = await createGate({ idleTimeoutMs: HOUR_MS, ...options, approver, answerSocket: socketChoice });
  const socket = gate.about.answerSocket();
  if (socket !== 'open' && options.onAsk === undefined) {
    say(`shellgate: NO_ANSWER_SOCKET ${socket}. Only the client's own dialog can answer; see shellgate doctor.`);
  }
  const codec = carriedStateCodec(randomBytes(32), HOUR_MS / 1_000);
  await using others = flags.tools === undefined ? undefined : createTools(gate, { sets: toolSetsOf(flags.tools) });
  const tools = shellTools({
    sessions: new Sessions(gate, { stateless: flags.stateless === true }),
    calls,
    limits,
    codec,
    trusted,
    ...(program !== undefined && { program }),
    words: questionWords,
    met: ({ name }) => {
      client = name;
    },
  });
  if (process.stdin.isTTY) say('An assistant starts this and speaks MCP with it: see shellgate setup. Ctrl-C ends it.');
  const onError = (error: Error) => say(`shellgate: PROTOCOL ${error.message}`);
  const environment = new ShellEnvironmentProvider(gate);
  const serving = serveMcp({
    version,
    environment: () => environment.instructions(),
    instructions: INSTRUCTIONS,
    tools: [...tools, ...(others ? toolsOverMcp(others, program) : [])],
    verifyState: codec.verify,
    onError,
  });
  const stop = onInterrupt(() => void serving.close());
  await serving.closed;
  stop();
}

/** The sets that `--tools` may name; `run_shell` in the form of document 003 stays the library's, its name is taken here. */
const OTHER_SETS: readonly ToolSet[] = toolSets.filter(set => set !== 'function');

function toolSetsOf(names: string): ToolSet[] {
  return names.split(',').map(name => {
    const set = OTHER_SETS.find(each => each === name.trim());
    if (set) return set;
    throw new ShellgateError('OPTION_INVALID', `"${name}" is no tool set; choose from ${OTHER_SETS.join(', ')}`, {
      place: '--tools',
    });
  });
}
