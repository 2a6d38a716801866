import type { Captured, CommandResult, Refusal } from '../contract/result.js';
import { TRUNCATIONS, truncateStreams } from '../output/truncation.js';

/** What a model gets: small, complete by itself, empty fields left out, a note on everything that is no plain exit. */
export type ModelResult = Readonly<Record<string, unknown>>;

/** What the words of a note depend on beside the result. */
export interface NoteContext {
  /** The longest deadline that a caller may ask for. */
  readonly maxTimeoutMs: number;
}

/** Screen i. Both streams together stay under 30,000 characters (design 11). */
export function modelResult(result: CommandResult, context: NoteContext): ModelResult {
  if (result.outcome === 'refused') {
    const { outcome, by, code, reason, feedback } = result;
    return { outcome, by, code, reason, ...(feedback !== undefined && { feedback }), note: refusalNote(result) };
  }
  const [stdout, stderr] = shortened(result.stdout, result.stderr);
  const omitted = {
    ...(stdout.omitted > 0 && { stdout: stdout.omitted }),
    ...(stderr.omitted > 0 && { stderr: stderr.omitted }),
  };
  const failedStage = result.outcome === 'exited' && result.pipeStatus?.slice(0, -1).some(status => status !== 0);
  const note = noteOf(result, context);
  return {
    outcome: result.outcome,
    ...(result.outcome === 'exited' && { exitCode: result.exitCode }),
    ...(failedStage && result.outcome === 'exited' && { pipeStatus: result.pipeStatus }),
    ...(result.outcome === 'signaled' && { signal: result.signal }),
    ...(result.outcome === 'session-lost' && { reason: result.reason }),
    ...(result.outcome !== 'exited' && { durationMs: Math.round(result.durationMs) }),
    ...(stdout.text !== '' && { stdout: stdout.text }),
    ...(stderr.text !== '' && { stderr: stderr.text }),
    ...(Object.keys(omitted).length > 0 && { omittedBytes: omitted }),
    ...(result.cwd !== undefined && { cwd: result.cwd }),
    ...(result.ranInstead !== undefined && { ranInstead: result.ranInstead }),
    ...(result.sessionRestarted && { sessionRestarted: true }),
    ...(result.survivors.length > 0 && { survivors: result.survivors }),
    ...(result.leftRunning.length > 0 && { leftRunning: result.leftRunning }),
    ...(note !== undefined && { note }),
  };
}

interface Shown {
  readonly text: string;
  readonly omitted: number;
}

function shortened(stdout: Captured, stderr: Captured): [Shown, Shown] {
  const limit = TRUNCATIONS.inline.limitChars;
  if (stdout.text.length + stderr.text.length <= limit) {
    return [
      { text: stdout.text, omitted: stdout.omittedBytes },
      { text: stderr.text, omitted: stderr.omittedBytes },
    ];
  }
  const cut = truncateStreams(
    { stdout: Buffer.from(stdout.text), stderr: Buffer.from(stderr.text) },
    { strategy: 'head_tail_errors', limitBytes: limit },
  );
  return [
    { text: cut.stdout.text, omitted: stdout.bytes - cut.stdout.keptBytes },
    { text: cut.stderr.text, omitted: stderr.bytes - cut.stderr.keptBytes },
  ];
}

function refusalNote({ by, code, feedback }: Refusal): string {
  switch (by) {
    case 'approver':
      if (code === 'APPROVER_FAILED') return 'Not run: asking failed. Tell the user, then try again.';
      return `A person said no. Do not retry it or a variant${feedback === undefined ? '' : '; follow the feedback'}.`;
    case 'policy':
      return 'Never run here. Nobody was asked.';
    case 'nobody':
      return 'Not run: no one can be asked here. Tell the user to run `shellgate pending --watch` in a terminal, then try again.';
    case 'expiry':
      return 'Not run: nobody answered in time. Tell the user before you ask again.';
    case 'caller':
      return 'Not run: it was cancelled before it started.';
    case 'session':
      return code === 'SESSION_CLOSED' ? 'Not run: the session is closed. Open another.' : 'Not run; see the reason.';
    case 'audit':
      return 'Not run, and nothing will be until the log can be written again. Tell the user.';
  }
}

function noteOf(result: Exclude<CommandResult, Refusal>, { maxTimeoutMs }: NoteContext): string | undefined {
  switch (result.outcome) {
    case 'exited':
      return exitNote(result);
    case 'timed-out':
      return `Stopped at its deadline with everything it started; ${shellNote(result)} Longer: timeout_ms (max ${maxTimeoutMs}) or background: true.`;
    case 'cancelled':
      return `Stopped with everything it started; ${shellNote(result)}`;
    case 'signaled':
      return `The shell itself was ended by ${result.signal}. The next command starts a fresh shell in the same directory; variables and functions are gone.`;
    case 'session-lost':
      return 'The next command starts a fresh shell in the same directory; variables not exported and functions are gone.';
  }
}

function exitNote(result: Extract<CommandResult, { outcome: 'exited' }>): string | undefined {
  const notes: string[] = [];
  const failed = result.pipeStatus?.slice(0, -1).findIndex(status => status !== 0) ?? -1;
  if (failed >= 0) {
    notes.push(
      `stage ${failed + 1} of the pipe failed with ${result.pipeStatus![failed]}; the ${result.exitCode} is the last stage's`,
    );
  }
  if (result.ranInstead !== undefined) notes.push('a person edited the command');
  if (result.shell === 'ended') notes.push('the shell ended; the next command starts a fresh one in the same directory');
  if (result.sessionRestarted) notes.push('a fresh shell ran this; variables and functions of the last one are gone');
  return notes.length === 0 ? undefined : notes.join('; ');
}

const shellNote = ({ shell }: { readonly shell: string }): string =>
  shell === 'kept' ? 'shell, directory, variables kept.' : 'the shell could not be kept; the next command starts a fresh one.';
