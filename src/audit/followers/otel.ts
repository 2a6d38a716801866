import type { AuditRecord } from '../../contract/audit.js';
import { commandFields, type ExportSource, outcomeOf } from './export-fields.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

/**
 * One OTLP/JSON log record, for `resourceLogs[].scopeLogs[].logRecords`. A request that came with a `traceparent`
 * continues the caller's trace.
 */
export function toOtel(record: AuditRecord, source: ExportSource): object {
  const { text, cwd, exitCode, reason, code, toolCallId, traceparent } = commandFields(record);
  const failed = outcomeOf(record) === 'failure';
  const attributes = {
    'log.record.uid': `${record.chain}-${record.seq}`,
    'host.name': source.host,
    'user.name': source.user,
    'session.id': record.session,
    'process.command_line': text,
    'process.working_directory': cwd,
    'process.exit.code': exitCode,
    'error.type': failed ? code : undefined,
    'gen_ai.operation.name': record.command === undefined ? undefined : 'execute_tool',
    'gen_ai.tool.call.id': toolCallId,
    'shellgate.command.id': record.command,
    'shellgate.chain': record.chain,
    'shellgate.hash': record.hash,
    'shellgate.data': JSON.stringify(record.data),
  };
  const trace = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent ?? '');
  return {
    timeUnixNano: `${Date.parse(record.time)}000000`,
    severityNumber: failed ? 13 : 9,
    severityText: failed ? 'WARN' : 'INFO',
    eventName: `shellgate.${record.type}`,
    body: { stringValue: reason ?? text ?? record.type },
    attributes: Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [attribute(key, value)])),
    ...(trace && { traceId: trace[1], spanId: trace[2] }),
  };
}

function attribute(key: string, value: string | number): Attribute {
  return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } };
}
