import {
  constants,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isThere } from '../../policy/policy-file.js';
import { invalid } from './edit-json.js';

/** '' for a file that does not exist yet. Errors: `CLIENT_CONFIG_INVALID`. */
export function readOrEmpty(path: string): string {
  if (!isThere(path)) return '';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    throw invalid(path, `it cannot be read (${(cause as Error).message})`, cause);
  }
}

export interface Replacement {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Put a new text in the place of the one that was read, all of it or nothing, with the old one beside it. A link is
 * followed: a file that is kept elsewhere stays there. Returns the backup's path, if there was anything to keep.
 */
export function replaceFile({ path, before, after }: Replacement, now = new Date()): string | undefined {
  if (readOrEmpty(path) !== before) throw invalid(path, 'somebody else changed it just now; try again');
  const isNew = !isThere(path);
  mkdirSync(dirname(path), { recursive: true });
  const target = isNew ? path : realpathSync(path);
  const backup = `${target}.before-shellgate-${now.toISOString().replace(/[-:]|\.\d+Z/g, '')}`;
  if (!isNew) copyFileSync(target, backup, constants.COPYFILE_EXCL);
  const fresh = `${target}.shellgate-${process.pid}`;
  try {
    writeFileSync(fresh, after, { mode: isNew ? 0o600 : statSync(target).mode & 0o777, flag: 'wx' });
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { force: true });
  }
  return isNew ? undefined : backup;
}
