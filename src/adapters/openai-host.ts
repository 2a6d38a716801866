import type { RunContext } from '@openai/agents';
import type { Execution } from '../contract/execution.js';
import type { Session } from '../contract/gate.js';
import type { RunOptions } from '../contract/request.js';
import { type Adapter, type AdapterOptions, adapterOf } from './adapter.js';
import { type HostQuestion, hostApprovals, hostShouldAsk } from './host-approvals.js';

/** One command of a call. A call can hold several: they are approved together and run one by one. */
export interface Command {
  readonly text: string;
  readonly run: RunOptions;
}

/** A call as the SDK describes it where it asks. */
export interface SdkCall {
  readonly toolName: string;
  readonly callId: string;
  readonly context: RunContext<unknown>;
}

export const openAiAdapter = (session: Session, options: AdapterOptions): Adapter =>
  adapterOf(session, options, { channel: 'openai-agents', label: 'OpenAI Agents' });

/** Where each question was asked: its run knows what the person said. */
const calls = new WeakMap<HostQuestion, SdkCall>();

/** A deadline over the limit is cut to it: the SDK has no way to refuse an argument. */
export function runOptions(
  { principal, ...limits }: Adapter,
  asked: { readonly timeoutMs?: number | undefined; readonly tty?: boolean | undefined },
): RunOptions {
  const timeoutMs = Math.max(1, Math.min(asked.timeoutMs ?? limits.timeoutMs, limits.maxTimeoutMs));
  return { principal, timeoutMs, ...(asked.tty && { tty: true }) };
}

/** Judge the commands of a call; true where the host must ask its person. What it will show is remembered. */
export async function hostMustAsk(
  { session, channel, principal, approver }: Adapter,
  call: SdkCall,
  commands: readonly Command[],
): Promise<boolean> {
  recordDenials(session);
  let must = false;
  for (const [index, { text, run }] of commands.entries()) {
    const evaluation = await hostShouldAsk(session, text, run);
    if (!evaluation) continue;
    must = true;
    const question: HostQuestion = {
      sessionId: session.id,
      toolCallId: index === 0 ? call.callId : `${call.callId}/${index + 1}`,
      text,
      digest: evaluation.digest,
      channel,
      principal,
      approver,
    };
    calls.set(question, call);
    hostApprovals(session).asked(question);
  }
  return must;
}

/**
 * Start a command, with the host's yes if its person gave one to exactly this call. The SDK says neither which call it
 * runs nor why it may, so the yes is looked up where the question was asked. An approval for every later call
 * (`alwaysApprove`) is none: nobody saw them.
 */
export function startApproved(
  { session }: Adapter,
  { text, run }: Command,
  signal?: AbortSignal,
): { execution: Execution; over(): void } {
  recordDenials(session);
  const host = hostApprovals(session);
  const approved = host.waiting(session.id).find(question => question.text === text && answerOf(question) === 'approved');
  const execution = session.start(text, {
    ...run,
    ...(approved && { origin: { toolCallId: approved.toolCallId } }),
    ...(signal && { signal }),
  });
  if (approved) host.approved(approved);
  return { execution, over: () => approved && host.withdraw(session.id, approved.toolCallId) };
}

/** The SDK calls nothing where its person said no; the run in which they did tells. */
function recordDenials(session: Session): void {
  const host = hostApprovals(session);
  for (const question of host.waiting(session.id)) if (answerOf(question) === 'rejected') host.denied(session, question);
}

/** What the person said to exactly this call; an answer to every later call (`true`) is none. */
function answerOf(question: HostQuestion): 'approved' | 'rejected' | undefined {
  const call = calls.get(question);
  if (!call) return undefined;
  const { approvals } = call.context.toJSON() as { approvals: Record<string, ToolAnswers | undefined> };
  const said = approvals[call.toolName];
  const covers = (answer: boolean | readonly string[] | undefined) => Array.isArray(answer) && answer.includes(call.callId);
  return covers(said?.approved) ? 'approved' : covers(said?.rejected) ? 'rejected' : undefined;
}

interface ToolAnswers {
  readonly approved?: boolean | readonly string[];
  readonly rejected?: boolean | readonly string[];
}
