import { ShellgateError } from '../contract/error.js';
import type { Keeper } from './agenttool/inline.js';
import { processTools } from './agenttool/process-tools.js';
import { createProcesses, type Processes } from './agenttool/processes.js';
import { shellExecTool } from './agenttool/shell-exec.js';
import { jsonSchemaOf } from './declaration.js';
import { runShell } from './run-shell.js';
import { getEnv } from './supyagent/get-env.js';
import { runCommandTool } from './supyagent/run-command.js';
import { runScriptTool } from './supyagent/run-script.js';
import { whichTool } from './supyagent/which.js';
import type { Lookup } from './supyagent/working-directory.js';
import { type Tool, type ToolFunction, type ToolSet, toolSets } from './tool.js';

export interface CatalogParts {
  readonly environment?: Lookup | undefined;
  /** Name of the shell family that the gate's shells speak. Default bash. */
  readonly family?: string | undefined;
  readonly processes?: Processes;
  readonly keeper?: Keeper | undefined;
}

/** Every tool there is, in the order in which hosts see them. */
export function toolCatalog(parts: CatalogParts): readonly Tool[] {
  const { environment = () => undefined, family = 'bash', processes = createProcesses(), keeper } = parts;
  return [
    runShell,
    runCommandTool(environment),
    runScriptTool(environment),
    whichTool(family),
    getEnv,
    shellExecTool({ processes, keeper }),
    ...processTools(processes),
  ] as unknown as readonly Tool[];
}

/** What of it a host wants, by name. Errors: `TOOL_UNKNOWN`. */
export function enabled(
  every: readonly Tool[],
  { sets = toolSets, disable = [] }: { readonly sets?: readonly ToolSet[]; readonly disable?: readonly string[] },
): ReadonlyMap<string, Tool> {
  const unknown = disable.find(name => !every.some(tool => tool.name === name));
  if (unknown !== undefined) {
    const names = every.map(({ name }) => name).join(', ');
    throw new ShellgateError('TOOL_UNKNOWN', `there is no tool "${unknown}" to disable; there are ${names}`, {
      place: 'disable',
    });
  }
  return new Map(every.filter(({ name, set }) => sets.includes(set) && !disable.includes(name)).map(tool => [tool.name, tool]));
}

/** As a host shows it to a model. */
export const toolFunction = ({ name, set, description, args }: Tool): ToolFunction => ({
  name,
  set,
  kind: 'shell',
  description,
  inputSchema: jsonSchemaOf(args),
});
