import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What the model does next. */
export type Turn = { readonly run: string } | { readonly say: string };

/** What one request shows the model. */
export interface Shown {
  /** Names of the tools on offer, as this wire spells them. */
  readonly tools: readonly string[];
  /** Texts of the tool results in the conversation, oldest first. */
  readonly results: readonly string[];
}

/** A turn with the name that this client gave our tool. */
export type Reply = { readonly say: string } | { readonly call: string; readonly args: object; readonly id: string };

/** How one model API spells a conversation. */
export interface Wire {
  /** Whether a path asks the model for its next turn. Anything else is answered with 404. */
  asks(path: string): boolean;
  read(body: unknown): Shown;
  write(response: ServerResponse, reply: Reply): void;
}

export interface FakeModel {
  /** Without a path. */
  readonly url: string;
  /** Every request that offered tools, oldest first. */
  readonly shown: readonly Shown[];
}

/** Clients put the server's name before ours. */
const OURS = /run_shell$/;

/**
 * A model on loopback that follows a plan: the turn after n tool results is `plan[n]`. A client that repeats a request
 * gets the same turn again; one without our tool (a title for the conversation, say) gets a word.
 */
export async function fakeModel(wire: Wire, plan: readonly Turn[]): Promise<FakeModel> {
  const shown: Shown[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const path = request.url ?? '';
    if (request.method !== 'POST' || !wire.asks(path)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not here"}}');
      return;
    }
    const seen = wire.read(JSON.parse(body));
    if (seen.tools.length > 0) shown.push(seen);
    wire.write(response, replyTo(seen, plan));
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, shown };
}

function replyTo({ tools, results }: Shown, plan: readonly Turn[]): Reply {
  const call = tools.find(name => OURS.test(name));
  const turn = plan[results.length] ?? { say: 'Done.' };
  if ('say' in turn || call === undefined) return { say: 'say' in turn ? turn.say : 'Nothing to run with.' };
  return { call, args: { command: turn.run }, id: `call_${results.length}` };
}

/** Server-sent events, the way that every one of these APIs streams. */
export function stream(response: ServerResponse, events: readonly object[], last = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    if ('type' in event) response.write(`event: ${String(event.type)}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(last);
}
