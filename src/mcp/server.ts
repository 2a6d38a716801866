import type { Readable, Writable } from 'node:stream';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { ShellgateError } from '../contract/error.js';
import { clientOf } from './client.js';
import { reply, type ServedTool, type ToolReply } from './tool.js';

export interface ServeOptions {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ServedTool[];
  /** What a model should know of the shells here, as text; asked for when the client reads the resource. */
  readonly environment: () => Promise<string>;
  /** Checks state that comes back with a call. A throw refuses the call. */
  readonly verifyState: (state: string, context: never) => Promise<unknown>;
  readonly input?: Readable;
  readonly output?: Writable;
  /** Told of what goes wrong outside of a call. */
  onError(error: Error): void;
}

export interface Serving {
  /** The client is gone, or `close` was called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Each tool checks its arguments itself: what is wrong with them is said in its own form. */
const SHOWN_ONLY = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
};

/** Where the environment's description is read. */
const ENVIRONMENT = 'shellgate://environment';

/** Serve tools to the one client at the other end of stdin and stdout, in whichever protocol era it speaks. */
export function serveMcp(options: ServeOptions): Serving {
  const { input = process.stdin, output = process.stdout, onError } = options;
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(() => build(options), { transport, onerror: onError });
  const closed = new Promise<void>(resolve => {
    const close = transport.onclose;
    transport.onclose = () => {
      close?.();
      resolve();
    };
  });
  return { closed, close: () => handle.close() };
}

/** A client may probe before it settles on an era, so this can happen twice; what the tools hold stays outside. */
function build({ version, instructions, tools, environment, verifyState }: ServeOptions): McpServer {
  const mcp = new McpServer(
    { name: 'shellgate', title: 'shellgate', version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions,
      inputRequired: { legacyShim: false },
      requestState: { verify: verifyState as (state: string) => Promise<unknown> },
    },
  );
  for (const { name, title, description, inputSchema, annotations, call } of tools) {
    const config = { title, description, inputSchema: fromJsonSchema(inputSchema as never, SHOWN_ONLY), annotations };
    mcp.registerTool(name, config, (args, context) =>
      said(() => call(args, { client: clientOf(context, mcp.server), request: context.mcpReq })),
    );
  }
  const about = {
    title: 'Shell environment',
    description: 'Which shell this is, and which programs it has',
    mimeType: 'text/markdown',
  };
  mcp.registerResource('environment', ENVIRONMENT, about, async () => ({
    contents: [{ uri: ENVIRONMENT, mimeType: about.mimeType, text: await environment() }],
  }));
  return mcp;
}

/** What the caller got wrong is told to it with a code; anything else is a bug and says so. */
async function said(call: () => ToolReply | Promise<ToolReply>): Promise<ToolReply> {
  try {
    return await call();
  } catch (error) {
    const { code, message } =
      error instanceof ShellgateError ? error : { code: 'INTERNAL_ERROR', message: `shellgate failed: ${String(error)}` };
    return reply({ outcome: 'invalid', code, reason: message, note: 'Nothing was run.' }, { isError: true });
  }
}
