import type { Desk } from '../desk.js';
import { type ServedTool, served } from '../tool.js';
import { runShell } from './run-shell.js';
import { shellCancel } from './shell-cancel.js';
import { shellInput } from './shell-input.js';
import { shellOutput } from './shell-output.js';
import { shellStatus } from './shell-status.js';

/** The tools of the shell, one registration line each. */
export function shellTools(desk: Desk): ServedTool[] {
  return [
    served(runShell(desk)),
    served(shellStatus(desk)),
    served(shellOutput(desk)),
    served(shellInput(desk)),
    served(shellCancel(desk)),
  ];
}
