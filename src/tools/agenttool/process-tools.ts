import { z } from 'zod';
import type { Chunk } from '../../contract/execution.js';
import { TRUNCATIONS } from '../../output/truncation.js';
import type { Fields } from '../records/recorder.js';
import type { Task } from '../task.js';
import type { Fault, Tool, ToolOutput } from '../tool.js';
import { type BackgroundProcess, type Processes, processState } from './processes.js';
import { faultResult } from './result-record.js';

const processId = z.string().min(1).max(200).describe('The id that shell_exec answered with.');
const offset = z.int().min(0).default(0);
const one = z.strictObject({ process_id: processId });
const part = z.strictObject({
  process_id: processId,
  stdout_from: offset.describe('Offset in bytes to read stdout from; the answer names the next one.'),
  stderr_from: offset.describe('The same for stderr.'),
  max_bytes: z.int().min(1).max(1_048_576).default(TRUNCATIONS.inline.limitChars).describe('At most so much of each stream.'),
});

/** Looking at, reading and ending what `shell_exec` left running. None of them runs a command. */
export function processTools(processes: Processes): readonly Tool[] {
  const known = async (task: Task, id: string, use: (process: BackgroundProcess) => Promise<Fields>): Promise<ToolOutput> => {
    const process = processes.find(id);
    if (process) return answer(task, await use(process));
    const message = `process_id: no background command is ${id}; list_processes shows those there are`;
    const fault: Fault = { errorClass: 'invalid_arguments', field: 'process_id', message, code: 'UNKNOWN_PROCESS' };
    task.fail(fault, 'failed');
    return faultResult(task.recorder, fault);
  };
  return [
    tool('list_processes', 'List the background commands.', z.strictObject({}), async (_args, task) =>
      answer(task, { processes: await Promise.all(processes.list().map(processState)) }),
    ),
    tool('check_process', 'Say how far a background command has got.', one, ({ process_id }, task) =>
      known(task, process_id, processState),
    ),
    tool('get_process_output', 'Read what a background command has printed.', part, (args, task) =>
      known(task, args.process_id, process => readOutput(process, args)),
    ),
    tool('kill_process', 'End a background command and everything it started.', one, ({ process_id }, task) =>
      known(task, process_id, killed),
    ),
  ];
}

async function readOutput({ id, execution }: BackgroundProcess, args: z.infer<typeof part>): Promise<Fields> {
  const stdout = await execution.output('stdout', args.stdout_from, args.max_bytes);
  const stderr = await execution.output('stderr', args.stderr_from, args.max_bytes);
  const missing = { stdout: missingBytes(stdout, args.stdout_from), stderr: missingBytes(stderr, args.stderr_from) };
  return {
    process_id: id,
    stdout: Buffer.from(stdout.bytes).toString('utf8'),
    stderr: Buffer.from(stderr.bytes).toString('utf8'),
    stdout_next: stdout.next,
    stderr_next: stderr.next,
    end: stdout.end && stderr.end,
    ...(missing.stdout > 0 && { stdout_missing_bytes: missing.stdout }),
    ...(missing.stderr > 0 && { stderr_missing_bytes: missing.stderr }),
  };
}

/** Nothing, and then a later offset: what the quota did not let be kept. */
const missingBytes = ({ bytes, next }: Chunk, from: number): number => (bytes.length === 0 ? Math.max(0, next - from) : 0);

async function killed(process: BackgroundProcess): Promise<Fields> {
  if (!process.finished) {
    process.narrator.cancelRequested('user_interruption');
    process.execution.cancel('kill_process');
  }
  process.finished = await process.done;
  return processState(process);
}

function answer(task: Task, structured: Fields): Fields {
  for (const state of ['queued', 'running', 'succeeded'] as const) task.recorder.move(state);
  return task.recorder.result({
    status: 'succeeded',
    is_error: false,
    content: [{ type: 'text', text: JSON.stringify(structured) }],
    structured_content: structured,
  });
}

function tool<A>(name: string, description: string, args: z.ZodType<A>, call: Tool<A>['call']): Tool {
  const made: Tool<A> = {
    name,
    set: 'agenttool',
    description,
    args,
    call,
    failure: (fault, { recorder }) => faultResult(recorder, fault),
  };
  return made as unknown as Tool;
}
