import type { AuditRecord, AuditType } from '../../contract/audit.js';
import { commandFields, type ExportSource, fields, outcomeOf } from './export-fields.js';

const ACTIVITY: Partial<Record<AuditType, { readonly id: number; readonly name: string; readonly allowed?: boolean }>> = {
  'command.started': { id: 1, name: 'Launch', allowed: true },
  'command.refused': { id: 1, name: 'Launch', allowed: false },
  'command.finished': { id: 2, name: 'Terminate' },
};

/**
 * OCSF Process Activity (class 1007) with the security control profile. undefined for records that are no process
 * activity. `process.uid` is the command's id: it joins a start with its end.
 */
export function toOcsf(record: AuditRecord, source: ExportSource): object | undefined {
  const activity = ACTIVITY[record.type];
  if (!activity) return undefined;
  const { text, cwd, exitCode, durationMs, reason, client } = commandFields(record);
  const { approval } = fields(record.data);
  const user = { name: source.user, uid: source.uid === undefined ? undefined : String(source.uid) };
  const failed = outcomeOf(record) === 'failure';
  return defined({
    class_uid: 1007,
    class_name: 'Process Activity',
    category_uid: 1,
    category_name: 'System Activity',
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: 100_700 + activity.id,
    time: Date.parse(record.time),
    severity_id: activity.allowed === false ? 3 : 1,
    status_id: failed ? 2 : 1,
    status_detail: reason,
    ...(activity.allowed !== undefined && { action_id: activity.allowed ? 1 : 2, disposition_id: activity.allowed ? 1 : 2 }),
    exit_code: exitCode,
    duration: durationMs === undefined ? undefined : Math.round(durationMs),
    actor: defined({ app_name: client ?? 'shellgate', user: defined(user), session: defined({ uid: record.session }) }),
    device: { hostname: source.host, type_id: 0 },
    process: defined({ uid: record.command, cmd_line: text, working_directory: cwd, session: defined({ uid: record.session }) }),
    metadata: defined({
      version: '1.5.0',
      product: defined({ name: 'shellgate', vendor_name: 'shellgate', version: source.version }),
      profiles: ['security_control'],
      log_name: 'audit',
      uid: record.hash,
      sequence: record.seq,
      correlation_uid: record.command,
    }),
    unmapped: defined({ chain: record.chain, prev: record.prev, approval }),
  });
}

/** Without the fields that are unknown. */
function defined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
}
