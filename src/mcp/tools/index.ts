import type { Desk } from '../desk.js';
import type { McpTool } from '../tool.js';
import { runShell } from './run-shell.js';
import { shellCancel } from './shell-cancel.js';
import { shellInput } from './shell-input.js';
import { shellOutput } from './shell-output.js';
import { shellStatus } from './shell-status.js';

/** The tools of the shell, one registration line each. */
export function shellTools(desk: Desk): McpTool[] {
  const tools: readonly unknown[] = [runShell(desk), shellStatus(desk), shellOutput(desk), shellInput(desk), shellCancel(desk)];
  return tools as McpTool[];
}
