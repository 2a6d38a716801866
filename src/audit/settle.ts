import { closeSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditRecord } from '../contract/audit.js';
import { claimsIn, dropClaim } from './claim.js';
import { type ChainName, chainsIn, isClosed, readHead } from './directory.js';
import { openToRead } from './lines.js';
import { type ChainParts, goOn, type OwnedChain } from './open-chain.js';
import { isDead, thisProcess } from './owner.js';
import { walk } from './walk.js';

/**
 * Close the books of processes that died with their chains open: their questions can never be answered any more, so each
 * gets its `expired: owner-restarted` (design 7), and every session that was open its `session.lost` with the commands
 * that were running, in their own chain; a torn last line is cut off. A damaged chain is an
 * alarm and stays as it is. `opening` is what the settler's `audit.opened` says of itself.
 */
export async function settleDeadChains(directory: string, parts: ChainParts, opening: object): Promise<void> {
  const self = thisProcess();
  const claims = claimsIn(directory);
  for (const name of chainsIn(directory)) {
    const own = claims.filter(claim => claim.stem === name.stem);
    if (own.length === 0 || !own.every(claim => claim.owner && isDead(claim.owner, self))) continue;
    const head = readHead(name);
    // Claimed, but never written to: see claim.ts.
    if (head && own.some(claim => claim.seq === head.seq)) continue;
    try {
      if (!(await settle(directory, name, { parts, opening }))) continue;
      deleteReserve(directory, name);
      for (const claim of own) dropClaim(directory, name.stem, claim.seq);
    } catch (error) {
      parts.alarm(`${name.file}: ${(error as Error).message}`);
    }
  }
}

/** false: somebody else is at it, or it is damaged. */
async function settle(directory: string, name: ChainName, by: { parts: ChainParts; opening: object }): Promise<boolean> {
  const found = await leftOpen(name, by.parts);
  if (!found) return false;
  const { last, torn } = found;
  if (isClosed(last) && !torn) return true;
  const dead = goOn(directory, { name, seq: last.seq, hash: last.hash }, by.parts);
  if (!dead) return false;
  noteEnd(dead, found, by.opening);
  await dead.release();
  return true;
}

interface LeftOpen {
  readonly last: AuditRecord;
  /** Is there an unfinished line behind it? */
  readonly torn: boolean;
  /** Each question's record; a session has at most one. */
  readonly questions: readonly AuditRecord[];
  /** Sessions that were never closed. */
  readonly sessions: readonly string[];
  /** The start of each command that has no end. */
  readonly running: readonly AuditRecord[];
}

async function leftOpen(name: ChainName, parts: ChainParts): Promise<LeftOpen | undefined> {
  const questions = new Map<string | undefined, AuditRecord>();
  const running = new Map<string | undefined, AuditRecord>();
  const sessions = new Set<string>();
  let last: AuditRecord | undefined;
  let torn = false;
  const fd = openToRead(name.path);
  try {
    for await (const { record, problem } of walk(fd, name)) {
      if (problem?.kind === 'torn') {
        torn = true;
        break;
      }
      if (problem) {
        parts.alarm(problem.text);
        return undefined;
      }
      last = record;
      if (record.type === 'approval.requested') questions.set(record.command, record);
      if (record.type === 'approval.answered') questions.delete(record.command);
      if (record.type === 'command.started') running.set(record.command, record);
      if (record.type === 'command.finished') running.delete(record.command);
      if (record.type === 'session.opened' && record.session !== undefined) sessions.add(record.session);
      if (record.type === 'session.closed' && record.session !== undefined) sessions.delete(record.session);
    }
  } finally {
    closeSync(fd);
  }
  return last && { last, torn, questions: [...questions.values()], sessions: [...sessions], running: [...running.values()] };
}

function noteEnd({ chain, repaired }: OwnedChain, { questions, sessions, running }: LeftOpen, opening: object): void {
  chain.append('audit.opened', { ...opening, settles: true });
  if (repaired) chain.append('audit.repaired', repaired);
  for (const { session, command, data } of questions) {
    const questionId = (data as { id?: unknown } | null)?.id;
    const reason = 'owner-restarted: the process that asked is gone';
    chain.append(
      'approval.answered',
      { outcome: 'refused', by: 'expiry', code: 'APPROVAL_EXPIRED', reason, questionId },
      { ...(session !== undefined && { session }), ...(command !== undefined && { command }) },
    );
  }
  for (const session of sessions) {
    const commands = running.filter(record => record.session === session).map(record => record.command);
    chain.append('session.lost', { reason: 'owner-restarted: the process that owned it is gone', commands }, { session });
  }
  chain.append('audit.head', { closed: true });
}

function deleteReserve(directory: string, name: ChainName): void {
  try {
    unlinkSync(join(directory, `${name.stem}.reserve`));
  } catch {}
}
