import { z } from 'zod';
import type { RecordKind, ToolRecord } from '../../src/tools/records/vocabulary.js';

/** The standard's schemas v0.2.0 as far as its record tables tell them: what is required, what type a known field has. */
const version = z.literal('0.2.0');
const text = z.string();
const ref = z.string().min(1);
const refs = z.array(ref).optional();
const time = z.iso.datetime();
const object = z.record(z.string(), z.unknown());
const flag = z.boolean().optional();
const classified = z.union([z.boolean(), z.string().regex(/^(classifier|same_as):/)]).optional();
const count = z.int().min(0);

const STATES = [
  'planned',
  'selected',
  'schema_parse_failed',
  'arguments_ready',
  'validation_failed',
  'pre_hooks_running',
  'awaiting_approval',
  'approved',
  'denied',
  'queued',
  'running',
  'needs_input',
  'partial_result',
  'post_hooks_running',
  'yielded',
  'succeeded',
  'failed',
  'canceled',
  'timed_out',
  'blocked',
] as const;

const ERROR_CLASSES = [
  'unknown_tool',
  'invalid_arguments',
  'schema_validation_failed',
  'schema_not_loaded',
  'permission_denied',
  'approval_rejected',
  'policy_blocked',
  'hook_blocked',
  'capability_gap',
  'setup_required',
  'credential_missing',
  'sandbox_violation',
  'timeout',
  'rate_limited',
  'dependency_unavailable',
  'execution_failed',
  'partial_failure',
  'result_too_large',
  'result_redacted',
  'sibling_canceled',
  'streaming_fallback_discarded',
  'canceled',
] as const;

export const declarationSchema = z.looseObject({
  schema_version: version,
  tool_id: ref,
  namespace: ref,
  name: ref,
  description: text,
  lifecycle: z.enum(['draft', 'available', 'disabled', 'requires_setup', 'deferred', 'deprecated', 'retired']),
  tool_kind: ref,
  aliases: z.array(text).optional(),
  search_hint: text.optional(),
  title: text.optional(),
  capability_refs: refs,
  input_contract: object.optional(),
  output_contract: object.optional(),
  interface_ref: ref.optional(),
  execution_profile_ref: ref.optional(),
  permission_profile_ref: ref.optional(),
  external_mappings: z.array(object).optional(),
  annotations: object.optional(),
});

export const interfaceSchema = z.looseObject({
  schema_version: version,
  interface_id: ref,
  tool_id: ref,
  name: text.optional(),
  aliases: z.array(text).optional(),
  search_hint: text.optional(),
  model_input_schema: object.optional(),
  runtime_input_schema: object.optional(),
  output_schema: object.optional(),
  strict: flag,
  schema_visibility: z.enum(['loaded', 'deferred', 'internal', 'native_ref']).optional(),
  is_enabled: classified,
  is_read_only: classified,
  is_concurrency_safe: classified,
  is_destructive: classified,
  is_open_world: classified,
  requires_user_interaction: flag,
  permission_matcher: text.optional(),
  persistence_policy_ref: ref.optional(),
  max_inline_chars: count.optional(),
  interrupt_behavior: z.enum(['cancel', 'block']).optional(),
});

export const executionSchema = z.looseObject({
  schema_version: version,
  execution_profile_id: ref,
  execution_kind: ref,
  supports_progress: flag,
  supports_cancel: flag,
  supports_resume: flag,
  supports_retries: flag,
  supports_partial_results: flag,
  supports_background: flag,
  supports_artifacts: flag,
  supports_context_modifiers: flag,
  sandboxed: flag,
  sandbox_profile: text.optional(),
  timeout_ms: count.optional(),
});

export const permissionSchema = z.looseObject({
  schema_version: version,
  permission_profile_id: ref,
  risk_level: z.enum(['low', 'medium', 'high', 'critical']),
  access_kinds: z.array(text).optional(),
  write_effects: z.array(text).optional(),
  credential_refs: refs,
  sandbox_profile: text.optional(),
  approval_required: flag,
  approval_reason: text.optional(),
  rule_matching_fields: z.array(text).optional(),
  redaction_required: flag,
  policy_refs: refs,
});

