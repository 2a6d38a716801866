import type { CommandResult, Refusal } from '../../contract/result.js';
import type { Fault } from '../tool.js';
import type { ErrorClass, InvocationState, ProgressStatus, ResultStatus } from './vocabulary.js';

/** One ending, in the three vocabularies that name it. */
export interface Ending {
  readonly state: InvocationState;
  readonly status: ResultStatus;
  readonly progress: ProgressStatus;
  readonly fault?: Fault;
}

/** A command's result in the standard's words; an exit code other than 0 is a failure of the tool. */
export function endingOf(result: CommandResult): Ending {
  switch (result.outcome) {
    case 'refused':
      return refusedEnding(result);
    case 'exited':
      if (result.exitCode === 0) return { state: 'succeeded', status: 'succeeded', progress: 'completed' };
      return failed('execution_failed', `the command exited with ${result.exitCode}`, 'EXITED');
    case 'signaled':
      return failed('execution_failed', `the shell was ended by ${result.signal}`, 'SIGNALED');
    case 'session-lost':
      return failed('dependency_unavailable', `the shell was lost: ${result.reason}`, 'SESSION_LOST');
    case 'timed-out': {
      const message = `ended at its deadline after ${Math.round(result.durationMs)} ms`;
      const fault: Fault = { errorClass: 'timeout', message, code: 'TIMED_OUT' };
      return { state: 'timed_out', status: 'timed_out', progress: 'failed', fault };
    }
    case 'cancelled':
      return canceled('cancelled while it ran');
  }
}

function refusedEnding({ by, code, reason, feedback }: Refusal): Ending {
  const message = feedback === undefined ? reason : `${reason}; a person said: ${feedback}`;
  switch (by) {
    case 'caller':
      return canceled(reason);
    case 'session':
      return failed(code === 'QUEUE_FULL' ? 'rate_limited' : 'dependency_unavailable', message, code);
    case 'audit':
      return failed('dependency_unavailable', message, code);
    case 'policy':
    case 'approver':
    case 'expiry':
    case 'nobody': {
      const fault: Fault = { errorClass: 'permission_denied', message, code };
      return { state: 'denied', status: 'denied', progress: 'failed', fault };
    }
  }
}

const failed = (errorClass: ErrorClass, message: string, code: string): Ending => ({
  state: 'failed',
  status: 'failed',
  progress: 'failed',
  fault: { errorClass, message, code },
});

const canceled = (message: string): Ending => ({
  state: 'canceled',
  status: 'canceled',
  progress: 'canceled',
  fault: { errorClass: 'canceled', message, code: 'CANCELLED' },
});
