import type { z } from 'zod';
import type { Principal } from '../contract/principal.js';
import type { Recorder } from './records/recorder.js';
import type { ErrorClass, ToolRecord } from './records/vocabulary.js';
import type { Task } from './task.js';

/** Which source document a tool's wire format comes from: 001, 002 with background work, 003. */
export const toolSets = ['supyagent', 'agenttool', 'function'] as const;
export type ToolSet = (typeof toolSets)[number];

/** What goes over the wire: the document's own object, or its text. */
export type ToolOutput = string | Readonly<Record<string, unknown>>;

/** Why a call came to nothing, in the words that every wire's own error shape is made from. */
export interface Fault {
  readonly errorClass: ErrorClass;
  readonly message: string;
  /** The argument that is wrong. */
  readonly field?: string;
  /** Ours, where there is one: `POLICY_DENIED`, `GATE_CLOSED` … */
  readonly code?: string;
}

export interface FailedCall {
  /** The arguments as they came, for wires that repeat them. */
  readonly given: Readonly<Record<string, unknown>>;
  /** For wires whose answer is a record. */
  readonly recorder: Recorder;
}

/** One model-facing function: what a model is told about it, what a call does, what a failed call looks like. */
export interface Tool<A = never> {
  readonly name: string;
  readonly set: ToolSet;
  readonly description: string;
  /** Strict: an unknown argument is an error. */
  readonly args: z.ZodType<A>;
  /** Runs through the task and nothing else. What it throws becomes a failure. */
  call(args: A, task: Task): Promise<ToolOutput>;
  /** The wire's error shape. */
  failure(fault: Fault, of: FailedCall): ToolOutput;
}

/** What `list()` tells a host about a tool; `inputSchema` is JSON Schema 2020-12. */
export interface ToolFunction {
  readonly name: string;
  readonly set: ToolSet;
  readonly kind: 'shell';
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** What a host knows about one call. */
export interface CallContext {
  /** Ends the call and what it runs; the result says so. */
  readonly signal?: AbortSignal;
  readonly toolCallId?: string;
  readonly traceparent?: string;
  /** Who asks. Default: as the gate has it. */
  readonly principal?: Principal;
  /**
   * Fields that a hook or a permission prompt adds; never a model's (S2-07). They are recorded as an input mutation and
   * change nothing about what is judged or run.
   */
  readonly injected?: { readonly by: 'hook' | 'permission_prompt'; readonly fields: Readonly<Record<string, string>> };
  /** Told of every record as it is made. A throw is ignored. */
  readonly onRecord?: (record: ToolRecord) => void;
}

/** What came of a call. Never an exception. */
export interface ToolResult {
  readonly invocationId: string;
  readonly output: ToolOutput;
  /** true: nothing ran, or what ran did not succeed. */
  readonly isError: boolean;
  /** In the order they were made. A background command makes more later; they reach `onRecord` only. */
  readonly records: readonly ToolRecord[];
}
