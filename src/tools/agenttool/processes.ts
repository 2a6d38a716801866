import type { Execution, Progress } from '../../contract/execution.js';
import type { Narrator } from '../records/narrator.js';
import type { Done } from '../task.js';

/** Finished ones whose output can still be read. */
const KEPT = 100;

/** A command that runs beside its session. */
export interface StartedProcess {
  readonly id: string;
  readonly command: string;
  readonly description: string | undefined;
  readonly startedAt: string;
  readonly execution: Execution;
  readonly narrator: Narrator;
  readonly done: Promise<Done>;
}

/** The same, or what became of it. */
export type BackgroundProcess = StartedProcess & { finished?: Done };

/** The background commands of one set of tools, by ids that nobody else can guess. */
export interface Processes {
  add(process: StartedProcess): void;
  find(id: string): BackgroundProcess | undefined;
  list(): readonly BackgroundProcess[];
}

export function createProcesses(): Processes {
  const all = new Map<string, BackgroundProcess>();
  return {
    add(started) {
      const process: BackgroundProcess = { ...started };
      all.set(process.id, process);
      void process.done.then(done => {
        process.finished = done;
        const over = [...all.values()].filter(({ finished }) => finished);
        for (const { id } of over.slice(0, Math.max(0, over.length - KEPT))) all.delete(id);
      });
    },
    find: id => all.get(id),
    list: () => [...all.values()],
  };
}

/** What is known of one now. */
export async function processState(process: BackgroundProcess): Promise<Readonly<Record<string, unknown>>> {
  const { id, command, description, startedAt, execution, finished } = process;
  const status = await execution.status();
  const progress = 'progress' in status ? status.progress : undefined;
  return {
    process_id: id,
    command,
    ...(description !== undefined && { description }),
    started_at: startedAt,
    status: finished ? finished.ending.status : 'running',
    ...(finished?.result.outcome === 'exited' && { exit_code: finished.result.exitCode }),
    ...(progress && counts(progress)),
    ...(finished?.ending.fault && { error: finished.ending.fault.message }),
  };
}

const counts = ({ elapsedMs, stdoutBytes, stderrBytes, stdoutLines, stderrLines }: Progress) => ({
  elapsed_ms: Math.round(elapsedMs),
  stdout_bytes: stdoutBytes,
  stderr_bytes: stderrBytes,
  stdout_lines: stdoutLines,
  stderr_lines: stderrLines,
});
