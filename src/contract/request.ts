import { z } from 'zod';
import type { Principal } from './principal.js';

/** What every request says. `text` is the bytes that are judged and, unless a person edits them, that run. */
export interface Asked {
  /** Unguessable, unique in this process. */
  readonly id: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Where the request came from, for whoever joins records later. */
  readonly origin?: { readonly toolCallId?: string; readonly traceparent?: string };
  readonly text: string;
  /** The asker's own words. Shown marked as such, never judged. */
  readonly description?: string;
}

/** Run one command line in a session. */
export interface CommandRequest extends Asked {
  readonly kind: 'command';
  /** true: the command owns the session's terminal; false: its output is captured and its stdin is at EOF. */
  readonly tty: boolean;
  /** Bytes for the command's standard input (captured commands only). */
  readonly stdin?: string;
  /** Deadline counted from the start, in ms. Absent: none. */
  readonly timeoutMs?: number;
  /** What the deadline does. Default `kill`. */
  readonly onTimeout?: 'kill' | 'background';
  /** Run in a subshell of the session's shell and free the turn at once. */
  readonly background?: boolean;
  /** Stateless sessions only. */
  readonly cwd?: string;
  /** Stateless sessions only: added to the session's environment for this command. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Type into a running command (P9): `text` is what goes to its terminal, as keys. A stale `screenVersion` is refused. */
export interface InputRequest extends Asked {
  readonly kind: 'input';
  /** The command that owns the terminal. */
  readonly commandId: string;
  /** `Screen.version` of what the asker looked at. */
  readonly screenVersion: number;
  readonly tty: true;
  readonly stdin?: never;
  readonly timeoutMs?: never;
  readonly onTimeout?: never;
  readonly background?: never;
  readonly cwd?: never;
  readonly env?: never;
}

export type Request = CommandRequest | InputRequest;

/** The largest command text a gate accepts, in UTF-16 units. Above 64 KiB the analysis asks; above this it is refused. */
export const MAX_TEXT = 4 * 1024 * 1024;

/** The largest stdin, in UTF-16 units: it is held whole in memory, hashed and shown. A file has no such limit. */
export const MAX_STDIN = 64 * 1024 * 1024;

const noNul = (value: string) => !value.includes('\0');
const text = z.string().max(MAX_TEXT, 'is longer than 4 Mi characters').refine(noNul, 'contains a NUL character');
const timeoutMs = z.number().int().positive();

const principal = z.strictObject({
  kind: z.enum(['model', 'person', 'program']),
  id: z.string().min(1),
  label: z.string(),
  client: z.string().optional(),
  model: z.string().optional(),
});

const stdin = z.string().max(MAX_STDIN, 'is longer than 64 Mi characters; write it to a file and read that');
const readsItsTerminal = ({ tty, stdin: given }: { tty?: boolean | undefined; stdin?: string | undefined }) =>
  !tty || given === undefined;

/** What a caller may say beside the text. The session fills `kind`, `id` and `sessionId`. */
export const runOptionsSchema = z
  .strictObject({
    tty: z.boolean().optional(),
    stdin: stdin.optional(),
    timeoutMs: timeoutMs.optional(),
    onTimeout: z.enum(['kill', 'background']).optional(),
    background: z.boolean().optional(),
    cwd: z.string().min(1).refine(noNul, 'contains a NUL character').optional(),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().refine(noNul)).optional(),
    principal: principal.optional(),
    origin: z.strictObject({ toolCallId: z.string().optional(), traceparent: z.string().optional() }).optional(),
    description: z.string().optional(),
    signal: z.instanceof(AbortSignal).optional(),
  })
  .refine(readsItsTerminal, { path: ['stdin'], message: 'is for commands without tty; one on the terminal reads keys' });
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** What a caller may say beside the keys. */
export const sendOptionsSchema = z.strictObject({
  /** Of the `Screen` that was looked at. Default: as it stands when this is called. */
  screenVersion: z.number().int().nonnegative().optional(),
  principal: principal.optional(),
  origin: z.strictObject({ toolCallId: z.string().optional(), traceparent: z.string().optional() }).optional(),
  description: z.string().optional(),
  signal: z.instanceof(AbortSignal).optional(),
});
export type SendOptions = z.infer<typeof sendOptionsSchema>;
export const commandTextSchema = text;
/** Keys: a person must be able to read them. */
export const inputTextSchema = z
  .string()
  .min(1)
  .max(64 * 1024, 'is longer than 64 Ki characters')
  .refine(noNul, 'contains a NUL character');

/** What people call a session: its id without the part that only keeps others from guessing it. */
export function sessionLabel(sessionId: string): string {
  return sessionId.replace(/-[0-9a-f]{16}$/, '');
}
