import { stream, type Wire } from './fake-model.js';

interface Part {
  readonly functionResponse?: { readonly response: Readonly<Record<string, unknown>> };
}

interface Body {
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  readonly contents: readonly { readonly parts?: readonly Part[] }[];
}

/** What the client made of a tool's result, whichever field it put it in. */
const textOf = ({ functionResponse }: Part): string =>
  Object.values(functionResponse?.response ?? {})
    .map(asText)
    .join('\n');
const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Google's generateContent API, streamed or in one piece, as Gemini CLI speaks it. */
export const geminiApi: Wire = {
  asks: path => /:(?:streamG|g)enerateContent/.test(path),
  read(body) {
    const { tools = [], contents } = body as Body;
    const parts = contents.flatMap(content => content.parts ?? []);
    return {
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
      results: parts.filter(part => part.functionResponse).map(textOf),
    };
  },
  write(response, reply) {
    const part = 'say' in reply ? { text: reply.say } : { functionCall: { id: reply.id, name: reply.call, args: reply.args } };
    stream(response, [
      {
        candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      },
    ]);
  },
};
