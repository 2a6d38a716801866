import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { FunctionTool, RunContext, Tool } from '@openai/agents';
import type { ExecCommandArgs, Manifest, SandboxSession, SandboxSessionState } from '@openai/agents/sandbox';
import type { Execution } from '../contract/execution.js';
import type { Session } from '../contract/gate.js';
import { textOf } from './model-text.js';
import { type Command, hostMustAsk, maxTimeoutOf, type OpenAiOptions, runOptions, startApproved } from './openai-host.js';
import { shortened } from './openai-shell.js';

export interface GatedSandboxOptions extends OpenAiOptions {
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

/** A command that outlived the time its caller waited. Its number is what the SDK calls a session id. */
interface Held {
  readonly execution: Execution;
  readonly read: { stdout: number; stderr: number };
  readonly began: number;
}

const EXEC = 'exec_command';
const DEFAULT_YIELD_MS = 10_000;
const BYTES_PER_TOKEN = 4;
const READ_BYTES = 30_000;

/**
 * A gated session as a sandbox of OpenAI Agents: its `exec_command` keeps directory and variables between calls.
 * Not a sandbox by itself: commands run where the session runs. Typing into a running command is refused; an empty
 * `write_stdin` reads on, and a lone Ctrl-C cancels.
 */
export function gatedSandbox(session: Session, options: GatedSandboxOptions): GatedSandbox {
  const signals = new AsyncLocalStorage<AbortSignal | undefined>();
  const held = new Map<number, Held>();
  let count = 0;
  const state: SandboxSessionState = { manifest: options.manifest };
  const maxTimeoutMs = maxTimeoutOf(options);

  async function reply(id: number, waitMs: number, maxTokens: number | undefined): Promise<string> {
    const one = held.get(id);
    if (!one) return `No command ${id} runs here; it is over, or there was none.`;
    const limit = maxTokens === undefined ? undefined : maxTokens * BYTES_PER_TOKEN;
    const result = await within(waitMs, one.execution);
    const seconds = `Wall time: ${((performance.now() - one.began) / 1_000).toFixed(1)} seconds`;
    if (!result) {
      const fresh = await unread(one);
      return [seconds, `Process running with session ID ${id}`, 'Output:', shortened(fresh, limit)].join('\n');
    }
    held.delete(id);
    return [seconds, 'Output:', shortened(textOf(result, maxTimeoutMs), limit)].join('\n');
  }

  return {
    session: {
      state,
      async execCommand(args) {
        const refused = unsupported(args);
        if (refused) return refused;
        const { execution, over } = startApproved(session, commandOf(session, args, options), signals.getStore());
        void execution.result.then(over);
        count += 1;
        held.set(count, { execution, read: { stdout: 0, stderr: 0 }, began: performance.now() });
        return reply(count, args.yieldTimeMs ?? DEFAULT_YIELD_MS, args.maxOutputTokens);
      },
      async writeStdin({ sessionId, chars = '', yieldTimeMs = 250, maxOutputTokens }) {
        if (chars === '\u0003') held.get(sessionId)?.execution.cancel('Ctrl-C from the model');
        else if (chars !== '')
          return 'Typing into a running command is not supported yet; nothing was sent. Send nothing to read on, or Ctrl-C alone to cancel.';
        return reply(sessionId, yieldTimeMs, maxOutputTokens);
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
      return hostMustAsk(session, options, {
        call: { toolName: tool.name, callId, context },
        commands: [commandOf(session, args, options)],
      });
    };
    return {
      ...tool,
      needsApproval,
      invoke: (context, input, details) => signals.run(details?.signal, () => tool.invoke(context, input, details)),
    } as Tool<unknown>;
  }
}

/** Another directory becomes a `cd` in front, judged and shown with the rest; as in any shell, it stays. */
function commandOf(session: Session, { cmd, workdir, tty }: ExecCommandArgs, options: GatedSandboxOptions): Command {
  const elsewhere = workdir !== undefined && workdir !== session.cwd && workdir !== '.';
  const text = elsewhere ? `cd -- ${session.quote([workdir])} && {\n${cmd}\n}` : cmd;
  return { text, run: runOptions(options, { tty }) };
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

async function within(ms: number, { result }: Execution) {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([result, late]);
  } finally {
    over.abort();
  }
}

/** What was printed since the last look. */
async function unread({ execution, read }: Held): Promise<string> {
  const parts: string[] = [];
  for (const stream of ['stdout', 'stderr'] as const) {
    const { bytes, next } = await execution.output(stream, read[stream], READ_BYTES);
    read[stream] = next;
    parts.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  }
  return parts.filter(part => part !== '').join('\nstderr: ');
}
