import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ShellgateError } from '../contract/error.js';
import { nearest } from '../contract/nearest.js';
import type { PolicyText } from './parse-policy.js';

/** Larger than any policy a person could read. */
const MAX_BYTES = 1024 * 1024;

export const PROFILES = ['ask-all', 'read-only', 'workspace'] as const;
export type Profile = (typeof PROFILES)[number];

/** The shipped profiles stand beside `src` and `dist` alike. */
export const profilePath = (profile: Profile): string =>
  fileURLToPath(new URL(`../../policies/${profile}.toml`, import.meta.url));

const isProfile = (name: string): name is Profile => (PROFILES as readonly string[]).includes(name);

/** The files a profile stands for: `workspace` is `read-only` and what it adds. */
const PROFILE_FILES: Readonly<Record<Profile, readonly Profile[]>> = {
  'ask-all': ['ask-all'],
  'read-only': ['read-only'],
  workspace: ['read-only', 'workspace'],
};

/**
 * The files a source stands for. A profile's name is never a path: a repository could bring a file of that name along, and
 * what runs there would be its word. `./read-only` is a file.
 */
export const policyPaths = (nameOrPath: string): string[] =>
  isProfile(nameOrPath) ? PROFILE_FILES[nameOrPath].map(profilePath) : [resolve(nameOrPath)];

/** What the files of a source say. Errors: those of `readOwnFile`. */
export function readPolicySources(nameOrPath: string): PolicyText[] {
  if (!isProfile(nameOrPath)) return [{ name: nameOrPath, text: readNamed(nameOrPath) }];
  return policyPaths(nameOrPath).map(path => {
    return { name: basename(path), text: readOwnFile(path, { writers: 'any' }), shipped: true };
  });
}

/** A link that leads nowhere, and a place that nobody lets us look into, must not mean "no policy": reading says what is wrong. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** A word without a slash may be a misspelled profile as well. */
function readNamed(nameOrPath: string): string {
  try {
    return readOwnFile(nameOrPath, { writers: 'owner' });
  } catch (cause) {
    if (((cause as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') throw cause;
    const near = nameOrPath.includes('/') ? undefined : nearest(nameOrPath, PROFILES);
    const expected = near === undefined ? `expected a policy file or one of ${PROFILES.join(', ')}` : `did you mean ${near}?`;
    throw unreadable(nameOrPath, `${(cause as Error).message}; ${expected}`, cause);
  }
}

/** Who may be able to write a file: this user or root, one user alone, or it does not matter. */
export type Writers = 'owner' | { readonly uid: number } | 'any';

/**
 * Reads a file that decides what may run. Regular files up to 1 MiB only, that nobody but `writers` may write. All of it is checked on the opened descriptor, so what was checked is what
 * is read. Errors: `POLICY_UNREADABLE`, `POLICY_INVALID` (not UTF-8).
 */
export function readOwnFile(path: string, { writers }: { readonly writers: Writers }): string {
  const descriptor = open(path);
  try {
    const stat = fstatSync(descriptor);
    const problem = fileProblem(stat, writers);
    if (problem !== undefined) throw unreadable(path, problem);
    return decode(path, readAll(descriptor, path));
  } finally {
    closeSync(descriptor);
  }
}

/** Without waiting: opening a FIFO for reading would block until somebody writes. */
function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const what = code === 'ENOENT' ? 'does not exist' : code === 'EACCES' ? 'cannot be read by you' : (cause as Error).message;
    throw unreadable(path, what, cause);
  }
}

function fileProblem(stat: Stats, writers: Writers): string | undefined {
  if (!stat.isFile()) return 'is not a regular file';
  if (stat.size > MAX_BYTES) return `is ${stat.size} bytes long; a policy has at most ${MAX_BYTES}`;
  if (writers === 'any') return undefined;
  if (writers !== 'owner') return foreignProblem(stat, writers.uid);
  const uid = process.getuid?.();
  if (uid !== undefined && stat.uid !== uid && stat.uid !== 0)
    return `belongs to uid ${stat.uid}, who could change it; own it yourself`;
  const isPrivateGroup = stat.gid === stat.uid;
  if ((stat.mode & 0o002) !== 0 || ((stat.mode & 0o020) !== 0 && !isPrivateGroup)) {
    return `can be written by others (mode ${(stat.mode & 0o777).toString(8)}); chmod go-w it`;
  }
  return undefined;
}

/** No group is private enough for a file that rules over others. */
function foreignProblem(stat: Stats, uid: number): string | undefined {
  if (stat.uid !== uid) return `belongs to uid ${stat.uid}, not to uid ${uid}`;
  return (stat.mode & 0o022) === 0
    ? undefined
    : `can be written by others (mode ${(stat.mode & 0o777).toString(8)}); chmod go-w it`;
}

/** The size of the opened file may still grow; the bound holds for what is read. */
function readAll(descriptor: number, path: string): Buffer {
  const buffer = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0) return buffer.subarray(0, length);
    if (length > MAX_BYTES) throw unreadable(path, `grew over ${MAX_BYTES} bytes while it was read`);
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ShellgateError('POLICY_INVALID', 'is not UTF-8', { cause, place: path });
  }
}

const unreadable = (path: string, what: string, cause?: unknown): ShellgateError =>
  new ShellgateError('POLICY_UNREADABLE', what, { place: path, ...(cause !== undefined && { cause }) });
