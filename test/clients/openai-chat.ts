import { stream, type Wire } from './fake-model.js';

interface Body {
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly messages: readonly { readonly role: string; readonly content?: string | readonly { readonly text?: string }[] }[];
}

/** OpenAI's Chat Completions API, as opencode speaks it with any compatible provider. */
export const openaiChat: Wire = {
  asks: path => path.endsWith('/chat/completions'),
  read(body) {
    const { tools = [], messages } = body as Body;
    const results = messages
      .filter(message => message.role === 'tool')
      .map(({ content = '' }) => (typeof content === 'string' ? content : content.map(part => part.text ?? '').join('')));
    return { tools: tools.map(tool => tool.function.name), results };
  },
  write(response, reply) {
    const isCall = 'call' in reply;
    const delta = isCall
      ? { tool_calls: [{ index: 0, id: reply.id, type: 'function', function: functionOf(reply) }] }
      : { content: reply.say };
    const chunk = (choice: object) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'fake',
      choices: [{ index: 0, ...choice }],
    });
    stream(
      response,
      [
        chunk({ delta: { role: 'assistant', ...delta }, finish_reason: null }),
        chunk({ delta: {}, finish_reason: isCall ? 'tool_calls' : 'stop' }),
      ],
      'data: [DONE]\n\n',
    );
  },
};

const functionOf = ({ call, args }: { call: string; args: object }) => ({ name: call, arguments: JSON.stringify(args) });
