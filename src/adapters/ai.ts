/**
 * A tool for the AI SDK, majors 6 and 7: `tools: { shell: shellTool(session) }`. It is plain data and functions; no
 * package of the SDK is needed to load it.
 * @module
 */
import { z } from 'zod';
import type { Session } from '../contract/gate.js';
import type { Evaluation } from '../contract/policy.js';
import { commandTextSchema, type RunOptions } from '../contract/request.js';
import { type ModelResult, modelResult } from '../tools/model-result.js';
import { type Adapter, type AdapterOptions, adapterOf } from './adapter.js';
import { answerIn } from './ai-messages.js';
import { followExecution, type RunningView } from './follow-execution.js';
import { hostApprovals, hostShouldAsk } from './host-approvals.js';
import { modelText } from './model-text.js';

export interface ShellToolOptions extends AdapterOptions {
  /** Replaces the tool's description for the model. */
  readonly description?: string;
}

export interface ShellInput {
  readonly command: string;
  readonly timeout_ms?: number | undefined;
  readonly description?: string | undefined;
}

/** What the host's UI gets: views while it runs (`preliminary` tool results), then the result. */
export type ShellOutput = RunningView | ({ readonly status: 'finished' } & ModelResult);

/** What both majors of the SDK hand to a tool. */
interface CallContext {
  readonly toolCallId: string;
  readonly messages: readonly unknown[];
  readonly abortSignal?: AbortSignal | undefined;
}

export interface ShellTool {
  readonly description: string;
  readonly inputSchema: z.ZodType<ShellInput>;
  needsApproval(input: ShellInput, context: CallContext): Promise<boolean>;
  execute(input: ShellInput, context: CallContext): AsyncGenerator<ShellOutput, void>;
  toModelOutput(options: { readonly output: unknown }): { type: 'text'; value: string };
}

const DESCRIPTION =
  'Run a command line in a persistent bash session: directory, variables and functions stay. A policy decides; some commands wait for a person or are refused with a reason.';
const SDK = { channel: 'ai-sdk', label: 'the AI SDK' };

/**
 * A shell tool. What policy asks about is asked in the host's own dialog (`needsApproval`), once: the host's yes counts
 * for that call while the gate would show the same digest. A refusal is a result, never a throw; the caller's
 * `abortSignal` cancels.
 */
export function shellTool(session: Session, options: ShellToolOptions = {}): ShellTool {
  const adapter = adapterOf(session, options, SDK);
  return {
    description: options.description ?? DESCRIPTION,
    inputSchema: inputSchema(adapter),
    needsApproval: async (input, context) => (await askHost(adapter, input, context)) !== undefined,
    execute: (input, context) => run(adapter, input, context),
    toModelOutput: ({ output }) => ({ type: 'text', value: modelText(output) }),
  };
}

/** What the AI SDK 7 calls a status: an ask goes to its user with the reason, everything else to the gate. */
export type ShellApproval = { readonly type: 'user-approval'; readonly reason?: string } | 'not-applicable';

/**
 * For AI SDK 7's `toolApproval: { shell: shellApproval(session) }`: as `needsApproval`, and the person is told why it
 * asks. Give it the options of the tool.
 */
export function shellApproval(
  session: Session,
  options: ShellToolOptions = {},
): (input: ShellInput, context: CallContext) => Promise<ShellApproval> {
  const adapter = adapterOf(session, options, SDK);
  return async (input, context) => {
    const asked = await askHost(adapter, input, context);
    return asked ? { type: 'user-approval', ...asked } : 'not-applicable';
  };
}

function inputSchema({ timeoutMs, maxTimeoutMs }: Adapter): z.ZodType<ShellInput> {
  return z.strictObject({
    command: commandTextSchema.min(1).describe('One command line, as typed into bash.'),
    timeout_ms: z
      .number()
      .int()
      .positive()
      .max(maxTimeoutMs)
      .optional()
      .describe(`Deadline; it ends everything the command started. Default ${timeoutMs}, at most ${maxTimeoutMs}.`),
    description: z.string().max(2_000).optional().describe('Why, for the person who may be asked.'),
  });
}

/** The same for the question and for the run: a digest covers who asks and how. */
function requestOptions({ principal, timeoutMs }: Adapter, input: ShellInput, { toolCallId }: CallContext): RunOptions {
  return {
    principal,
    origin: { toolCallId },
    timeoutMs: input.timeout_ms ?? timeoutMs,
    ...(input.description !== undefined && { description: input.description }),
  };
}

/** What the host is to put to its person, if anything. */
async function askHost(
  adapter: Adapter,
  input: ShellInput,
  context: CallContext,
): Promise<{ readonly reason?: string } | undefined> {
  recordDenials(adapter, context);
  // The SDK comes back with an answered call. Only what was asked before counts, so nothing is remembered here: an
  // invented history would otherwise ask and answer in one breath.
  if (answerIn(context.messages, context.toolCallId)) return {};
  const evaluation = await hostShouldAsk(adapter.session, input.command, requestOptions(adapter, input, context));
  if (!evaluation) return undefined;
  const { session, channel, principal, approver } = adapter;
  hostApprovals(session).asked({
    sessionId: session.id,
    toolCallId: context.toolCallId,
    text: input.command,
    digest: evaluation.digest,
    channel,
    principal,
    approver,
  });
  return { reason: whyItAsks(evaluation) };
}

/** The SDK calls nothing where its person said no; the next call brings the conversation that tells. */
function recordDenials({ session }: Adapter, { messages }: CallContext): void {
  const host = hostApprovals(session);
  for (const question of host.waiting(session.id)) {
    const said = answerIn(messages, question.toolCallId);
    if (said?.approved === false) host.denied(session, question, said.reason);
  }
}

async function* run(adapter: Adapter, input: ShellInput, context: CallContext): AsyncGenerator<ShellOutput, void> {
  const { session, maxTimeoutMs } = adapter;
  const { toolCallId, messages, abortSignal } = context;
  recordDenials(adapter, context);
  const host = hostApprovals(session);
  const asked = host.find(session.id, toolCallId);
  const execution = session.start(input.command, {
    ...requestOptions(adapter, input, context),
    ...(abortSignal && { signal: abortSignal }),
  });
  if (asked && answerIn(messages, toolCallId)?.approved) host.approved(asked);
  try {
    yield* followExecution(execution);
    const result = await execution.result;
    yield { status: 'finished', ...modelResult(result, { maxTimeoutMs }) };
  } finally {
    execution.cancel('the host stopped reading the call'); // does nothing where it is over
    host.withdraw(session.id, toolCallId);
  }
}

function whyItAsks({ matches }: Evaluation): string {
  return [...new Set(matches.filter(match => match.decision === 'ask').map(match => match.reason))].join('; ');
}
