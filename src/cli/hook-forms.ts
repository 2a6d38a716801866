import { z } from 'zod';
import { ShellgateError } from '../contract/error.js';
import type { Decision, Risk } from '../contract/policy.js';
import { commandTextSchema } from '../contract/request.js';
import { wrongInput } from '../contract/wrong-input.js';

export interface HookInput {
  readonly form: 'claude-code' | 'plain';
  /** The assistant, as far as it says. */
  readonly host: string;
  readonly command: string;
  readonly cwd?: string;
  readonly description?: string;
  /** What the host calls its call or its session. */
  readonly hostSession?: string;
}

export interface Verdict {
  readonly decision: Decision;
  readonly risk: Risk;
  readonly reason: string;
}

const claudeCodeSchema = z.object({
  hook_event_name: z.literal('PreToolUse'),
  tool_name: z.string(),
  tool_input: z.looseObject({ command: commandTextSchema.optional(), description: z.string().optional() }),
  cwd: z.string().optional(),
  session_id: z.string().optional(),
  tool_use_id: z.string().optional(),
});
const plainSchema = z.strictObject({ command: commandTextSchema, cwd: z.string().optional() });

/** Tools of hosts that take a command line. Others are none of ours. */
const SHELL_TOOLS = new Set(['Bash', 'shell', 'run_shell_command', 'run_in_terminal']);

/** What a host says before it runs a tool. Errors: `HOOK_INPUT`, for anything that cannot be understood. */
export function parseHookInput(text: string): HookInput | 'not a shell tool' {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || !('hook_event_name' in value)) {
    const parsed = plainSchema.safeParse(value);
    if (!parsed.success) throw hookInput(parsed.error, value);
    return { form: 'plain', host: 'hook', command: parsed.data.command, ...(parsed.data.cwd && { cwd: parsed.data.cwd }) };
  }
  const parsed = claudeCodeSchema.safeParse(value);
  if (!parsed.success) throw hookInput(parsed.error, value);
  const { tool_name, tool_input, cwd, session_id, tool_use_id } = parsed.data;
  if (!SHELL_TOOLS.has(tool_name)) return 'not a shell tool';
  const { command, description } = tool_input;
  if (command === undefined) throw new ShellgateError('HOOK_INPUT', `${tool_name} without a command`, { place: 'tool_input' });
  const hostSession = tool_use_id ?? session_id;
  return {
    form: 'claude-code',
    host: 'claude-code',
    command,
    ...(cwd !== undefined && { cwd }),
    ...(description !== undefined && { description }),
    ...(hostSession !== undefined && { hostSession }),
  };
}

/** The answer in the host's own form. */
export function hookOutput({ form }: HookInput, { decision, risk, reason }: Verdict): Record<string, unknown> {
  if (form === 'plain') return { decision, risk, reason };
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: `shellgate: ${reason}`,
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ShellgateError('HOOK_INPUT', `stdin is not JSON: ${(cause as Error).message}`, { cause, place: 'stdin' });
  }
}

function hookInput(error: z.ZodError, value: unknown): ShellgateError {
  return new ShellgateError('HOOK_INPUT', wrongInput(error, value, Object.keys(plainSchema.shape)).text, { place: 'stdin' });
}
