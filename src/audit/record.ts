import { createHash } from 'node:crypto';
import type { AuditRecord } from '../contract/audit.js';
import { canonicalJson } from '../contract/canonical.js';

/** The `prev` of a chain's first record. */
export const NO_RECORD = '0'.repeat(64);

/** The longest line that is written or read, in bytes. `recorded.ts` keeps data far below it. */
export const MAX_LINE = 8 * 1024 * 1024;

export type Unsealed = Omit<AuditRecord, 'hash'>;

/**
 * The line of a record, itself in RFC 8785 form, and its hash. The form is put together from its parts in key order, so
 * that the data, which is most of it, is walked once: `hash` covers `head + tail`, the line holds the hash between them.
 */
export function seal(record: Unsealed): { line: string; hash: string } {
  const { chain, command, data, monoNs, prev, seq, session, time, type } = record;
  const head = `{"chain":${quote(chain)},${command === undefined ? '' : `"command":${quote(command)},`}"data":${canonicalJson(data)},`;
  const middle = `"monoNs":${quote(monoNs)},"prev":${quote(prev)},"seq":${seq},`;
  const tail = `${middle}${session === undefined ? '' : `"session":${quote(session)},`}"time":${quote(time)},"type":${quote(type)},"v":1}`;
  const hash = createHash('sha256').update(head).update(tail).digest('hex');
  return { line: `${head}"hash":"${hash}",${tail}`, hash };
}

const quote = (text: string): string => JSON.stringify(text);

/** The record of one line (without its line feed), or undefined when it is none. Says nothing about its hash. */
export function parseRecord(line: Buffer): AuditRecord | undefined {
  let value: Partial<Record<keyof AuditRecord, unknown>>;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || value.v !== 1 || !Number.isSafeInteger(value.seq)) return undefined;
  const texts = [value.chain, value.time, value.monoNs, value.type, value.prev, value.hash];
  const optional = [value.session, value.command].filter(text => text !== undefined);
  return [...texts, ...optional].every(text => typeof text === 'string') && 'data' in value ? (value as AuditRecord) : undefined;
}

/** Is the line byte for byte what its record says, with the right hash? */
export function isGenuine(line: Buffer, record: AuditRecord): boolean {
  return Buffer.from(seal(record).line).equals(line);
}
