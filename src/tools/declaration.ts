import { z } from 'zod';
import { TRUNCATIONS } from '../output/truncation.js';
import { INTERNAL_FIELDS, shellExecArguments } from './agenttool/shell-exec.js';
import { SCHEMA_VERSION } from './records/vocabulary.js';

export type Declaration = Readonly<Record<string, unknown>>;

const TOOL_ID = 'tool_shell_exec';
const NAME = 'shell.exec';

/**
 * The declaration of document 002 (S2-04 to S2-14): every key and value of the document's object, and beside it what the
 * standard's own schemas ask for. `confined`: is the executor a sandbox? The document says yes; plain local execution
 * says no.
 */
export function shellExecDeclaration({ confined }: { readonly confined: boolean }): Declaration {
  return {
    schema_version: SCHEMA_VERSION,
    tool_id: TOOL_ID,
    namespace: 'local.shell',
    name: NAME,
    title: 'Shell',
    aliases: ['shell_exec'],
    description: 'Runs a command line in a persistent shell, behind an approval gate.',
    lifecycle: 'available',
    search_hint: 'run local shell commands',
    tool_kind: 'shell_command',
    input_contract: {
      strict: true,
      model_input_schema: modelSchema(),
      runtime_input_schema: runtimeSchema(),
      internal_only_fields: [...INTERNAL_FIELDS],
    },
    output_contract: {
      record: 'result',
      max_inline_chars: TRUNCATIONS.inline.limitChars,
      large_output: 'preview_and_persist',
      preview_bytes: TRUNCATIONS.inline.previewBytes,
    },
    interface_ref: `${TOOL_ID}.interface`,
    execution_profile_ref: `${TOOL_ID}.execution`,
    permission_profile_ref: `${TOOL_ID}.permission`,
    tool_interface: toolInterface(),
    execution_profile: executionProfile(confined),
    permission_profile: permissionProfile(),
    scheduler_policy: schedulerPolicy(),
  };
}

/** What a host shows a model: plain JSON Schema, its dialect left out. */
export function jsonSchemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

const modelSchema = (): Declaration => jsonSchemaOf(shellExecArguments);

const runtimeSchema = (): Declaration => ({
  type: 'object',
  properties: Object.fromEntries(INTERNAL_FIELDS.map(field => [field, { type: 'string' }])),
});

const toolInterface = (): Declaration => ({
  schema_version: SCHEMA_VERSION,
  interface_id: `${TOOL_ID}.interface`,
  tool_id: TOOL_ID,
  name: NAME,
  strict: true,
  schema_visibility: 'loaded',
  model_input_schema: modelSchema(),
  runtime_input_schema: runtimeSchema(),
  is_enabled: true,
  is_read_only: 'classifier:command_read_only',
  is_concurrency_safe: 'same_as:is_read_only',
  is_destructive: 'classifier:command_destructive',
  is_open_world: true,
  requires_user_interaction: false,
  classifier_input: 'input.command',
  permission_matcher: 'shell_pattern',
  interrupt_behavior: 'cancel',
  max_inline_chars: TRUNCATIONS.inline.limitChars,
});

const executionProfile = (confined: boolean): Declaration => ({
  schema_version: SCHEMA_VERSION,
  execution_profile_id: `${TOOL_ID}.execution`,
  execution_kind: 'shell',
  supports_progress: true,
  supports_cancel: true,
  supports_resume: false,
  supports_retries: false,
  supports_partial_results: false,
  supports_background: true,
  supports_artifacts: false,
  supports_context_modifiers: false,
  sandboxed: confined,
  shell: {
    command_parsing: 'the whole line is analysed: programs, wrappers, words, redirections; what cannot be read is asked about',
    working_directory_policy: 'kept from call to call, as the session has it',
    environment_policy: "the gate's; secret-looking variables are left out by default",
    timeout_behavior: 'ends the command and everything it started; the shell and its state stay',
    exit_code_interpretation: '0 succeeded; any other failed, with exit_code; none where there was no exit',
    classifier_input: 'input.command',
  },
});

/** One shell, one command at a time; what runs in the background is beside it. */
const schedulerPolicy = (): Declaration => ({
  schema_version: SCHEMA_VERSION,
  scheduler_policy_id: `${TOOL_ID}.scheduler`,
  scope: 'session',
  max_parallel: 1,
  ordering_policy: 'serial',
  yield_policy: 'progress_immediate_results_ordered',
  interrupt_behavior: 'cancel',
  sibling_failure_policy: 'ignore',
  context_modifier_policy: 'forbid',
});

const permissionProfile = (): Declaration => ({
  schema_version: SCHEMA_VERSION,
  permission_profile_id: `${TOOL_ID}.permission`,
  risk_level: 'high',
  access_kinds: ['file_read', 'file_write', 'network', 'code_execution'],
  write_effects: ['local_persistent', 'remote_mutation'],
  approval_required: true,
  approval_reason: 'a command is judged by what it would run; what policy does not allow is asked',
  sandbox_profile: 'workspace_shell_sandbox',
  rule_matching_fields: ['command'],
  redaction_required: true,
});