export const schedulerSchema = z.looseObject({
  schema_version: version,
  scheduler_policy_id: ref,
  scope: text.optional(),
  max_parallel: z.int().positive().optional(),
  ordering_policy: z.enum(['preserve_terminal_order', 'allow_unordered', 'serial']).optional(),
  yield_policy: z.enum(['progress_immediate_results_ordered', 'all_ordered', 'unordered_streaming']).optional(),
  interrupt_behavior: z.enum(['cancel', 'block']).optional(),
  sibling_failure_policy: z.enum(['ignore', 'cancel_siblings', 'cancel_dependent']).optional(),
  context_modifier_policy: z.enum(['allow_serial_only', 'defer_until_batch_complete', 'forbid']).optional(),
});

const error = z.looseObject({
  error_code: ref,
  error_class: z.enum(ERROR_CLASSES),
  message: z.string().min(1),
  recoverability: text,
});

/** Content of a result says what it is. */
const content = z.array(
  z.looseObject({ type: z.enum(['text', 'structured_content', 'log', 'diff', 'file', 'persisted_output_ref']) }),
);

export const SCHEMAS: Readonly<Record<RecordKind, z.ZodType>> = {
  invocation: z.looseObject({
    schema_version: version,
    invocation_id: ref,
    tool_id: ref,
    status: z.enum(STATES),
    created_at: time,
    native_call_id: ref.optional(),
    model_input: object.optional(),
    permission_input: object.optional(),
    call_input: object.optional(),
    runtime_refs: refs,
    permission_decision_refs: refs,
    status_transitions: z.array(z.looseObject({ status: z.enum(STATES), at: time })).optional(),
    started_at: time.optional(),
    ended_at: time.optional(),
  }),
  permission_decision: z.looseObject({
    schema_version: version,
    decision_id: ref,
    invocation_id: ref,
    behavior: z.enum(['allow', 'ask', 'deny', 'passthrough']),
    decided_at: time,
    mode: text.optional(),
    source: z
      .enum([
        'user_settings',
        'project_settings',
        'local_settings',
        'flag_settings',
        'policy_settings',
        'cli_arg',
        'command',
        'session',
      ])
      .optional(),
    reason: z
      .looseObject({
        type: z.enum([
          'rule',
          'mode',
          'policy',
          'hook',
          'classifier',
          'working_dir',
          'sandbox_override',
          'safety_check',
          'permission_prompt_tool',
          'async_agent',
          'subcommand_results',
          'other',
        ]),
      })
      .optional(),
    rule_refs: refs,
    policy_refs: refs,
    updated_input: object.optional(),
    user_modified: flag,
    suggested_updates: z.array(object).optional(),
    expires_at: time.optional(),
  }),
  progress: z.looseObject({
    schema_version: version,
    progress_id: ref,
    invocation_id: ref,
    sequence: z.int().positive(),
    status: z.enum([
      'queued',
      'started',
      'running',
      'waiting_for_permission',
      'waiting_for_input',
      'backgrounded',
      'partial_result',
      'completed',
      'failed',
      'canceled',
    ]),
    timestamp: time,
    elapsed_ms: count,
    stdout_bytes: count,
    stderr_bytes: count,
    stdout_lines: count,
    stderr_lines: count,
    timeout_ms: count.nullable(),
    exit_code: z.int().optional(),
    task_id: ref.optional(),
  }),
  result: z.looseObject({
    schema_version: version,
    result_id: ref,
    invocation_id: ref,
    status: z.enum([
      'succeeded',
      'partial_succeeded',
      'failed',
      'denied',
      'rejected',
      'redacted',
      'too_large',
      'canceled',
      'timed_out',
      'synthetic_error',
      'discarded',
    ]),
    created_at: time,
    is_error: z.boolean(),
    content: content.min(1),
    structured_content: object.optional(),
    model_facing_content: content.optional(),
    persistence_refs: refs,
    summary: text.optional(),
    error: error.optional(),
  }),
  result_persistence: z.looseObject({
    schema_version: version,
    decision_id: ref,
    invocation_id: ref,
    strategy: z.enum(['inline', 'preview_and_persist', 'ref_only', 'redact', 'drop_with_reason', 'never_persist']),
    created_at: time,
    threshold: object.optional(),
    original_size_bytes: count.optional(),
    preview_size_bytes: count.optional(),
    persisted_ref: z.looseObject({ uri: ref, media_type: ref, digest: ref }).optional(),
    redaction_state: text.optional(),
    reason: text.optional(),
  }),
  input_mutation: z.looseObject({
    schema_version: version,
    mutation_id: ref,
    invocation_id: ref,
    source_type: z.enum(['hook', 'permission_prompt', 'adapter', 'migration', 'runtime']),
    created_at: time,
    from_input_ref: ref.optional(),
    to_input_ref: ref.optional(),
    changed_fields: z.array(text).optional(),
    reason: text.optional(),
  }),
  event: z.looseObject({
    schema_version: version,
    event_id: ref,
    event_type: z.string().regex(/^tool\.(declared|surface|deferred|invocation|hook|permission|result)(\.[a-z_]+)*$/),
    source: ref,
    time,
    subject: ref.optional(),
    invocation_id: ref.optional(),
    tool_id: ref.optional(),
    data: object.optional(),
    trace_refs: refs,
  }),
};

