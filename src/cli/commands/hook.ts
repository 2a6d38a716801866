import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { openAuditLog } from '../../audit/log.js';
import type { AuditLog } from '../../contract/audit.js';
import { ShellgateError } from '../../contract/error.js';
import type { Evaluation } from '../../contract/policy.js';
import type { CommandRequest } from '../../contract/request.js';
import { createGate } from '../../create-gate.js';
import { newId } from '../../local-session.js';
import { createRedactor } from '../../redaction/redactor.js';
import { version } from '../../version.js';
import { type HookInput, hookOutput, parseHookInput, type Verdict } from '../hook-forms.js';
import { errorLines } from '../messages.js';
import { type CommonFlags, gateOptions, withJudgeOptions } from '../options.js';
import { print, say } from '../output.js';
import { defaultAuditDirectory } from './audit.js';

/** To a host that calls hooks: do not run it. Any other failure would let it run. */
const BLOCKED = 2;

const HELP = `
In the settings of Claude Code:
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/absolute/path/to/shellgate hook"}]}]}
On stdin it takes what Claude Code says to such a hook, or the plain form {"command": "…", "cwd"?: "…"}, which is answered
with {"decision": "allow" | "ask" | "deny", "risk", "reason"}. When it cannot judge or cannot record, it exits with 2, and
the host must not run the command.

What it cannot do: the host runs the command, not shellgate. So what was judged need not be what runs; nothing is ended
at a deadline; the result is not recorded; the directory, variables and functions of the host's shell are not known (it
judges as in a fresh shell); and an "ask" is asked by the host, in its own words. For all that, use shellgate mcp.`;

export function register(program: Command): void {
  withJudgeOptions(program.command('hook').description("judge and log an assistant's own shell tool, before it runs"))
    .option('--audit <dir>', 'directory of the log')
    .addHelpText('after', HELP)
    // A usage error of the parser's would end with a status that lets the host run the command.
    .allowUnknownOption()
    .argument('[mistake...]')
    .usage('[options]')
    .configureHelp({ visibleArguments: () => [] })
    .action(async (mistakes: string[], flags: CommonFlags) => {
      try {
        if (mistakes.length > 0) {
          throw new ShellgateError('USAGE', `what is "${mistakes.join(' ')}"? See shellgate hook --help`);
        }
        const input = parseHookInput(await readAll(process.stdin));
        if (input === 'not a shell tool') return;
        print(hookOutput(input, await judged(input, flags)));
      } catch (error) {
        for (const line of errorLines(error)) say(line);
        process.exitCode = BLOCKED;
      }
    });
}

async function judged(input: HookInput, flags: CommonFlags): Promise<Verdict> {
  const env = Object.fromEntries(Object.entries(process.env).filter((each): each is [string, string] => each[1] !== undefined));
  const directory = flags.audit ?? defaultAuditDirectory();
  const audit = await openAuditLog({ directory, redactor: createRedactor({ env }), continueDay: true, version });
  try {
    const options = { ...gateOptions(flags), ...(input.cwd !== undefined && { cwd: input.cwd }) };
    await using gate = await createGate({ ...options, auditLog: audit });
    await using session = await gate.openSession({ label: 'hook' });
    const { evaluation } = await session.check(input.command);
    return await recorded(audit, requestOf(input, session.id), evaluation);
  } finally {
    await audit.close();
  }
}

/** A verdict that is not in the log is none. */
async function recorded(audit: AuditLog, request: CommandRequest, evaluation: Evaluation): Promise<Verdict> {
  const log = audit.command(request);
  log.record('command.requested', request);
  log.record('command.evaluated', evaluation);
  const verdict = verdictOf(evaluation);
  if (verdict.decision === 'deny') {
    const { reason } = verdict;
    log.record('command.refused', { outcome: 'refused', by: 'policy', code: 'POLICY_DENIED', reason });
  }
  const unrecorded = await log.durable();
  return unrecorded ? { decision: 'deny', risk: evaluation.risk, reason: unrecorded.reason } : verdict;
}

function requestOf({ command, description, host, hostSession }: HookInput, sessionId: string): CommandRequest {
  return {
    kind: 'command',
    id: newId(),
    sessionId,
    principal: { kind: 'model', id: 'hook', label: host },
    text: command,
    tty: false,
    ...(description !== undefined && { description }),
    ...(hostSession !== undefined && { origin: { toolCallId: hostSession } }),
  };
}

/** A denial is told to the model, so only in the words that its rule lets it hear; an ask is shown to the person. */
function verdictOf({ decision, risk, matches }: Evaluation): Verdict {
  const deciding = matches.filter(match => match.decision === decision);
  const told = decision === 'deny' ? deciding.filter(match => match.tell) : deciding;
  const reasons = [...new Set(told.map(match => match.reason))].join('; ');
  return { decision, risk, reason: reasons || (decision === 'deny' ? 'a policy rule forbids it' : 'the policy allows it') };
}
