import type { Screen, Status } from '../contract/execution.js';
import { shownId } from '../contract/question.js';
import type { CommandResult } from '../contract/result.js';
import { type ModelResult, modelResult } from '../tools/model-result.js';
import type { Call } from './calls.js';

/** What the words about a call depend on beside it. */
export interface Limits {
  readonly maxTimeoutMs: number;
}

/** The host's screen is not ours, so there is no terminal to point to. */
const NOBODY = 'Not run. Tell the user: shellgate has no answer socket here (`shellgate doctor`), then try again.';

/** A final result. Where output was left out, it says where the whole of it is. */
export function finishedReply(call: Call, result: CommandResult, limits: Limits): ModelResult {
  const said = modelResult(result, limits);
  if (result.outcome === 'refused' && result.by === 'nobody') return { ...said, note: NOBODY };
  if (said['omittedBytes'] === undefined) return said;
  const whole = `${isKeptWhole(result) ? 'all of it' : 'what could be kept of it'}: shell_output ${call.name}`;
  return { ...said, command: call.name, note: said['note'] === undefined ? whole : `${said['note']} ${whole}` };
}

function isKeptWhole(result: CommandResult): boolean {
  if (result.outcome === 'refused') return true;
  return [result.stdout, result.stderr].every(({ omittedBytes, full }) => omittedBytes === 0 || full?.complete === true);
}

/** Not run yet: its own question, or that of an earlier command, waits for a person. */
export function pendingReply(call: Call, holder: Call): ModelResult {
  const { question } = holder;
  const request = question ? shownId(question) : '';
  if (call !== holder) {
    const note = `Not run yet: it waits behind ${request}, which a person must answer. Poll shell_status; other sessions do not wait (session_id "new").`;
    return { outcome: 'pending', command: call.name, behind: request, note };
  }
  const note = `Not run yet: a person must answer (shellgate approve ${request}, or shellgate pending --watch in a terminal). Tell the user, then poll shell_status; this session waits, other sessions do not.`;
  return { outcome: 'pending', command: call.name, request, expires: question?.expiresAt, note };
}

export function backgroundReply(call: Call): ModelResult {
  const note = `Runs on; the shell is free. shell_status ${call.name}, shell_output ${call.name}, shell_cancel ${call.name}.`;
  return { outcome: 'background', command: call.name, deadlineMs: call.deadlineMs, note };
}

/** It holds the session's shell until it ends: what it shows is the only hint at what it waits for. */
export function quietReply(call: Call, screen: Screen | undefined): ModelResult {
  const note = `Still running, and quiet: it may wait for keys (shell_input ${call.name}, with screen_version), or just take long (shell_status ${call.name}). shell_cancel ends it.`;
  return { outcome: 'waiting', command: call.name, deadlineMs: call.deadlineMs, ...screenOf(screen), note };
}

/** What a terminal shows, and the version that typed keys are for. */
export const screenOf = (screen: Screen | undefined): ModelResult =>
  screen === undefined ? {} : { screen: screen.lines.join('\n').trimEnd(), screen_version: screen.version };

/** A call that is not finished and whose session no question holds. */
export function unfinishedReply(call: Call, status: Exclude<Status, { phase: 'finished' | 'pending' }>): ModelResult {
  switch (status.phase) {
    case 'queued':
    case 'judging':
      return { outcome: status.phase, command: call.name, note: 'Not started yet. Poll shell_status, or shell_cancel.' };
    case 'waiting':
      return { outcome: 'waiting', command: call.name, note: `It waits for input. shell_output ${call.name}, shell_cancel.` };
    case 'running':
    case 'background': {
      const { elapsedMs, stdoutBytes, stderrBytes, stdoutLines, stderrLines } = status.progress;
      return {
        outcome: status.phase,
        command: call.name,
        durationMs: Math.round(elapsedMs),
        deadlineMs: call.deadlineMs,
        bytes: { stdout: stdoutBytes, stderr: stderrBytes },
        lines: { stdout: stdoutLines, stderr: stderrLines },
        note: `Still running. shell_output ${call.name}, shell_status, shell_cancel.`,
      };
    }
  }
}
