import { findQuestion, type GateConnection } from '../approval/socket-client.js';
import { ShellgateError } from '../contract/error.js';
import { shownId } from '../contract/question.js';
import type { Waiting } from './pending-table.js';

const ID = /^[a-z0-9]{4}(?:-[0-9a-f]{4})?$/;

/**
 * The one question that a person named. Errors: `OPTION_INVALID`, `UNKNOWN_QUESTION`, `AMBIGUOUS_ID` with every
 * question it could be.
 */
export async function namedQuestion(gates: readonly GateConnection[], typed: string): Promise<Waiting> {
  if (!ID.test(typed)) {
    throw new ShellgateError('OPTION_INVALID', `"${typed}" is no question; it looks like k7qd or k7qd-3f9a`, { place: 'ID' });
  }
  const found = await findQuestion(gates, typed);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new ShellgateError('UNKNOWN_QUESTION', `no question ${typed} waits; see shellgate pending`);
  const ids = found.map(({ question }) => shownId(question)).join(', ');
  throw new ShellgateError('AMBIGUOUS_ID', `${typed} could be ${ids}; name one of them whole. Nothing changed`);
}

/** Does the id name the bytes as well? */
export const namesBytes = (typed: string): boolean => typed.includes('-');
