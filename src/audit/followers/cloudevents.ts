import type { AuditRecord } from '../../contract/audit.js';
import { commandFields, type ExportSource } from './export-fields.js';

/** A CloudEvents 1.0 envelope, for webhooks. The chain's hash goes along as extension attributes. */
export function toCloudEvent(record: AuditRecord, source: ExportSource): object {
  const { traceparent } = commandFields(record);
  const subject = record.command ?? record.session;
  return {
    specversion: '1.0',
    id: `${record.chain}-${record.seq}`,
    source: `/shellgate/${encodeURIComponent(source.host)}/${record.chain}`,
    type: `shellgate.${record.type}`,
    ...(subject !== undefined && { subject }),
    time: record.time,
    datacontenttype: 'application/json',
    sequence: String(record.seq).padStart(12, '0'),
    recordhash: record.hash,
    ...(record.session !== undefined && { session: record.session }),
    ...(traceparent !== undefined && { traceparent }),
    data: record.data,
  };
}
