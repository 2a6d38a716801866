/**
 * The public surface of shellgate. Adding a name here is adding public API.
 * @module
 */
export { callbackApprover as callback, type Reply } from './approval/callback.js';
export { terminalApprover as terminal } from './approval/terminal.js';
export { toCloudEvent } from './audit/followers/cloudevents.js';
export { toEcs } from './audit/followers/ecs.js';
export { type ExportSource, sourceOf } from './audit/followers/export-fields.js';
export { toOcsf } from './audit/followers/ocsf.js';
export { onCommandFollower } from './audit/followers/on-command.js';
export { toOtel } from './audit/followers/otel.js';
export { verifyAudit } from './audit/verify.js';
export type { Config, EnvironmentMode } from './config.js';
export type { Analysis, Analyzer, Effect, EffectKind, Program, Reason, Word } from './contract/analysis.js';
export type { Answer, Answered, Approved, Approver, Denied, Edited, Level, Remember, Unavailable } from './contract/answer.js';
export type { AuditFollower, AuditLog, AuditRecord, AuditType, Verification } from './contract/audit.js';
export { codeOf, ShellgateError } from './contract/error.js';
export type { Chunk, Execution, Progress, Screen, Status, StreamName } from './contract/execution.js';
export type { Channel, Executor } from './contract/executor.js';
export type { Gate, Session, SessionOptions } from './contract/gate.js';
export type { Decision, Evaluation, Grant, Match, Policy, PolicyChange, Risk, Rule } from './contract/policy.js';
export type { Principal } from './contract/principal.js';
export type { Approvals, Question } from './contract/question.js';
export type { CommandRequest, InputRequest, RunOptions, SendOptions } from './contract/request.js';
export type { Captured, CommandResult, InputResult, Process, Ran, Refusal, RefusalCode } from './contract/result.js';
export type { ShellFamily } from './contract/shell-family.js';
export { type About, createGate, type GateOptions, type LocalGate } from './create-gate.js';
export { createTools } from './create-tools.js';
export { formatInstructions } from './environment/instructions.js';
export {
  ShellEnvironmentProvider,
  type ShellEnvironmentProviderOptions,
} from './environment/provider.js';
export type { ShellEnvironmentSnapshot } from './environment/snapshot.js';
export { LocalShellTool, type LocalShellToolOptions, type ShellFunction } from './local-shell-tool.js';
export { ShellPolicy, type ShellPolicyOptions } from './policy/seed-policy.js';
export { commandSink } from './start-sink.js';
export type { Tools, ToolsOptions } from './tools/create-tools.js';
export type { ToolRecord } from './tools/records/vocabulary.js';
export type { CallContext, ToolFunction, ToolOutput, ToolResult, ToolSet } from './tools/tool.js';
export { version } from './version.js';
