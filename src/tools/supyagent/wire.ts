import { constants } from 'node:os';
import { formatForModel } from '../format-for-model.js';
import type { Done } from '../task.js';
import type { Fault } from '../tool.js';
import { limitedOutput, type RanResult } from '../whole-output.js';

type Output = Readonly<Record<string, unknown>>;

export interface OutputOptions {
  readonly what: 'Command' | 'Script';
  /** Seconds, for the message. */
  readonly timeout: number;
  readonly maxOutput: number;
}

/** What run_command and run_script share of their answer (S1-03, S1-06, S1-08, S1-15). */
export async function commandOutput({ execution, result, ending }: Done, options: OutputOptions): Promise<Output> {
  if (result.outcome === 'refused') {
    const stderr = result.by === 'session' ? result.reason : formatForModel(result);
    const errorClass = ending.fault?.errorClass ?? 'execution_failed';
    return { ok: false, stdout: '', stderr, exit_code: -1, error_class: errorClass, code: result.code };
  }
  const { stdout, stderr } = await limitedOutput(execution, result, options.maxOutput);
  const { message, ...end } = endOf(result, options);
  const break_ = stderr === '' || stderr.endsWith('\n') ? '' : '\n';
  return {
    ok: result.outcome === 'exited' && result.exitCode === 0,
    stdout,
    stderr: message === undefined ? stderr : `${stderr}${break_}${message}`,
    ...end,
    ...(result.ranInstead !== undefined && { ran_instead: result.ranInstead }),
    ...(result.survivors.length > 0 && { survivors: result.survivors }),
    ...(result.leftRunning.length > 0 && { left_running: result.leftRunning }),
  };
}

interface End {
  readonly exit_code: number;
  readonly timed_out?: true;
  readonly cancelled?: true;
  /** Goes behind stderr. */
  readonly message?: string;
}

/** The document knows exit codes only. Its code of a signal is Python's: the negated number. */
function endOf(result: RanResult, { what, timeout }: OutputOptions): End {
  switch (result.outcome) {
    case 'exited':
      return { exit_code: result.exitCode };
    case 'timed-out':
      return { exit_code: 124, timed_out: true, message: `${what} timed out after ${timeout} seconds` };
    case 'signaled':
      return { exit_code: -(constants.signals[result.signal as NodeJS.Signals] ?? 1) };
    case 'cancelled':
      return { exit_code: -1, cancelled: true, message: `${what} cancelled` };
    case 'session-lost':
      return { exit_code: -1, message: result.reason };
  }
}

/** A call that came to nothing, for tools that answer with output. */
export const outputFailure = (fault: Fault): Output => ({
  ok: false,
  stdout: '',
  stderr: fault.message,
  exit_code: -1,
  ...faultFields(fault),
});

/** The same for tools that answer with one value. */
export const valueFailure = (fault: Fault): Output => ({ ok: false, ...faultFields(fault) });

const faultFields = ({ message, errorClass, field, code }: Fault) => ({
  error: message,
  error_class: errorClass,
  ...(field !== undefined && { field }),
  ...(code !== undefined && { code }),
});
