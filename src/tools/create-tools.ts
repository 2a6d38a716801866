import type { Analysis } from '../contract/analysis.js';
import { codeOf, ShellgateError } from '../contract/error.js';
import type { Gate, Session } from '../contract/gate.js';
import type { Keeper } from './agenttool/inline.js';
import { createProcesses } from './agenttool/processes.js';
import { faultResult, statusFields } from './agenttool/result-record.js';
import { checkArguments } from './arguments.js';
import { enabled, toolCatalog, toolFunction } from './catalog.js';
import { type Declaration, shellExecDeclaration } from './declaration.js';
import type { Classification } from './records/narrator.js';
import { Recorder } from './records/recorder.js';
import type { ToolRecord } from './records/vocabulary.js';
import { createSessions } from './sessions.js';
import type { Lookup } from './supyagent/working-directory.js';
import { Task } from './task.js';
import type { CallContext, Fault, Tool, ToolFunction, ToolOutput, ToolResult, ToolSet } from './tool.js';

export interface ToolsOptions {
  /** Which documents' tools there are. Default: all of them. */
  readonly sets?: readonly ToolSet[];
  /** Names of tools that are not there (S1-23). An unknown name is an error, so that a slip leaves none on. */
  readonly disable?: readonly string[];
  /** The session of `run_shell` and `shell_exec`; its owner closes it. Default: one of the gate's, opened on first use. */
  readonly session?: Session;
  /** Sorts a command for its records (S2-01). Absent: they carry no classification. */
  readonly classify?: (analysis: Analysis) => Classification;
  /** Takes known secrets out of records. Absent: records stay as they are. */
  readonly redact?: <T>(value: T) => T;
  /** The environment that `working_dir` is expanded by. Absent: `$VAR` stays as it is written. */
  readonly environment?: Lookup;
  /** Name of the shell family that the gate's shells speak. Default bash. */
  readonly family?: string;
  /** Where long output is kept. Absent: nowhere; a result then says that the rest was dropped. */
  readonly keeper?: Keeper;
  /** Does the gate's executor confine what it runs? The declaration says so (S2-12). Default false. */
  readonly confined?: boolean;
  /** Told of every record of every call, also of commands in the background. A throw is ignored. */
  readonly onRecord?: (record: ToolRecord) => void;
}

/** Functions for a model, all of them behind one gate. */
export interface Tools extends AsyncDisposable {
  list(): readonly ToolFunction[];
  /** Never rejects: what is wrong with a call is its output, in the wire's own error shape. */
  call(name: string, args: unknown, context?: CallContext): Promise<ToolResult>;
  /** The declaration of document 002; undefined for tools that have none. */
  declaration(name: string): Declaration | undefined;
  /** Closes the sessions that were opened here, and so what runs in them. */
  close(): Promise<void>;
}

/** Errors: `TOOL_UNKNOWN` for a name in `disable` that no tool has. */
export function createTools(gate: Gate, options: ToolsOptions = {}): Tools {
  const { environment, family, redact = value => value, keeper, classify, onRecord } = options;
  const sessions = createSessions(gate, options.session);
  const processes = createProcesses();
  const tools = enabled(toolCatalog({ environment, family, processes, keeper }), options);

  return {
    list: () => [...tools.values()].map(toolFunction),
    async call(name, args, context = {}) {
      const sinks = [onRecord, context.onRecord].filter(sink => sink !== undefined);
      const recorder = new Recorder({ tool: String(name), context, redact, sinks });
      const task = new Task({ sessions, recorder, context, classify });
      const output = await outputOf(tools.get(name), args, { task, context, name: String(name) });
      return concluded(task, output);
    },
    declaration: name =>
      name === 'shell_exec' && tools.has(name) ? shellExecDeclaration({ confined: options.confined ?? false }) : undefined,
    close: () => sessions.close(),
    [Symbol.asyncDispose]: () => sessions.close(),
  };
}

/** A call ends with its result and the invocation as it rests; one that yielded has written both already. */
function concluded({ recorder, ending }: Task, output: ToolOutput): ToolResult {
  if (!recorder.hasResult) {
    const text = typeof output === 'string' ? output : JSON.stringify(output);
    recorder.result({ ...statusFields(ending ?? { status: 'succeeded' }), content: [{ type: 'text', text }] });
  }
  const yielded = recorder.since('yielded') !== undefined;
  if (!yielded) recorder.rest();
  return {
    invocationId: recorder.invocationId,
    output,
    isError: ending?.fault !== undefined && !yielded,
    records: [...recorder.made],
  };
}

interface Called {
  readonly task: Task;
  readonly context: CallContext;
  readonly name: string;
}

/** Whatever goes wrong on the way becomes the wire's own error and ends the invocation. */
async function outputOf(tool: Tool | undefined, args: unknown, { task, context, name }: Called): Promise<ToolOutput> {
  const { recorder } = task;
  recorder.move('planned');
  if (!tool) {
    const fault: Fault = { errorClass: 'unknown_tool', field: 'name', message: `there is no tool ${name} here` };
    task.fail(fault, 'validation_failed');
    return faultResult(recorder, fault);
  }
  recorder.move('selected');
  const checked = checkArguments(tool, args);
  recorder.describe({ model_input: checked.given });
  const failed = (fault: Fault, state: 'validation_failed' | 'failed'): ToolOutput => {
    task.fail(fault, state);
    return tool.failure(fault, { given: checked.given, recorder });
  };
  if ('fault' in checked) return failed(checked.fault, 'validation_failed');
  recorder.move('arguments_ready');
  if (context.injected) inject(recorder, context.injected);
  try {
    return await tool.call(checked.args as never, task);
  } catch (error) {
    return failed(faultOf(error), 'failed');
  }
}

function inject(recorder: Recorder, { by, fields }: NonNullable<CallContext['injected']>): void {
  recorder.describe({ permission_input: fields });
  recorder.mutated(by, {
    from_input_ref: 'model_input',
    to_input_ref: 'permission_input',
    changed_fields: Object.keys(fields),
    reason: 'added by the runtime; it changes nothing about what is judged or run',
  });
}

/** What a gate or a session threw, in the standard's classes. */
function faultOf(error: unknown): Fault {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ShellgateError) || code === undefined) return { errorClass: 'execution_failed', message };
  const errorClass = CLASS_OF[code] ?? 'dependency_unavailable';
  return { errorClass, message, code, ...(error.place !== undefined && { field: error.place }) };
}

const CLASS_OF: Readonly<Record<string, Fault['errorClass']>> = {
  REQUEST_INVALID: 'invalid_arguments',
  OFFSET_INVALID: 'invalid_arguments',
  OUTPUT_TOO_LARGE: 'result_too_large',
  TOO_MANY_SESSIONS: 'rate_limited',
};
