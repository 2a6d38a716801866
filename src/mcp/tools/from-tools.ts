import type { Tools } from '../../tools/create-tools.js';
import type { ToolFunction } from '../../tools/tool.js';
import { originOf, principalOf } from '../client.js';
import type { ServedTool } from '../tool.js';

/** The tools of other systems under their own names, behind the same gate (`shellgate mcp --tools supyagent,agenttool`). */
export function toolsOverMcp(tools: Tools, program: string | undefined): ServedTool[] {
  return tools.list().map(each => overMcp(each, tools, program));
}

function overMcp({ name, description, inputSchema }: ToolFunction, tools: Tools, program: string | undefined): ServedTool {
  return {
    name,
    title: name,
    description,
    inputSchema,
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
