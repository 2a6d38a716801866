/** Words of the tool standard that document 002 builds on. Only those that a shell tool can come to use. */
export const SCHEMA_VERSION = '0.2.0';

export type InvocationState =
  | 'planned'
  | 'selected'
  | 'arguments_ready'
  | 'validation_failed'
  | 'awaiting_approval'
  | 'approved'
  | 'denied'
  | 'queued'
  | 'running'
  | 'yielded'
  | 'succeeded'
  | 'failed'
  | 'canceled'
  | 'timed_out';

export type ResultStatus = 'succeeded' | 'partial_succeeded' | 'failed' | 'denied' | 'canceled' | 'timed_out';

export type ProgressStatus =
  | 'queued'
  | 'waiting_for_permission'
  | 'started'
  | 'running'
  | 'backgrounded'
  | 'completed'
  | 'failed'
  | 'canceled';

export type ErrorClass =
  | 'unknown_tool'
  | 'invalid_arguments'
  | 'schema_validation_failed'
  | 'permission_denied'
  | 'timeout'
  | 'rate_limited'
  | 'dependency_unavailable'
  | 'execution_failed'
  | 'result_too_large'
  | 'canceled';

export type RecordKind =
  | 'invocation'
  | 'permission_decision'
  | 'progress'
  | 'result'
  | 'result_persistence'
  | 'input_mutation'
  | 'event';

/** One record and which of the standard's schemas it follows. Nothing secret that the redactor knows is in it (P10). */
export interface ToolRecord {
  readonly kind: RecordKind;
  readonly record: Readonly<Record<string, unknown>>;
}

/** The standard's event for each state that an invocation can reach. */
export const EVENT_OF: Readonly<Record<InvocationState, string>> = {
  planned: 'tool.invocation.planned',
  selected: 'tool.invocation.selected',
  arguments_ready: 'tool.invocation.arguments_ready',
  validation_failed: 'tool.invocation.validation_failed',
  awaiting_approval: 'tool.permission.requested',
  approved: 'tool.permission.decided',
  denied: 'tool.permission.decided',
  queued: 'tool.invocation.queued',
  running: 'tool.invocation.started',
  yielded: 'tool.invocation.yielded',
  succeeded: 'tool.invocation.succeeded',
  failed: 'tool.invocation.failed',
  canceled: 'tool.invocation.canceled',
  timed_out: 'tool.invocation.timed_out',
};
