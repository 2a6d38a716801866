import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** No path is longer. */
const LONGEST = 4096;

/**
 * In a linked work tree and in a submodule `.git` is a file that names the repository: where `DIR/.git/config` really is
 * then. Undefined: `.git` is no such file. Errors of reading it are the caller's.
 */
export async function behindGitFile(path: string): Promise<string | undefined> {
  const at = path.lastIndexOf('/.git/');
  if (at < 0) return undefined;
  const named = await pointer(path.slice(0, at + 5), /^gitdir: ([^\n]+)\n*$/);
  if (named === undefined) return undefined;
  const own = resolve(path.slice(0, at), named);
  const rest = path.slice(at + 6);
  // What belongs to the one work tree stands beside the pointer to what all of them share.
  if (rest === 'config.worktree') return join(own, rest);
  const shared = await pointer(join(own, 'commondir'), /^([^\n]+)\n*$/).catch(() => undefined);
  return join(shared === undefined ? own : resolve(own, shared), rest);
}

/** Never waits: what is no small regular file names nothing. */
async function pointer(path: string, form: RegExp): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > LONGEST) return undefined;
    return form.exec(await file.readFile('utf8'))?.[1];
  } finally {
    await file.close();
  }
}
