import type { RunContext } from '@openai/agents';
import type { Execution } from '../contract/execution.js';
import type { Session } from '../contract/gate.js';
import type { Principal } from '../contract/principal.js';
import type { RunOptions } from '../contract/request.js';
import { type HostQuestion, hostApprovals, hostShouldAsk } from './host-approvals.js';

/** What both ways into OpenAI Agents may be told. */
export interface OpenAiOptions {
  /** Who asks, for the question and the log. Default: a model called by OpenAI Agents. */
  readonly principal?: Principal;
  /** Who answers in the host's own dialog. Default: the program that runs the agents. */
  readonly approver?: Principal;
  /** Deadline of a command that names none, in ms. Default 120,000. */
  readonly timeoutMs?: number;
  /** The longest deadline a model may ask for, in ms; more is cut to it. Default 600,000. */
  readonly maxTimeoutMs?: number;
}

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

const CHANNEL = 'openai-agents';
const MODEL: Principal = { kind: 'model', id: CHANNEL, label: 'a model (OpenAI Agents)' };
const HOST: Principal = { kind: 'program', id: CHANNEL, label: 'the host of OpenAI Agents' };

/** Where each question was asked: its run knows what the person said. */
const calls = new WeakMap<HostQuestion, SdkCall>();

export function runOptions(
  options: OpenAiOptions,
  asked: { timeoutMs?: number | undefined; tty?: boolean | undefined },
): RunOptions {
  const timeoutMs = Math.min(asked.timeoutMs ?? options.timeoutMs ?? 120_000, maxTimeoutOf(options));
  return { principal: options.principal ?? MODEL, timeoutMs: Math.max(1, timeoutMs), ...(asked.tty && { tty: true }) };
}

export const maxTimeoutOf = ({ maxTimeoutMs }: OpenAiOptions): number => maxTimeoutMs ?? 600_000;

/** Judge the commands of a call; true where the host must ask its person. What it will show is remembered. */
export async function hostMustAsk(
  session: Session,
  options: OpenAiOptions,
  asking: { readonly call: SdkCall; readonly commands: readonly Command[] },
): Promise<boolean> {
  const { call, commands } = asking;
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
      channel: CHANNEL,
      approver: options.approver ?? HOST,
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
  session: Session,
  { text, run }: Command,
  signal?: AbortSignal,
): { execution: Execution; over(): void } {
  const host = hostApprovals(session);
  const approved = host.waiting(session.id).find(question => question.text === text && isApproved(question));
  if (approved) host.approved(approved);
  const execution = session.start(text, {
    ...run,
    ...(approved && { origin: { toolCallId: approved.toolCallId } }),
    ...(signal && { signal }),
  });
  return { execution, over: () => approved && host.withdraw(session.id, approved.toolCallId) };
}

function isApproved(question: HostQuestion): boolean {
  const call = calls.get(question);
  if (!call) return false;
  const { approvals } = call.context.toJSON() as { approvals: Record<string, { approved: boolean | string[] } | undefined> };
  const approved = approvals[call.toolName]?.approved;
  return Array.isArray(approved) && approved.includes(call.callId);
}
