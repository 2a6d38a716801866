import { realpathSync } from 'node:fs';
import { delimiter, resolve, sep } from 'node:path';
import { ShellgateError } from '../contract/error.js';

/** How a server is being started. */
export interface Start {
  /** Files whose code is about to decide what may run: our own script, and node itself. */
  readonly programs: readonly string[];
  /** Where gated commands work and may write. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Options of node that load code from a file, in either spelling. */
const LOADS_CODE = /(?:^|\s)"?(?:-r|--require|--import|--loader|--experimental-loader)(?:[\s="]|$)/;
const NPM_SETTINGS = ['npm_config_node_options', 'npm_config_script_shell'] as const;

/**
 * Why this start must not be trusted with a gate; empty when all is well. A tripwire: code that is injected has run by
 * now. It catches the project that brings its own gate along, which is how it would happen without anybody noticing.
 */
export function startProblems({ programs, workspace, env }: Start): string[] {
  const problems: string[] = [];
  for (const program of programs) {
    if (!isBelow(program, workspace)) continue;
    problems.push(`${program} lies below the workspace ${workspace}, where gated commands can change it`);
  }
  if (LOADS_CODE.test(env['NODE_OPTIONS'] ?? '')) problems.push(`NODE_OPTIONS loads code into it: ${env['NODE_OPTIONS']}`);
  for (const name of NPM_SETTINGS) {
    const value = Object.entries(env).find(([key]) => key.toLowerCase() === name)?.[1];
    if (value) problems.push(`the npm setting ${name} is set: ${value}`);
  }
  for (const folder of (env['NODE_PATH'] ?? '').split(delimiter).filter(Boolean)) {
    if (isBelow(folder, workspace)) problems.push(`NODE_PATH names ${folder}, below the workspace`);
  }
  return problems;
}

/** Errors: `START_UNSAFE` with every problem and what to do. */
export function requireSafeStart(start: Start): void {
  const problems = startProblems(start);
  if (problems.length === 0) return;
  throw new ShellgateError(
    'START_UNSAFE',
    `${problems.join('; ')}. Install shellgate outside the project (npm install --global shellgate), name it by its absolute path, and start it without these settings`,
  );
}

function isBelow(path: string, folder: string): boolean {
  const [inner, outer] = [real(path), real(folder)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
