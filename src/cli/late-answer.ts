import { auditRecords } from '../audit/read.js';
import type { AuditRecord } from '../contract/audit.js';

/** A question that was asked once, as the log tells it. */
export interface PastQuestion {
  readonly id: string;
  readonly digest: string;
  /** `denied at 21:04:12`, `allowed once by ana (socket) at 21:04:12`, `not answered: its process is gone`. */
  readonly ending: string;
}

type Data = Readonly<Record<string, unknown>>;

/** The newest question of that name in a log, for `k7qd` or `k7qd-3f9a`. A log that cannot be read tells of none. */
export async function pastQuestion(directory: string, typed: string): Promise<PastQuestion | undefined> {
  const [id, digits = ''] = typed.split('-');
  let asked: AuditRecord | undefined;
  let answered: AuditRecord | undefined;
  try {
    for await (const record of auditRecords(directory)) {
      const data = (record.data ?? {}) as Data;
      const isIt = record.type === 'approval.requested' && data['id'] === id && String(data['digest']).startsWith(digits);
      if (isIt && (asked?.time ?? '') <= record.time) [asked, answered] = [record, undefined];
      else if (record.type === 'approval.answered' && isAnswerTo(record, asked)) answered ??= record;
    }
  } catch {
    return undefined;
  }
  if (!asked) return undefined;
  const { digest } = asked.data as { digest: string };
  return { id: id!, digest, ending: answered ? endingOf(answered) : 'not answered: its process is gone' };
}

function isAnswerTo(record: AuditRecord, asked: AuditRecord | undefined): boolean {
  return asked !== undefined && record.command === asked.command && record.chain === asked.chain && record.seq > asked.seq;
}

const REFUSED: Readonly<Record<string, string>> = { approver: 'denied', expiry: 'expired', caller: 'cancelled' };

function endingOf({ data, time }: AuditRecord): string {
  const { outcome, by, approver, channel, remember } = data as Data;
  const { label } = (approver ?? {}) as { label?: string };
  const who = label === undefined ? '' : ` by ${label} (${String(channel)})`;
  const what =
    outcome === 'approved'
      ? `allowed ${remember ? ((remember as Data)['scope'] === 'session' ? 'for the session' : 'always') : 'once'}`
      : outcome === 'edited'
        ? 'edited'
        : (REFUSED[String(by)] ?? 'refused');
  return `${what}${who} at ${new Date(time).toTimeString().slice(0, 8)}`;
}
