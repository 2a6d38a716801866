import { z } from 'zod';
import { commandTextSchema } from '../../contract/request.js';
import { type Fields, newRef, type Recorder } from '../records/recorder.js';
import type { Done, Task } from '../task.js';
import type { Tool, ToolOutput } from '../tool.js';
import { type Keeper, shownStreams } from './inline.js';
import type { Processes } from './processes.js';
import { faultResult, ranFields, statusFields } from './result-record.js';

/** Deadlines where the caller names none (design 11). */
const FOREGROUND_MS = 120_000;
const BACKGROUND_MS = 3_600_000;

/** Fields of the runtime only: a model that sends one of them is refused (S2-07). */
export const INTERNAL_FIELDS = ['sandbox_override_ref', 'simulated_edit_ref'] as const;

/** S2-06. */
export const shellExecArguments = z.strictObject({
  command: commandTextSchema.min(1).describe('The command line.'),
  timeout_ms: z.int().min(1_000).optional().describe('Deadline in milliseconds.'),
  run_in_background: z.boolean().optional().describe('Answer at once with a task id and let it run.'),
  description: z.string().optional().describe('What it is for, in a few words.'),
});
type Arguments = z.infer<typeof shellExecArguments>;

export interface ShellExecParts {
  readonly processes: Processes;
  readonly keeper: Keeper | undefined;
}

/** `shell.exec` of document 002 (S2-04 to S2-12). Its answer is the standard's result record. */
export function shellExecTool(parts: ShellExecParts): Tool<Arguments> {
  return {
    name: 'shell_exec',
    set: 'agenttool',
    description: 'Run a command line in a persistent shell. Long output is kept in a file and shown in part.',
    args: shellExecArguments,
    call: (args, task) => exec(args, task, parts),
    failure: (fault, { recorder }) => faultResult(recorder, fault),
  };
}

async function exec(args: Arguments, task: Task, { processes, keeper }: ShellExecParts): Promise<ToolOutput> {
  const { command, description, run_in_background: background = false } = args;
  const begun = await task.begin(await task.sessions.bound(), command, {
    timeoutMs: args.timeout_ms ?? (background ? BACKGROUND_MS : FOREGROUND_MS),
    background,
    ...(description !== undefined && { description }),
  });
  const { execution, narrator, detach } = begun;
  const { recorder } = task;
  const judged = (await execution.judged?.()) ?? {};
  const status = await execution.status();
  const isRefused = status.phase === 'finished' && status.result.outcome === 'refused';
  if (!background || isRefused) return record(recorder, await begun.done(), keeper);
  const id = newRef('task');
  detach();
  narrator.yielded(id, judged);
  const answer = backgrounded(recorder, id);
  const done = begun.done().then(async over => {
    await record(recorder, over, keeper);
    recorder.rest();
    return over;
  });
  processes.add({ id, command, description, startedAt: new Date().toISOString(), execution, narrator, done });
  return answer;
}

/** The record's own status is one of the standard's; the answer says the word that a caller looks for. */
function backgrounded(recorder: Recorder, id: string): Fields {
  const text = `Runs in the background as ${id}. Look with check_process, read with get_process_output, end with kill_process.`;
  const written = recorder.result({
    status: 'partial_succeeded',
    is_error: false,
    task_id: id,
    content: [{ type: 'text', text }],
    structured_content: { status: 'backgrounded', task_id: id, process_id: id },
    summary: 'runs in the background',
  });
  return { ...written, status: 'backgrounded' };
}

async function record(recorder: Recorder, done: Done, keeper: Keeper | undefined): Promise<Fields> {
  const { execution, result, ending, narrator } = done;
  const cancellation = narrator.cancellation ? { cancellation: narrator.cancellation } : {};
  if (result.outcome === 'refused') {
    const content = [{ type: 'text', text: ending.fault?.message ?? result.reason }];
    return recorder.result({ ...statusFields(ending), content, summary: result.reason, ...cancellation });
  }
  const shown = await shownStreams({ execution, result, recorder, keeper });
  return recorder.result({ ...statusFields(ending), ...ranFields(result, { ending, shown }), ...cancellation });
}
