import { randomBytes } from 'node:crypto';
import type { Approved } from '../contract/answer.js';
import type { Grant } from '../contract/policy.js';
import type { Context } from './context.js';
import { strangePlace } from './fact-checks.js';

/** The grant that an answer to a question about this context would leave behind. */
export function grantFor(context: Context, answer: Pick<Approved, 'approver' | 'remember'>): Grant {
  const { request, state } = context;
  const scope = answer.remember?.scope ?? 'session';
  const also = answer.remember?.scope === 'session' ? answer.remember.also : undefined;
  return {
    id: `g-${randomBytes(4).toString('hex')}`,
    scope,
    ...(answer.remember?.rule ? { rule: answer.remember.rule } : { text: request.text, cwd: state.cwd }),
    ...(also && { also }),
    principal: request.principal.id,
    executor: state.executor,
    ...(scope === 'session' && { sessionId: request.sessionId, generation: state.generation }),
    ...boundTo(context),
    createdAt: new Date().toISOString(),
    by: answer.approver.label || answer.approver.id,
  };
}

/** What the answer relied on: contents of files, and places of programs that do not belong to the system. */
export function boundTo(context: Context): Pick<Grant, 'hashes' | 'names'> {
  const { analysis, facts } = context;
  if (!facts.known) return { hashes: {} };
  const hashes: Record<string, string> = {};
  for (const path of analysis.query.hashes) {
    const sha256 = Object.hasOwn(facts.hashes, path) ? facts.hashes[path]?.sha256 : undefined;
    if (sha256 !== undefined) hashes[path] = sha256;
  }
  const names: Record<string, string> = {};
  for (const name of analysis.query.names) {
    const path = strangePlace(name, context);
    if (path !== undefined) names[name] = path;
  }
  return { hashes, ...(Object.keys(names).length > 0 && { names }) };
}
