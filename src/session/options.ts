import type { Executor } from '../contract/executor.js';
import type { Process } from '../contract/result.js';
import type { Shell } from '../contract/shell.js';
import type { ShellFamily } from '../contract/shell-family.js';
import type { Spools } from '../output/spool.js';

export type SessionEvent = 'session.opened' | 'session.closed' | 'session.lost' | 'output.late';

export interface SessionOptions {
  readonly id: string;
  readonly executor: Executor;
  readonly family: ShellFamily;
  /** The resolved shell; the family adds its own flags. */
  readonly shell: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mode: 'persistent' | 'stateless';
  readonly home: string;
  readonly workspace: string;
  readonly size: { readonly cols: number; readonly rows: number };
  readonly spools?: Spools;
  /** Go back to `cwd` before every command (S3-18). */
  readonly confine?: boolean;
  /** Bytes of a stream that a result keeps. Default 65,536. */
  readonly limitBytes?: number;
  /** Commands that may wait for their turn. Default 256. */
  readonly queueLimit?: number;
  /** Closes itself after so long without a command, in ms. Absent: never. */
  readonly idleTimeoutMs?: number;
  /** Contract: must not throw. */
  onEvent(type: SessionEvent, data: Readonly<Record<string, unknown>>): void;
}

/** A session's shell, whatever became of the processes behind it. */
export interface SessionShell extends Shell {
  readonly id: string;
  /** As of the last command's end. */
  readonly cwd: string;
  /** Cancels what runs, refuses what waits, ends the shell and what it left running. Resolves with the survivors. */
  close(): Promise<readonly Process[]>;
}
