import { z } from 'zod';
import type { Analysis } from './analysis.js';
import type { Execution } from './execution.js';
import type { Evaluation } from './policy.js';
import type { Approvals } from './question.js';
import type { RunOptions, SendOptions } from './request.js';
import type { CommandResult, InputResult } from './result.js';

export interface SessionOptions {
  /** Where the shell starts. Default: the process's directory. */
  readonly cwd?: string;
  /** `stateless`: every command gets a fresh shell. Default `persistent` (S3-01, S3-02). */
  readonly mode?: 'persistent' | 'stateless';
  /** Added to the gate's environment for this session. */
  readonly env?: Readonly<Record<string, string>>;
  /** Terminal size of `tty` commands, 1 to 1000 cells each way. Default 80 by 24. */
  readonly size?: { readonly cols: number; readonly rows: number };
  /** Go back to `cwd` before every command: a `cd` lasts for its command only (S3-18). Default false. */
  readonly confine?: boolean;
  /** A name for people. Default: a number. */
  readonly label?: string;
}

const noNul = (value: string) => !value.includes('\0');
const cells = z.number().int().min(1).max(1_000, 'must be at most 1000');
/** Of a terminal, in cells: 1 to 1000 each. */
export const sizeSchema = z.strictObject({ cols: cells, rows: cells });

export const sessionOptionsSchema = z.strictObject({
  cwd: z.string().min(1).refine(noNul, 'contains a NUL character').optional(),
  mode: z.enum(['persistent', 'stateless']).optional(),
  env: z.record(z.string(), z.string().refine(noNul, 'contains a NUL character')).optional(),
  size: sizeSchema.optional(),
  confine: z.boolean().optional(),
  label: z.string().optional(),
});

/** One shell with its state and one owner. Commands run one at a time, in order (S3-22). */
export interface Session extends AsyncDisposable {
  readonly id: string;
  /** As of the last result. */
  readonly cwd: string | undefined;
  /** The questions of the gate it belongs to, this session's among them. */
  readonly approvals: Approvals;
  run(text: string, options?: RunOptions): Promise<CommandResult>;
  start(text: string, options?: RunOptions): Execution;
  /** Judge without running, asking or recording a request. */
  check(text: string, options?: RunOptions): Promise<{ evaluation: Evaluation; analysis: Analysis }>;
  /**
   * Type into a command that runs on its terminal (P9): the exact bytes, so a line ends with `\r`. It passes the gate like a
   * command, and always asks. Refused by the session: `NOT_RUNNING`, `INPUT_UNSUPPORTED` (it has no terminal),
   * `STALE_SCREEN`, `PASSWORD_ASKED`.
   */
  send(commandId: string, text: string, options?: SendOptions): Execution<InputResult>;
  /** Words to one line of the session's shell grammar, each quoted. */
  quote(argv: readonly string[]): string;
  close(): Promise<void>;
}

/** Made by createGate() here or by connectGate() to a daemon; both behave the same. */
export interface Gate extends AsyncDisposable {
  openSession(options?: SessionOptions): Promise<Session>;
  readonly approvals: Approvals;
  close(): Promise<void>;
}
