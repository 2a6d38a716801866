import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { Tools } from '../../tools/create-tools.js';
import type { ToolFunction } from '../../tools/tool.js';
import { originOf, principalOf } from '../client.js';
import type { McpTool } from '../tool.js';

/** The schema is shown as it is and not enforced here: a wrong argument gets the tool's own error, in its wire's shape. */
const SHOWN_ONLY = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
};

/** The tools of other systems under their own names, behind the same gate (`shellgate mcp --tools supyagent,agenttool`). */
export function toolsOverMcp(tools: Tools, program: string | undefined): McpTool[] {
  return tools.list().map(each => overMcp(each, tools, program));
}

function overMcp({ name, description, inputSchema }: ToolFunction, tools: Tools, program: string | undefined): McpTool {
  return {
    name,
    title: name,
    description,
    input: fromJsonSchema(inputSchema as never, SHOWN_ONLY) as never,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async call(args, { client, request }) {
      const { output, isError } = await tools.call(name, args, {
        signal: request.signal,
        principal: principalOf(client, program),
        ...originOf(request),
      });
      const text = typeof output === 'string' ? output : JSON.stringify(output);
      return {
        content: [{ type: 'text', text }],
        ...(typeof output === 'object' && { structuredContent: output as Record<string, unknown> }),
        ...(isError && { isError }),
      };
    },
  };
}
