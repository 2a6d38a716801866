import type { AuditRecord } from '../../contract/audit.js';

/** Where the records of a chain come from, told once in its `audit.opened`. */
export interface ExportSource {
  readonly host: string;
  readonly user?: string;
  readonly uid?: number;
  readonly version?: string;
}

/** What a chain's `audit.opened` says of its process. */
export function sourceOf(opened: AuditRecord): ExportSource {
  const { host, user, uid, version } = fields(opened.data);
  return {
    host: typeof host === 'string' ? host : 'unknown',
    ...(typeof user === 'string' && { user }),
    ...(typeof uid === 'number' && { uid }),
    ...(typeof version === 'string' && { version }),
  };
}

/** Data of a record, field by field; nothing when it is no object. */
export function fields(data: unknown): Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
}

/** What every exporter asks of a record about a command. */
export interface CommandFields {
  /** Whole, or the beginning of a very long one. */
  readonly text?: string;
  readonly cwd?: string;
  readonly exitCode?: number;
  readonly durationMs?: number;
  readonly reason?: string;
  readonly code?: string;
  readonly client?: string;
  readonly toolCallId?: string;
  readonly traceparent?: string;
}

export function commandFields({ data }: AuditRecord): CommandFields {
  const all = fields(data);
  const origin = fields(all['origin']);
  const text = all['text'] ?? undefined;
  const found: Record<string, unknown> = {
    text: typeof text === 'string' ? text : fields(text)['beginning'],
    cwd: all['cwd'],
    reason: all['reason'],
    code: all['code'],
    client: fields(all['principal'])['client'],
    toolCallId: origin['toolCallId'],
    traceparent: origin['traceparent'],
  };
  const texts = Object.entries(found).filter(([, value]) => typeof value === 'string');
  const counts = ['exitCode', 'durationMs'].map(key => [key, all[key]]).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries([...texts, ...counts]);
}

/** How a record's event went, as far as it says. */
export function outcomeOf({ type, data }: AuditRecord): 'success' | 'failure' | 'unknown' {
  const { outcome, exitCode, decision } = fields(data);
  if (type === 'command.finished') return outcome === 'exited' && exitCode === 0 ? 'success' : 'failure';
  if (type === 'command.refused' || type.endsWith('.failed') || type === 'session.lost') return 'failure';
  if (type === 'command.evaluated') return decision === 'deny' ? 'failure' : 'unknown';
  return type === 'command.started' ? 'success' : 'unknown';
}
