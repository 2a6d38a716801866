import { stream, type Wire } from './fake-model.js';

interface Tool {
  readonly type: string;
  readonly name?: string;
  /** Of a namespace: the tools in it. */
  readonly tools?: readonly Tool[];
}

interface Item {
  readonly type?: string;
  readonly output?: string | readonly { readonly text?: string }[];
}

interface Body {
  readonly tools?: readonly Tool[];
  readonly input: readonly Item[];
}

const IN = ' in ';
const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: null, output_tokens_details: null };

/** A tool in a namespace is `namespace in name`, because its call has to say both. */
const namesOf = (tool: Tool): string[] => tool.tools?.map(inner => `${tool.name}${IN}${inner.name}`) ?? [tool.name ?? tool.type];

const textOf = ({ output = '' }: Item): string =>
  typeof output === 'string' ? output : output.map(part => part.text ?? '').join('');

/** OpenAI's Responses API, as Codex speaks it. */
export const openaiResponses: Wire = {
  asks: path => path.endsWith('/responses'),
  read(body) {
    const { tools = [], input } = body as Body;
    return { tools: tools.flatMap(namesOf), results: input.filter(item => item.type === 'function_call_output').map(textOf) };
  },
  write(response, reply) {
    const item =
      'say' in reply
        ? { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: reply.say }] }
        : { type: 'function_call', call_id: reply.id, ...named(reply.call), arguments: JSON.stringify(reply.args) };
    stream(response, [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'resp_1', usage: USAGE } },
    ]);
  },
};

function named(call: string): { namespace?: string; name: string } {
  const [first, second] = call.split(IN);
  return second === undefined ? { name: call } : { namespace: first!, name: second };
}
