import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { Principal } from '../../contract/principal.js';
import { createGate } from '../../create-gate.js';
import { Calls } from '../../mcp/calls.js';
import { carriedStateCodec } from '../../mcp/desk.js';
import { elicitationApprover } from '../../mcp/elicitation.js';
import { serveMcp } from '../../mcp/server.js';
import { Sessions } from '../../mcp/sessions.js';
import { requireSafeStart } from '../../mcp/start-safety.js';
import { shellTools } from '../../mcp/tools/index.js';
import { version } from '../../version.js';
import { parseDuration } from '../duration.js';
import { type CommonFlags, gateOptions, withRunOptions } from '../options.js';
import { say } from '../output.js';
import { questionWords } from '../question-words.js';
import { onInterrupt } from '../signals.js';
import { startedBy } from '../started-by.js';
import { readUserConfig } from '../user-config.js';

const HOUR_MS = 3_600_000;
const LIMITS = { timeoutMs: 120_000, maxTimeoutMs: 600_000, backgroundMs: HOUR_MS, answerWaitMs: 50_000 };

const INSTRUCTIONS =
  'run_shell runs command lines in a real bash that keeps its state. Reads run at once; other commands may wait for a person: then the outcome is "pending" and nothing has run. Poll shell_status; do not send the command again. A refusal is final: read its reason and feedback.';

interface Flags extends CommonFlags {
  answerWait?: string;
}

export function register(program: Command): void {
  withRunOptions(program.command('mcp').description('a server of shell tools for an assistant, on stdin and stdout'))
    .option('--answer-wait <time>', 'how long a call waits for a person before it returns "pending" (50s)')
    .action(serve);
}

async function serve(flags: Flags): Promise<void> {
  const options = gateOptions(flags);
  const workspace = options.cwd ?? process.cwd();
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
  const answerSocket = { label: program === undefined ? 'mcp' : `mcp, ${basename(program)}`, keepOpen: true };
  await using gate = await createGate({ idleTimeoutMs: HOUR_MS, ...options, approver, answerSocket });
  const socket = gate.about.answerSocket();
  if (socket !== 'open' && options.onAsk === undefined) {
    say(`shellgate: NO_ANSWER_SOCKET ${socket}. Only the client's own dialog can answer; see shellgate doctor.`);
  }
  const codec = carriedStateCodec(randomBytes(32), HOUR_MS / 1_000);
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
  const serving = serveMcp({ version, instructions: INSTRUCTIONS, tools, verifyState: codec.verify, onError });
  const stop = onInterrupt(() => void serving.close());
  await serving.closed;
  stop();
}
