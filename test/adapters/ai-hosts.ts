import * as six from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import * as seven from 'ai7';
import { MockLanguageModelV4 } from 'ai7/test';
import type { ShellTool } from '../../src/adapters/ai.js';

/** What the fake model says in one step: call the shell, or end the turn. */
export type Step = { readonly id: string; readonly command: string; readonly timeout_ms?: number } | string;

export type Message = { role: string; content: string | { type: string; [key: string]: unknown }[] };

/** A conversation through one major of the SDK, with its own official fake model. */
export interface AiHost {
  readonly name: string;
  /** One `generateText`; its messages are added to the conversation. */
  generate(messages: Message[], steps: Step[], extra: Extra): Promise<void>;
  /** One `streamText`; every part of its full stream. */
  stream(messages: Message[], steps: Step[], extra: Extra): Promise<Record<string, unknown>[]>;
}

export interface Extra {
  readonly shell: ShellTool;
  readonly toolApproval?: unknown;
  readonly abortSignal?: AbortSignal;
  onPart?(part: Record<string, unknown>): void;
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishOf = (step: Step) => ({
  unified: typeof step === 'string' ? ('stop' as const) : ('tool-calls' as const),
  raw: undefined,
});
const contentOf = (step: Step) =>
  typeof step === 'string'
    ? { type: 'text' as const, text: step }
    : { type: 'tool-call' as const, toolCallId: step.id, toolName: 'shell', input: JSON.stringify({ ...step, id: undefined }) };
const generated = (step: Step) => ({ content: [contentOf(step)], finishReason: finishOf(step), usage: USAGE, warnings: [] });
const streamed = (step: Step) => ({
  stream: simulateReadableStream({
    initialDelayInMs: null,
    chunkDelayInMs: null,
    chunks: [
      { type: 'stream-start' as const, warnings: [] },
      ...(typeof step === 'string'
        ? [
            { type: 'text-start' as const, id: 't' },
            { type: 'text-delta' as const, id: 't', delta: step },
            { type: 'text-end' as const, id: 't' },
          ]
        : [contentOf(step)]),
      { type: 'finish' as const, finishReason: finishOf(step), usage: USAGE },
    ],
  }),
});
const scripts = (steps: Step[]) => {
  const left = [...steps];
  const next = () => left.shift() ?? 'nothing more to say';
  return { doGenerate: async () => generated(next()), doStream: async () => streamed(next()) };
};

interface Sdk {
  generateText(options: never): Promise<{ response: { messages: unknown[] }; responseMessages?: unknown[] }>;
  streamText(options: never): { fullStream: AsyncIterable<unknown>; response: PromiseLike<{ messages: unknown[] }> };
  stepCountIs(count: number): unknown;
}

function host(name: string, sdk: Sdk, modelOf: (steps: Step[]) => unknown): AiHost {
  const options = (messages: Message[], steps: Step[], { shell, toolApproval, abortSignal }: Extra) =>
    ({
      model: modelOf(steps),
      tools: { shell },
      messages,
      stopWhen: sdk.stepCountIs(4),
      maxRetries: 0,
      ...(toolApproval !== undefined && { toolApproval }),
      ...(abortSignal && { abortSignal }),
    }) as never;
  return {
    name,
    async generate(messages, steps, extra) {
      const result = await sdk.generateText(options(messages, steps, extra));
      // Major 7 keeps to `response` what its last step said; its `responseMessages` are those of all steps.
      messages.push(...(structuredClone(result.responseMessages ?? result.response.messages) as Message[]));
    },
    async stream(messages, steps, extra) {
      const result = sdk.streamText(options(messages, steps, extra));
      const parts: Record<string, unknown>[] = [];
      for await (const part of result.fullStream) {
        parts.push(part as Record<string, unknown>);
        extra.onPart?.(part as Record<string, unknown>);
      }
      return parts;
    },
  };
}

export const AI_6 = host('ai 6', six, steps => new MockLanguageModelV3(scripts(steps) as never));
export const AI_7 = host('ai 7', seven as unknown as Sdk, steps => new MockLanguageModelV4(scripts(steps) as never));

const partsOf = (messages: Message[]) => messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));

/** Every question that the host was told to put to its person. */
export const requests = (messages: Message[]) =>
  partsOf(messages).filter(part => part.type === 'tool-approval-request') as unknown as {
    approvalId: string;
    toolCallId: string;
    reason?: string;
    isAutomatic?: boolean;
  }[];

/** The person's answer to the host's last question. */
export function answer(messages: Message[], approved: boolean, reason?: string): void {
  const { approvalId } = requests(messages).at(-1)!;
  messages.push({ role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved, ...(reason && { reason }) }] });
}

/** What the model was told about a call, as `text: …` or `execution-denied: …`. */
export function toldAbout(messages: Message[], toolCallId: string): string | undefined {
  const result = partsOf(messages).findLast(part => part.type === 'tool-result' && part['toolCallId'] === toolCallId);
  if (!result) return undefined;
  const { type, value, reason } = result['output'] as { type: string; value?: unknown; reason?: string };
  return `${type}: ${value ?? reason}`;
}

export const user = (content: string): Message => ({ role: 'user', content });
