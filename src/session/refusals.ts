import { codeOf } from '../contract/error.js';
import type { Refusal } from '../contract/result.js';

export const CLOSED: Refusal = {
  outcome: 'refused',
  by: 'session',
  code: 'SESSION_CLOSED',
  reason: 'the session is closed; open another one',
};

export const full = (limit: number): Refusal => ({
  outcome: 'refused',
  by: 'session',
  code: 'QUEUE_FULL',
  reason: `${limit} commands already wait in this session; let one end first`,
});

export function cancelled(signal: AbortSignal): Refusal {
  const reason = typeof signal.reason === 'string' ? signal.reason : 'cancelled before it started';
  return { outcome: 'refused', by: 'caller', code: 'CANCELLED', reason };
}

export const failed = (error: unknown): Refusal => ({
  outcome: 'refused',
  by: 'session',
  code: codeOf(error) === 'STDIN_UNAVAILABLE' ? 'STDIN_UNAVAILABLE' : 'INTERNAL_ERROR',
  reason: `the command could not be started: ${error instanceof Error ? error.message : String(error)}`,
});

export const NO_TERMINAL: Refusal = {
  outcome: 'refused',
  by: 'session',
  code: 'TTY_UNAVAILABLE',
  reason: 'this session has no terminal (no pty library, or --pty off); run it without tty',
};

export const astray = (directory: string): Refusal => ({
  outcome: 'refused',
  by: 'session',
  code: 'SHELL_UNAVAILABLE',
  reason: `every command of this session starts in ${directory}, which cannot be entered any more`,
});

export const NOT_BESIDE: Refusal = {
  ...NO_TERMINAL,
  reason: 'a background command cannot own the terminal; run it without tty, or without background',
};

export const NOT_STATELESS: Refusal = {
  outcome: 'refused',
  by: 'session',
  code: 'SHELL_UNAVAILABLE',
  reason: 'a directory or environment of its own is for stateless sessions; say `cd` or `export` in the command instead',
};

export const unavailable = (reason: string): Refusal => ({
  outcome: 'refused',
  by: 'session',
  code: 'SHELL_UNAVAILABLE',
  reason,
});

/** A verdict is about the shell it was made for: the fresh one that takes its place needs another. */
export const DIED: Refusal = unavailable('the shell ended before the command was started; nothing ran, submit it again');

export const NOT_RUNNING: Refusal = {
  outcome: 'refused',
  by: 'session',
  code: 'NOT_RUNNING',
  reason: 'no such command runs in this session any more; nothing was typed',
};

export const deaf = (commandId: string): Refusal => ({
  outcome: 'refused',
  by: 'session',
  code: 'INPUT_UNSUPPORTED',
  reason: `command ${commandId} reads no terminal; start it with tty, or give it stdin. Nothing was typed`,
});

export const PASSWORD: Refusal = {
  outcome: 'refused',
  by: 'session',
  code: 'PASSWORD_ASKED',
  reason:
    'the program reads without showing what is typed, as for a password: a person gives that elsewhere, never through here. Nothing was typed',
};

export const staleScreen = (version: number): Refusal => ({
  outcome: 'refused',
  by: 'session',
  code: 'STALE_SCREEN',
  reason: `the screen changed since it was looked at (it is version ${version} now); look again, then type. Nothing was typed`,
});
