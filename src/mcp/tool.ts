import type { CallToolResult, InputRequiredResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
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

/** Some clients show the model `structuredContent`, others `content`: both say the same. */
export function reply(value: Readonly<Record<string, unknown>>, { isError = false } = {}): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
    ...(isError && { isError }),
  };
}
