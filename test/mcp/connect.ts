import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallToolResult, Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { freshHome, MAIN } from '../helpers/cli.js';

export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

export interface Dialog {
  readonly message: string;
  readonly choices: readonly string[];
}
export type DialogAnswer = { action: 'accept'; content: Record<string, string> } | { action: 'decline' | 'cancel' };

export interface ConnectOptions {
  readonly era?: Era | 'auto';
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly name?: string;
  /** What the client's person says to a dialog. Absent: the client declares no elicitation. */
  readonly answer?: (dialog: Dialog, signal: AbortSignal) => DialogAnswer | Promise<DialogAnswer>;
}

export interface Connected {
  readonly client: Client;
  readonly pid: number;
  readonly env: Record<string, string>;
  readonly dialogs: Dialog[];
  /** What the server wrote to its stderr. */
  said(): string;
  /** structuredContent of a call. */
  call(tool: string, args: object, options?: Parameters<Client['callTool']>[1]): Promise<Record<string, unknown>>;
  raw(tool: string, args: object, options?: Parameters<Client['callTool']>[1]): Promise<CallToolResult>;
  run(command: string, more?: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The official client and a real `shellgate mcp`; both are gone after the test. */
export async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const { era = 'legacy', args = [], name = 'test-client', answer } = options;
  const env = options.env ?? freshHome();
  const dialogs: Dialog[] = [];
  const capabilities: ClientCapabilities = answer ? { elicitation: { form: {} } } : {};
  const mode = era === 'modern' ? { pin: '2026-07-28' } : era;
  const client = new Client({ name, version: '1.0' }, { capabilities, versionNegotiation: { mode } });
  if (answer) {
    client.setRequestHandler('elicitation/create', async ({ params }, context) => {
      const schema = 'requestedSchema' in params ? params.requestedSchema : undefined;
      const decision = schema?.properties['decision'] as { enum?: string[] } | undefined;
      const dialog = { message: params.message, choices: decision?.enum ?? [] };
      dialogs.push(dialog);
      return answer(dialog, context.mcpReq.signal);
    });
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env,
    cwd: options.cwd ?? env['HOME']!,
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  await client.connect(transport);
  const close = () => client.close();
  onTestFinished(close);
  const raw: Connected['raw'] = (tool, given, requestOptions) =>
    client.callTool({ name: tool, arguments: given as Record<string, unknown> }, requestOptions);
  const call: Connected['call'] = async (tool, given, requestOptions) => {
    const result = await raw(tool, given, requestOptions);
    return (result.structuredContent ?? { error: result.content }) as Record<string, unknown>;
  };
  const run: Connected['run'] = (command, more = {}) => call('run_shell', { command, ...more });
  return { client, pid: transport.pid!, env, dialogs, said: () => stderr, call, raw, run, close };
}

/** Records of every chain of a home's log, in the order of their time. */
export function records(env: Record<string, string>): { type: string; data: Record<string, unknown> }[] {
  const folder = join(env['XDG_STATE_HOME']!, 'shellgate/audit');
  return readdirSync(folder)
    .filter(file => file.endsWith('.jsonl'))
    .flatMap(file => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
    .map(line => JSON.parse(line) as { type: string; time: string; data: Record<string, unknown> })
    .sort((a, b) => a.time.localeCompare(b.time));
}

/** Command lines of every process of this machine. */
export function processes(): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(pid => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      } catch {
        return '';
      }
    });
}
