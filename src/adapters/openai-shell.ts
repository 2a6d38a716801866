import type { RunContext, Shell, ShellAction, ShellOutputResult } from '@openai/agents';
import type { Session } from '../contract/gate.js';
import type { CommandResult } from '../contract/result.js';
import { modelResult } from '../tools/model-result.js';
import type { Adapter, AdapterOptions } from './adapter.js';
import { textOf } from './model-text.js';
import { type Command, hostMustAsk, openAiAdapter, runOptions, startApproved } from './openai-host.js';
import { shortened } from './shortened.js';

export interface GatedShellOptions extends AdapterOptions {
  /** Cancels what runs. The SDK hands its own signal to no shell, so give the run and the shell the same one. */
  readonly signal?: AbortSignal;
  /** The `name` given to the SDK's `shellTool`, under which it keeps approvals. Default `shell`. */
  readonly name?: string;
}

/** What the SDK's `shellTool` takes. */
export interface GatedShell {
  readonly name: string;
  readonly shell: Shell;
  needsApproval(context: RunContext, action: ShellAction, callId?: string): Promise<boolean>;
}

/**
 * For `shellTool(gatedShell(session))` of OpenAI Agents. What policy asks about becomes an interruption of the run (or
 * goes to an `onApproval` that you add); `state.approve(item)` counts for that call, once, while the gate would show the
 * same digest. A refusal is an output, never a throw.
 */
export function gatedShell(session: Session, options: GatedShellOptions = {}): GatedShell {
  const adapter = openAiAdapter(session, options);
  const name = options.name ?? 'shell';
  return {
    name,
    shell: {
      async run(action) {
        const output: ShellOutputResult[] = [];
        let refused = false;
        for (const command of commandsOf(action, adapter)) {
          if (refused) {
            output.push({
              stdout: '',
              stderr: 'Not run: the command before it was refused.',
              outcome: { type: 'exit', exitCode: null },
            });
            continue;
          }
          const { execution, over } = startApproved(adapter, command, options.signal);
          const result = await execution.result.finally(over);
          refused = result.outcome === 'refused';
          output.push(outputOf(result, { maxTimeoutMs: adapter.maxTimeoutMs, maxLength: action.maxOutputLength }));
        }
        return {
          output,
          ...(action.maxOutputLength !== undefined && { maxOutputLength: action.maxOutputLength }),
          providerData: { session_id: session.id },
        };
      },
    },
    needsApproval: async (context, action, callId) =>
      callId !== undefined && hostMustAsk(adapter, { toolName: name, callId, context }, commandsOf(action, adapter)),
  };
}

function commandsOf({ commands, timeoutMs }: ShellAction, adapter: Adapter): Command[] {
  return commands.map(text => ({ text, run: runOptions(adapter, { timeoutMs }) }));
}

function outputOf(
  result: CommandResult,
  { maxTimeoutMs, maxLength }: { readonly maxTimeoutMs: number; readonly maxLength: number | undefined },
): ShellOutputResult {
  const said = modelResult(result, { maxTimeoutMs }) as { stdout?: string; stderr?: string; note?: string };
  const streams = { stdout: shortened(said.stdout ?? '', maxLength), stderr: shortened(said.stderr ?? '', maxLength) };
  if (result.outcome === 'refused') {
    return { ...streams, stderr: textOf(result, maxTimeoutMs), outcome: { type: 'exit', exitCode: null } };
  }
  const { ranInstead } = result;
  const told = [
    streams.stderr.replace(/\n$/, ''),
    ranInstead === undefined ? '' : `[a person edited the command; this ran instead: ${ranInstead}]`,
    said.note === undefined ? '' : `[${said.note}]`,
  ];
  return { stdout: streams.stdout, stderr: told.filter(part => part !== '').join('\n'), outcome: outcomeOf(result) };
}

/** The SDK knows an exit and a timeout; everything else is an exit without a code, and a note says what it was. */
function outcomeOf(result: CommandResult): ShellOutputResult['outcome'] {
  if (result.outcome === 'timed-out') return { type: 'timeout' };
  return { type: 'exit', exitCode: result.outcome === 'exited' ? result.exitCode : null };
}
