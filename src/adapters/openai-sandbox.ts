import { AsyncLocalStorage } from 'node:async_hooks';
import type { FunctionTool, RunContext, Tool } from '@openai/agents';
import type { ExecCommandArgs, Manifest, SandboxSession, SandboxSessionState } from '@openai/agents/sandbox';
import type { Session } from '../contract/gate.js';
import type { Adapter, AdapterOptions } from './adapter.js';
import { HeldCommands } from './held-commands.js';
import { type Command, hostMustAsk, openAiAdapter, runOptions, startApproved } from './openai-host.js';

export interface GatedSandboxOptions extends AdapterOptions {
  /** `new Manifest()` of `@openai/agents/sandbox`: what the SDK thinks is in the workspace. */
  readonly manifest: Manifest;
}

/** Both halves are needed: the session runs, `configureTools` brings the approvals and the abort signal. */
export interface GatedSandbox {
  /** For `run(agent, input, { sandbox: { session } })`. */
  readonly session: SandboxSession;
  /** For `shell({ configureTools })` among the agent's capabilities. */
  configureTools(tools: Tool<unknown>[]): Tool<unknown>[];
}

const EXEC = 'exec_command';
const DEFAULT_YIELD_MS = 10_000;
const CTRL_C = '\u0003';
const NO_TYPING =
  'Typing into a running command is not supported yet; nothing was sent. Send nothing to read on, or Ctrl-C alone to cancel.';

/**
 * A gated session as a sandbox of OpenAI Agents: its `exec_command` keeps directory and variables between calls.
 * Not a sandbox by itself: commands run where the session runs. Typing into a running command is refused; an empty
 * `write_stdin` reads on, and a lone Ctrl-C cancels.
 */
export function gatedSandbox(session: Session, options: GatedSandboxOptions): GatedSandbox {
  const signals = new AsyncLocalStorage<AbortSignal | undefined>();
  const adapter = openAiAdapter(session, options);
  const held = new HeldCommands(adapter.maxTimeoutMs);
  const state: SandboxSessionState = { manifest: options.manifest };
  return {
    session: {
      state,
      async execCommand(args) {
        const refused = unsupported(args);
        if (refused) return refused;
        const { execution, over } = startApproved(adapter, commandOf(adapter, args), signals.getStore());
        void execution.result.then(over);
        const id = held.add(execution, { tty: args.tty === true });
        return held.read(id, { waitMs: args.yieldTimeMs ?? DEFAULT_YIELD_MS, maxTokens: args.maxOutputTokens });
      },
      async writeStdin({ sessionId, chars = '', yieldTimeMs = 250, maxOutputTokens }) {
        if (chars !== '' && chars !== CTRL_C) return NO_TYPING;
        if (chars === CTRL_C) held.cancel(sessionId);
        return held.read(sessionId, { waitMs: yieldTimeMs, maxTokens: maxOutputTokens });
      },
      supportsPty: () => true,
      running: async () => true,
    },
    configureTools: tools =>
      tools.map(tool =>
        tool.type === 'function' && tool.name === EXEC ? gated(tool as FunctionTool<unknown, never, unknown>) : tool,
      ),
  };

  function gated(tool: FunctionTool<unknown, never, unknown>): Tool<unknown> {
    const needsApproval = async (context: RunContext<unknown>, input: unknown, callId?: string): Promise<boolean> => {
      const args = execArguments(input);
      if (!args || callId === undefined || unsupported(args)) return false; // running it says why
      return hostMustAsk(adapter, { toolName: tool.name, callId, context }, [commandOf(adapter, args)]);
    };
    return {
      ...tool,
      needsApproval,
      invoke: (context, input, details) => signals.run(details?.signal, () => tool.invoke(context, input, details)),
    } as Tool<unknown>;
  }
}

/** Another directory becomes a `cd` in front, judged and shown with the rest; as in any shell, it stays. */
function commandOf(adapter: Adapter, { cmd, workdir, tty }: ExecCommandArgs): Command {
  const { session } = adapter;
  const elsewhere = workdir !== undefined && workdir !== session.cwd && workdir !== '.';
  const text = elsewhere ? `cd -- ${session.quote([workdir])} && {\n${cmd}\n}` : cmd;
  return { text, run: runOptions(adapter, { tty }) };
}

function unsupported({ shell, runAs }: ExecCommandArgs): string | undefined {
  if (runAs !== undefined) return 'Not run: commands of this session cannot run as another user.';
  if (shell !== undefined) return 'Not run: this session has one shell; leave `shell` out.';
  return undefined;
}

function execArguments(input: unknown): ExecCommandArgs | undefined {
  const { cmd, workdir, shell, tty } = (input ?? {}) as Record<string, unknown>;
  if (typeof cmd !== 'string') return undefined;
  return {
    cmd,
    ...(typeof workdir === 'string' && { workdir }),
    ...(typeof shell === 'string' && { shell }),
    ...(tty === true && { tty }),
  };
}
