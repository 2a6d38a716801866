import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Principal } from '../contract/principal.js';

/** What a client says of itself. None of it is trusted. */
export interface Client {
  /** Safe to show. */
  readonly name: string;
  readonly version: string;
  /**
   * How it lets a person be asked: `pushed` (older protocol: a request to the client), `returned` (2026-07-28: the call
   * ends with a question and is made again with the answer), or not at all.
   */
  readonly elicitation: 'pushed' | 'returned' | 'none';
}

const infoSchema = z.object({ name: z.string(), version: z.string() }).catch({ name: '', version: '' });
const capabilitiesSchema = z
  .object({ elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional() })
  .catch({ elicitation: undefined });

/** The newer protocol says it with each request, the older one once at the beginning. */
export function clientOf({ mcpReq }: ServerContext, server: Server): Client {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const info = infoSchema.parse(envelope ? envelope[CLIENT_INFO_META_KEY] : server.getClientVersion());
  const { elicitation } = capabilitiesSchema.parse(
    envelope ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities(),
  );
  // A bare `elicitation: {}` means forms: the modes came later.
  const asks = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  return {
    name: shownName(info.name) || 'unnamed client',
    version: shownName(info.version),
    elicitation: asks ? (envelope ? 'returned' : 'pushed') : 'none',
  };
}

/** A name is drawn on a person's screen: printable, one line, short. */
function shownName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '')
    .trim()
    .slice(0, 60);
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Where a request comes from, for whoever joins the log with other records. */
export function originOf({ id, _meta }: ServerContext['mcpReq']): { toolCallId: string; traceparent?: string } {
  const traceparent = _meta?.['traceparent'];
  const isValid = typeof traceparent === 'string' && TRACEPARENT.test(traceparent);
  return { toolCallId: String(id), ...(isValid && { traceparent }) };
}

/** The id is what we know of the asker, not what it says: a remembered answer must not go to whoever takes its name. */
export function principalOf({ name, version }: Client, program: string | undefined): Principal {
  return { kind: 'model', id: `mcp:${program ?? 'unknown program'}`, label: name, client: [name, version].join(' ').trim() };
}
