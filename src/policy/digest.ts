import { hash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical.js';
import type { FileFact, SessionFacts } from '../contract/facts.js';
import type { Request } from '../contract/request.js';
import type { SessionState } from '../contract/session-state.js';

/** Hex SHA-256 of the RFC 8785 form of a value. */
export const hashOf = (value: unknown): string => textHash(canonicalJson(value));

export const textHash = (text: string): string => hash('sha256', text);

/**
 * What an answer binds (P4): everything the verdict depends on. Grants are left out, so that remembering an answer does
 * not void it; what the asker says of itself (`label`, `description`) is left out because no verdict looks at it.
 */
export function evaluationDigest(
  request: Request,
  state: SessionState,
  { facts, policy }: { readonly facts: SessionFacts; readonly policy: string },
): string {
  return hashOf({
    v: 1,
    kind: request.kind,
    text: request.text,
    stdin: request.stdin === undefined ? null : textHash(request.stdin),
    tty: request.tty,
    background: request.background ?? false,
    cwd: request.cwd ?? null,
    env: request.env ?? {},
    session: request.sessionId,
    principal: { kind: request.principal.kind, id: request.principal.id },
    state,
    facts: facts.known ? { ...facts, hashes: contents(facts.hashes) } : facts,
    policy,
  });
}

/** A file by its hash; its text would say the same at length. */
const contents = (hashes: Readonly<Record<string, FileFact>>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(hashes).map(([path, file]) => [path, file.sha256 ?? file.problem ?? null]));
