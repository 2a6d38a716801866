import { basename } from 'node:path';
import { ShellgateError } from '../contract/error.js';
import type { ShellFamily } from '../contract/shell-family.js';
import { bash } from './bash.js';
import { sh } from './sh.js';

/** Every family, by the program names it speaks to. A new family is one file and one line here. */
export const families: Readonly<Record<string, ShellFamily>> = { bash, sh, dash: sh, ash: sh, busybox: sh };

/** The family of a resolved shell, by its program's name. Error: `SHELL_UNSUPPORTED`. */
export function chooseFamily(shell: readonly string[]): ShellFamily {
  const name = basename(shell[0] ?? '').replace(/\.exe$/, '');
  const family = Object.hasOwn(families, name) ? families[name] : undefined;
  if (family) return family;
  const known = Object.keys(families).join(', ');
  throw new ShellgateError('SHELL_UNSUPPORTED', `no shell family speaks to "${shell[0] ?? ''}"; known: ${known}`);
}
