/** Codes by who refused (design 4). */
export type RefusalCode =
  | 'POLICY_DENIED'
  | 'APPROVAL_DENIED'
  | 'APPROVER_FAILED'
  | 'ANSWER_FOREIGN'
  | 'REPEATED_REQUEST'
  | 'PRINCIPAL_PAUSED'
  | 'APPROVAL_EXPIRED'
  | 'NOBODY_TO_ASK'
  | 'CANCELLED'
  | 'SESSION_CLOSED'
  | 'QUEUE_FULL'
  | 'STALE_SCREEN'
  | 'INPUT_UNSUPPORTED'
  | 'NOT_RUNNING'
  | 'PASSWORD_ASKED'
  | 'TTY_UNAVAILABLE'
  | 'SHELL_UNAVAILABLE'
  | 'STDIN_UNAVAILABLE'
  | 'INTERNAL_ERROR'
  | 'AUDIT_UNAVAILABLE'
  | 'AUDIT_TAMPERED';

/** The command did not run. No byte of it reached a shell. */
export interface Refusal {
  readonly outcome: 'refused';
  readonly by: 'policy' | 'approver' | 'expiry' | 'nobody' | 'caller' | 'session' | 'audit';
  readonly code: RefusalCode;
  /** One sentence that may be told to the model. */
  readonly reason: string;
  /** A person's sentence to the model. */
  readonly feedback?: string;
}

/** A process that outlived what should have ended it, or was left running on purpose. */
export interface Process {
  readonly pid: number;
  readonly command: string;
  /** `not permitted`, `uninterruptible`, `still running`, `suspect`, `left running` … */
  readonly reason: string;
}

/** One stream of output: head and tail in memory, everything on disk up to the quota (P8). */
export interface Captured {
  /** Decoded as UTF-8; the middle replaced by `\n[... truncated N bytes ...]\n` where it was too long. */
  readonly text: string;
  /** Bytes the command wrote. */
  readonly bytes: number;
  /** Bytes that `text` leaves out. */
  readonly omittedBytes: number;
  /** The raw spool; `complete: false` when the quota cut it. Absent when `text` is everything. */
  readonly full?: { readonly ref: string; readonly bytes: number; readonly sha256: string; readonly complete: boolean };
}

/** What is true of every command that ran. */
export interface Ran {
  readonly stdout: Captured;
  readonly stderr: Captured;
  /** The session's directory afterwards, as the kernel has it. */
  readonly cwd?: string;
  readonly durationMs: number;
  /** Did the session's shell survive the command? */
  readonly shell: 'kept' | 'ended' | 'killed';
  /** true: a fresh shell was started for this command because the last one was gone. */
  readonly sessionRestarted: boolean;
  /** The text that ran, when a person edited the submitted one. */
  readonly ranInstead?: string;
  /** What may still be alive although it was to end. */
  readonly survivors: readonly Process[];
  /** What the command left running in the background on purpose. */
  readonly leftRunning: readonly Process[];
}

/** One final outcome, first cause wins (P6). An exit code only where there was an exit. */
export type CommandResult =
  | Refusal
  | (Ran & { readonly outcome: 'exited'; readonly exitCode: number; readonly pipeStatus?: readonly number[] })
  | (Ran & { readonly outcome: 'signaled'; readonly signal: string })
  | (Ran & { readonly outcome: 'timed-out' })
  | (Ran & { readonly outcome: 'cancelled' })
  | (Ran & { readonly outcome: 'session-lost'; readonly reason: string });

export type InputResult = Refusal | { readonly outcome: 'written'; readonly bytes: number; readonly ranInstead?: string };
