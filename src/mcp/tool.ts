import type { CallToolResult, InputRequiredResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ShellgateError } from '../contract/error.js';
import { wrongInput } from '../contract/wrong-input.js';
import type { Client } from './client.js';

/** What a tool is told beside its arguments. */
export interface ToolContext {
  readonly client: Client;
  readonly request: ServerContext['mcpReq'];
}

export type ToolReply = CallToolResult | InputRequiredResult;

/** One tool of the server: add one by making a file that exports one, and naming it where the server is started. */
export interface McpTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  /** Strict: an unknown argument is refused, with its name. */
  readonly input: Input;
  readonly annotations: ToolAnnotations;
  /** A ShellgateError thrown here becomes an error reply with its code. */
  call(args: z.infer<Input>, context: ToolContext): Promise<ToolReply>;
}

/** A tool as the server has it: its schema to be shown, and arguments that nobody has looked at yet. */
export interface ServedTool extends Omit<McpTool, 'input' | 'call'> {
  readonly inputSchema: Readonly<Record<string, unknown>>;
  call(args: unknown, context: ToolContext): Promise<ToolReply>;
}

/** Wrong arguments get an answer in our own form, with the nearest name. Error: `REQUEST_INVALID`. */
export function served<Input extends z.ZodObject>({ input, call, ...about }: McpTool<Input>): ServedTool {
  return {
    ...about,
    inputSchema: z.toJSONSchema(input, { io: 'input' }),
    call(args, context) {
      const parsed = input.safeParse(args ?? {});
      if (parsed.success) return call(parsed.data, context);
      const { text } = wrongInput(parsed.error, args, Object.keys(input.shape));
      throw new ShellgateError('REQUEST_INVALID', text);
    },
  };
}

/** Some clients show the model `structuredContent`, others `content`: both say the same. */
export function reply(value: Readonly<Record<string, unknown>>, { isError = false } = {}): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
    ...(isError && { isError }),
  };
}
