import type { Captured, CommandResult, Ran } from '../contract/result.js';
import type { ShellFamily } from '../contract/shell-family.js';
import type { End } from './dispatch.js';
import type { Cause } from './supervise.js';

/** One outcome. What ended the command from outside came first; a report or an exit only followed from it (P6). */
export function concluded(ran: Ran, end: End, cause: Cause | undefined): CommandResult {
  if (cause) return { ...ran, outcome: cause };
  if ('report' in end) {
    const { status: exitCode, pipeStatus } = end.report;
    return { ...ran, outcome: 'exited', exitCode, ...(pipeStatus && { pipeStatus }) };
  }
  const { exitCode, signal } = end.ended;
  if (signal !== undefined) return { ...ran, outcome: 'signaled', signal };
  if (exitCode !== undefined) return { ...ran, outcome: 'exited', exitCode };
  return { ...ran, outcome: 'session-lost', reason: 'the shell is gone and nobody knows how it ended' };
}

/** What the shell itself wrote among the command's stderr is no output of the command. */
export function withoutOwnTalk(stderr: Captured, family: ShellFamily, command: { text: string; ended: boolean }): Captured {
  if (stderr.bytes === 0) return stderr;
  const text = family.withoutOwnTalk(stderr.text, command);
  return { ...stderr, text, bytes: stderr.bytes - (stderr.text.length - text.length) };
}