/** From each state, those that may follow it. A pipeline goes forward; what is over stays over. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  '': ['planned'],
  planned: ['selected', 'validation_failed'],
  selected: ['arguments_ready', 'validation_failed'],
  arguments_ready: ['awaiting_approval', 'approved', 'denied', 'queued', 'failed', 'canceled'],
  awaiting_approval: ['approved', 'denied', 'failed', 'canceled'],
  approved: ['queued'],
  queued: ['running', 'failed', 'canceled'],
  running: ['yielded', 'succeeded', 'failed', 'canceled', 'timed_out'],
  yielded: ['succeeded', 'failed', 'canceled', 'timed_out'],
};

interface Invocation {
  readonly invocation_id: string;
  readonly status: string;
  readonly status_transitions: readonly { readonly from: string | null; readonly status: string; readonly at: string }[];
}

/** What is wrong with these records, in words; nothing is wrong with right ones. */
export function problemsOf(records: readonly ToolRecord[]): string[] {
  const problems: string[] = [];
  const sequences = new Map<string, number>();
  for (const { kind, record } of records) {
    const parsed = SCHEMAS[kind].safeParse(record);
    if (!parsed.success) problems.push(`${kind}: ${z.prettifyError(parsed.error)}`);
    const id = String(record['invocation_id']);
    if (kind === 'progress') {
      const sequence = Number(record['sequence']);
      if (sequence <= (sequences.get(id) ?? 0))
        problems.push(`${id}: progress ${sequence} does not come after ${sequences.get(id)}`);
      sequences.set(id, sequence);
    }
    if (kind === 'invocation') problems.push(...orderProblems(record as unknown as Invocation));
  }
  const invocations = new Set(records.map(({ record }) => record['invocation_id']));
  for (const id of invocations) {
    const kinds = records.filter(({ record }) => record['invocation_id'] === id).map(({ kind }) => kind);
    for (const needed of ['invocation', 'result', 'event'] as const)
      if (!kinds.includes(needed)) problems.push(`${id}: no ${needed}`);
  }
  return problems;
}

function orderProblems({ invocation_id, status, status_transitions }: Invocation): string[] {
  const problems: string[] = [];
  let before: { status: string; at: string } = { status: '', at: '' };
  for (const step of status_transitions) {
    if ((step.from ?? '') !== before.status) problems.push(`${invocation_id}: ${step.status} says it comes from ${step.from}`);
    if (!NEXT[before.status]?.includes(step.status)) problems.push(`${invocation_id}: ${before.status} to ${step.status}`);
    if (step.at < before.at) problems.push(`${invocation_id}: ${step.status} before its time`);
    before = step;
  }
  if (before.status !== status) problems.push(`${invocation_id}: is ${status}, came to ${before.status}`);
  return problems;
}
