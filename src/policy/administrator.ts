import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { ShellgateError } from '../contract/error.js';
import { wrongInput } from '../contract/wrong-input.js';
import { readOwnFile } from './policy-file.js';

/** Where an administrator's files stand, and whose they must be: everything in there, and the directories too. */
export interface AdministratorPlace {
  readonly directory: string;
  readonly uid: number;
}

export const ADMINISTRATOR: AdministratorPlace = { directory: '/etc/shellgate', uid: 0 };

/** What of the layers below can be locked. `policy`: their rules and defaults only tighten. */
const configSchema = z.strictObject({ lock: z.array(z.enum(['policy'])).optional() });
export type Lock = 'policy';

/** `config.toml` and `policy.d` of the administrator: what is looked at to notice a change. */
export const administratorPaths = ({ directory }: AdministratorPlace) => ({
  directory,
  config: join(directory, 'config.toml'),
  policies: join(directory, 'policy.d'),
});

/**
 * `policy.d/*.toml`, in the order of their names; nothing where the directory is not there. What is there and is not the
 * administrator's alone is an error: passing over it would let whoever broke it loosen the gate. Errors: `POLICY_UNREADABLE`.
 */
export function administratorFiles(place: AdministratorPlace): readonly string[] {
  const { directory, policies } = administratorPaths(place);
  if (!isOwnDirectory(directory, place.uid) || !isOwnDirectory(policies, place.uid)) return [];
  const names = namesIn(policies).filter(name => name.endsWith('.toml'));
  return names.sort().map(name => join(policies, name));
}

/** undefined: no `config.toml` says anything. Errors: `POLICY_UNREADABLE`, `POLICY_INVALID`, `CONFIG_INVALID`. */
export function administratorLocks(place: AdministratorPlace): ReadonlySet<Lock> | undefined {
  const { directory, config } = administratorPaths(place);
  if (!isOwnDirectory(directory, place.uid) || !statOf(config)) return undefined;
  return locksIn(config, place.uid);
}

function locksIn(path: string, uid: number): ReadonlySet<Lock> {
  const value = tableOf(readOwnFile(path, { writers: { uid } }), path);
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return new Set(parsed.data.lock);
  const { text } = wrongInput(parsed.error, value, Object.keys(configSchema.shape));
  throw invalid(path, text, parsed.error);
}

function tableOf(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw invalid(path, (cause as Error).message.split('\n')[0] ?? '', cause);
  }
}

const invalid = (path: string, what: string, cause: unknown): ShellgateError =>
  new ShellgateError('CONFIG_INVALID', `${what}; ask the administrator`, { cause, place: path });

/** false: there is none. */
function isOwnDirectory(path: string, uid: number): boolean {
  const stat = statOf(path);
  if (!stat) return false;
  const problem = !stat.isDirectory()
    ? 'is no directory'
    : stat.uid !== uid
      ? `belongs to uid ${stat.uid}, not to the administrator (uid ${uid})`
      : (stat.mode & 0o022) !== 0
        ? `can be written by others (mode ${(stat.mode & 0o777).toString(8)})`
        : undefined;
  if (problem !== undefined) throw unreadable(path, problem);
  return true;
}

/** A link that leads nowhere, and a place that nobody lets us look into, must not mean "no policy". */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT' && !isLink(path)) return undefined;
    throw unreadable(path, `cannot be looked at: ${(cause as Error).message}`, cause);
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    throw unreadable(directory, `cannot be read: ${(cause as Error).message}`, cause);
  }
}

const unreadable = (path: string, what: string, cause?: unknown): ShellgateError =>
  new ShellgateError('POLICY_UNREADABLE', `${path} ${what}; ask the administrator`, {
    place: path,
    ...(cause !== undefined && { cause }),
  });
