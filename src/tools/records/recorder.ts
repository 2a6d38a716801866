import { randomBytes } from 'node:crypto';
import type { CallContext } from '../tool.js';
import {
  EVENT_OF,
  type InvocationState,
  type ProgressStatus,
  type RecordKind,
  SCHEMA_VERSION,
  type ToolRecord,
} from './vocabulary.js';

export type Fields = Readonly<Record<string, unknown>>;

export interface RecorderOptions {
  readonly tool: string;
  readonly context: CallContext;
  /** Takes known secrets out of everything before it leaves this file (P10). */
  readonly redact: <T>(value: T) => T;
  readonly sinks: readonly ((record: ToolRecord) => void)[];
}

/** `inv_3f9a…`: unguessable, because ids are handles. */
export const newRef = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;

/** Fields that we made ourselves. */
const PLAIN = /^(?:status|behavior|strategy|source_type|event_type|source|sequence|.*_id|.*_at|time|timestamp)$/;

const now = (): string => new Date().toISOString();

/** Writes the records of one invocation: each fact once, when it happens, tied together by the invocation's id. */
export class Recorder {
  readonly invocationId = newRef('inv');
  readonly made: ToolRecord[] = [];
  readonly #options: RecorderOptions;
  readonly #toolId: string;
  readonly #createdAt = now();
  readonly #transitions: { readonly from: string | null; readonly status: InvocationState; readonly at: string }[] = [];
  readonly #decisions: string[] = [];
  #invocation: Fields = {};
  #sequence = 0;
  #hasResult = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#toolId = `tool_${options.tool}`;
  }

  get state(): InvocationState | undefined {
    return this.#transitions.at(-1)?.status;
  }

  get hasResult(): boolean {
    return this.#hasResult;
  }

  /** When a state was reached, if it was. */
  since(state: InvocationState): string | undefined {
    return this.#transitions.find(({ status }) => status === state)?.at;
  }

  /** Facts for the invocation record, which is written when it rests. */
  describe(fields: Fields): void {
    this.#invocation = { ...this.#invocation, ...fields };
  }

  /** Reach a state. Reaching the present one again is no transition. */
  move(status: InvocationState, data: Fields = {}): void {
    if (this.state === status) return;
    this.#transitions.push({ from: this.state ?? null, status, at: now() });
    this.event(EVENT_OF[status], { status, ...data });
  }

  event(type: string, data: Fields = {}): void {
    const { traceparent } = this.#options.context;
    this.#write('event', {
      event_id: newRef('evt'),
      event_type: type,
      source: 'shellgate',
      subject: this.#toolId,
      tool_id: this.#toolId,
      time: now(),
      data,
      ...(traceparent !== undefined && { trace_refs: [traceparent] }),
    });
  }

  progress(status: ProgressStatus, fields: Fields): void {
    this.#sequence += 1;
    this.#write('progress', { progress_id: newRef('prg'), sequence: this.#sequence, status, timestamp: now(), ...fields });
    if (status === 'running') this.event('tool.invocation.progress', { sequence: this.#sequence });
  }

  decide(behavior: 'allow' | 'ask' | 'deny', fields: Fields): void {
    const id = newRef('dec');
    this.#decisions.push(id);
    this.#write('permission_decision', { decision_id: id, behavior, decided_at: now(), mode: 'default', ...fields });
  }

  mutated(sourceType: 'hook' | 'permission_prompt', fields: Fields): void {
    this.#write('input_mutation', { mutation_id: newRef('mut'), source_type: sourceType, created_at: now(), ...fields });
  }

  /** Returns the id that a result refers to it by. */
  persisted(fields: Fields): string {
    const id = newRef('per');
    this.#write('result_persistence', { decision_id: id, created_at: now(), ...fields });
    this.event('tool.result.persisted', { decision_id: id });
    return id;
  }

  /** The result, for a wire whose answer it is: without the redaction that its copy among the records gets. */
  result(fields: Fields): Fields {
    const invocation = { schema_version: SCHEMA_VERSION, invocation_id: this.invocationId };
    const record = { ...invocation, result_id: newRef('res'), created_at: now(), ...fields };
    this.#hasResult = true;
    this.#write('result', record);
    this.event('tool.result.created', { result_id: record.result_id, status: fields['status'] });
    return record;
  }

  /** The invocation as it stands: at its end, and before that when it goes on in the background. */
  rest(): void {
    const started = this.since('running');
    const { toolCallId } = this.#options.context;
    this.#write('invocation', {
      tool_id: this.#toolId,
      status: this.state ?? 'planned',
      created_at: this.#createdAt,
      ...(toolCallId !== undefined && { native_call_id: toolCallId }),
      ...this.#invocation,
      permission_decision_refs: [...this.#decisions],
      status_transitions: [...this.#transitions],
      ...(started !== undefined && { started_at: started }),
      ...(this.state !== 'yielded' && { ended_at: now() }),
    });
  }

  /** What cannot be redacted is not told: ids, times and states are left of it. */
  #redacted(fields: Fields): Fields {
    const ids = { schema_version: SCHEMA_VERSION, invocation_id: this.invocationId };
    try {
      return this.#options.redact({ ...ids, ...fields });
    } catch {
      const plain = Object.entries(fields).filter(([name]) => PLAIN.test(name));
      return { ...ids, ...Object.fromEntries(plain), redaction_state: 'failed' };
    }
  }

  #write(kind: RecordKind, fields: Fields): void {
    const entry: ToolRecord = { kind, record: this.#redacted(fields) };
    this.made.push(entry);
    for (const sink of this.#options.sinks) {
      try {
        sink(entry);
      } catch {
        // Whoever follows the records never stops a command.
      }
    }
  }
}
