import { ShellgateError } from '../contract/error.js';
import type { PolicyChange } from '../contract/policy.js';
import type { CommandResult, Refusal } from '../contract/result.js';
import { signalNumber } from './signals.js';

/** Exit status of shellgate itself (design 10); a command's own status passes through. */
export const EXIT = { no: 1, timedOut: 124, failure: 125, refused: 126, cancelled: 130 } as const;

/** What the process's exit status says about a result. */
export function exitStatus(result: CommandResult): number {
  switch (result.outcome) {
    case 'exited':
      return result.exitCode;
    case 'signaled':
      return 128 + signalNumber(result.signal);
    case 'timed-out':
      return EXIT.timedOut;
    case 'cancelled':
      return EXIT.cancelled;
    case 'session-lost':
      return EXIT.failure;
    case 'refused':
      return result.by === 'audit' ? EXIT.failure : EXIT.refused;
  }
}

/** What to do next, for the refusals where there is something to do. */
const NEXT: Partial<Record<Refusal['code'], string>> = {
  POLICY_DENIED: "See why: shellgate explain '…'",
  NOBODY_TO_ASK:
    "Answer elsewhere: shellgate pending --watch in a second terminal · by rule: --policy FILE · see why: shellgate explain '…'",
  APPROVAL_EXPIRED: 'Nobody answered in time. Ask again when somebody can.',
  AUDIT_UNAVAILABLE: 'Free space or make the log writable from another shell, or pass --audit DIR.',
  AUDIT_TAMPERED: 'Somebody changed the log while it was open. Keep the files and run: shellgate audit verify',
};

/** Lines for stderr about a result that is not a plain exit; none for a plain exit. */
export function resultLines(result: CommandResult): string[] {
  const lines: string[] = [];
  if (result.outcome === 'refused') {
    const ends = /did not run\.$/.test(result.reason) ? '' : '. The command did not run.';
    lines.push(`shellgate: ${result.code} ${result.reason}${ends}`);
    if (result.feedback) lines.push(`           They said: ${result.feedback}`);
    const next = NEXT[result.code];
    if (next) lines.push(`           ${next}`);
    return lines;
  }
  if (result.outcome === 'timed-out')
    lines.push(`shellgate: TIMED_OUT ended after ${seconds(result.durationMs)}${stateNote(result.shell)}`);
  if (result.outcome === 'cancelled')
    lines.push(`shellgate: CANCELLED after ${seconds(result.durationMs)}${stateNote(result.shell)}`);
  if (result.outcome === 'signaled')
    lines.push(`shellgate: SIGNALED the shell died of ${result.signal}; the next command gets a fresh one`);
  if (result.outcome === 'session-lost')
    lines.push(`shellgate: SESSION_LOST ${result.reason}; the next command gets a fresh shell`);
  if (result.ranInstead !== undefined) lines.push('shellgate: EDITED a person edited the command; the edited text ran');
  for (const process of result.survivors) {
    lines.push(`shellgate: SURVIVOR pid ${process.pid} ${process.command} (${process.reason})`);
  }
  return lines;
}

function stateNote(shell: 'kept' | 'ended' | 'killed'): string {
  return shell === 'kept' ? '; directory and variables kept' : '; the next command gets a fresh shell';
}

/** What became of rules that changed on disk while a gate runs. */
export function policyChangeLine(change: PolicyChange): string {
  if (change.kind === 'loaded') {
    return `shellgate: POLICY_LOADED ${change.names.join(' + ')}: changed on disk, and in force as it is now (${change.hash.slice(0, 8)}).`;
  }
  const { kind, code, place, reason } = change;
  const after =
    kind === 'kept'
      ? 'The rules loaded before stay in force.'
      : 'No answer remembered for always counts until it can be read again.';
  const where = place !== undefined && !reason.startsWith(place) ? `${place}  ` : '';
  return `shellgate: ${code} ${where}${reason}. ${after}`;
}

export function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}

/**
 * `shellgate: CODE place  what; what was expected.` What the system refused is said in its words; any other error without
 * a code is a bug and says so.
 */
export function errorLines(error: unknown): string[] {
  if (error instanceof ShellgateError) {
    const place = error.place !== undefined && !error.message.startsWith(error.place) ? `${error.place}  ` : '';
    return [`shellgate: ${error.code} ${place}${error.message}`];
  }
  if (error instanceof Error && 'syscall' in error) {
    return [`shellgate: SYSTEM_ERROR ${error.message}`, '           Nothing more was run. See shellgate doctor.'];
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [`shellgate: INTERNAL_ERROR ${message}`, '           This is a bug in shellgate; nothing more was run.'];
}
