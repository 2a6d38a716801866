import type { AuditRecord } from '../../contract/audit.js';
import { commandFields, type ExportSource, fields, outcomeOf } from './export-fields.js';

/** Elastic Common Schema. Every record has a form; those about commands are `process` events. */
export function toEcs(record: AuditRecord, source: ExportSource): object {
  const { text, cwd, exitCode, durationMs, reason, code, client, toolCallId } = commandFields(record);
  const { stdout, stderr } = fields(record.data);
  const captured = [stdout, stderr].map(fields);
  const event = {
    kind: 'event',
    category: [categoryOf(record)],
    type: [typeOf(record)],
    action: record.type,
    outcome: outcomeOf(record),
    module: 'shellgate',
    dataset: 'shellgate.audit',
    id: `${record.chain}-${record.seq}`,
    sequence: record.seq,
    hash: record.hash,
    ...(durationMs !== undefined && { duration: Math.round(durationMs * 1e6) }),
    ...(reason !== undefined && { reason }),
    ...(code !== undefined && { code }),
  };
  const process = {
    ...(record.command !== undefined && { entity_id: record.command }),
    ...(text !== undefined && { command_line: text }),
    ...(cwd !== undefined && { working_directory: cwd }),
    ...(exitCode !== undefined && { exit_code: exitCode }),
    ...(stdout !== undefined && {
      io: { total_bytes_captured: sum(captured, 'bytes'), total_bytes_skipped: sum(captured, 'omittedBytes') },
    }),
  };
  return {
    '@timestamp': record.time,
    ecs: { version: '8.17.0' },
    event,
    ...(Object.keys(process).length > 0 && { process }),
    host: { name: source.host },
    user: {
      ...(source.user !== undefined && { name: source.user }),
      ...(source.uid !== undefined && { id: String(source.uid) }),
    },

    ...(toolCallId !== undefined && { gen_ai: { tool: { call: { id: toolCallId } } } }),
    labels: {
      chain: record.chain,
      ...(client !== undefined && { client }),
      ...(record.session !== undefined && { session: record.session }),
    },
  };
}

function categoryOf({ type }: AuditRecord): string {
  if (type.startsWith('session.')) return 'session';
  return type.startsWith('policy.') || type.startsWith('grant.') || type.startsWith('audit.') ? 'configuration' : 'process';
}

function typeOf({ type }: AuditRecord): string {
  switch (type) {
    case 'session.opened':
    case 'command.started':
      return 'start';
    case 'session.closed':
    case 'session.lost':
    case 'command.finished':
      return 'end';
    case 'command.refused':
    case 'answer.refused':
      return 'denied';
    default:
      return 'info';
  }
}

function sum(parts: readonly Readonly<Record<string, unknown>>[], key: string): number {
  return parts.reduce((total, part) => total + (typeof part[key] === 'number' ? part[key] : 0), 0);
}
