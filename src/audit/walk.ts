import type { AuditProblem, AuditRecord } from '../contract/audit.js';
import type { ChainName } from './directory.js';
import { linesOf } from './lines.js';
import { isGenuine, NO_RECORD, parseRecord } from './record.js';

/** One step along a chain: its next intact record, or what breaks it, which is the last step. */
export type Step =
  | { readonly record: AuditRecord; readonly to: number; readonly problem?: never }
  | { readonly problem: AuditProblem; readonly record?: never };

/** Follow a chain from its first record, in bounded memory. Nothing behind the first break is vouched for. */
export async function* walk(fd: number, name: ChainName, end?: number): AsyncGenerator<Step> {
  let seq = 0;
  let prev = NO_RECORD;
  for await (const line of linesOf(fd, 0, end)) {
    const expected = seq + 1;
    const broken = (kind: AuditProblem['kind'], what: string): Step => ({
      problem: {
        kind,
        chain: name.chain,
        file: name.file,
        record: expected,
        text: `${name.file} record ${expected}: ${what}; ${intact(seq)}`,
      },
    });
    if (!line.complete) {
      yield broken('torn', 'incomplete last line, as a power cut leaves it');
      return;
    }
    const record = parseRecord(line.bytes);
    if (!record) {
      yield broken('unreadable', 'is not a record');
      return;
    }
    if (!isGenuine(line.bytes, record)) {
      yield broken('content', 'content does not match its hash');
      return;
    }
    const wrong = misplaced(record, { chain: name.chain, seq: expected, prev });
    if (wrong) {
      yield broken(...wrong);
      return;
    }
    seq = expected;
    prev = record.hash;
    yield { record, to: line.to };
  }
}

function misplaced(
  record: AuditRecord,
  due: { chain: string; seq: number; prev: string },
): [AuditProblem['kind'], string] | undefined {
  if (record.chain !== due.chain) return ['order', `belongs to chain ${record.chain}`];
  if (record.seq > due.seq) return ['missing-record', `is missing, record ${record.seq} stands in its place`];
  if (record.seq < due.seq) return ['order', `record ${record.seq} stands in its place`];
  if (record.prev !== due.prev) return ['link', 'does not follow from the record before it'];
  return undefined;
}

function intact(upTo: number): string {
  if (upTo === 0) return 'none before it';
  return upTo === 1 ? 'record 1 intact' : `records 1-${upTo} intact`;
}
