import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Channel } from '../../contract/executor.js';
import type { FileFact, GlobFact, PathFact } from '../../contract/facts.js';
import { behindGitFile } from './git-file.js';
import { matchesOf } from './globs.js';

const LARGEST = 1024 * 1024;
const LARGEST_TEXT = 64 * 1024;
/** For all paths and hashes of one query together. */
const TIME_MS = 200;
/** What a directory is looked through for. */
const MOST_ENTRIES = 10_000;
const MOST_LINKS = 256;
/** As many as Node has threads for files. */
const AT_ONCE = 4;
/** What these lead to depends on who asks: we would describe ourselves instead of the command. */
const ONES_OWN = /^\/(?:proc\/(?:self|thread-self)|dev\/(?:fd|stdin|stdout|stderr))(?:\/|$)/;

/**
 * Where paths lead and what files hold, here and now. Nothing in it waits for a FIFO, a device or a slow disk: what is not
 * known in time says so.
 */
export async function lookUpFiles(...[query, signal]: Parameters<Channel['files']>): ReturnType<Channel['files']> {
  signal.throwIfAborted();
  const { paths, hashes, globs = [] } = query;
  const found: Found = { paths: {}, hashes: {}, globs: {} };
  for (const path of paths)
    found.paths[path] = { real: path, kind: 'other', ...(isFolder(path) && { links: 'too many' as const }) };
  for (const path of hashes) found.hashes[path] = { problem: 'took too long to read' };
  for (const pattern of globs) found.globs[pattern] = { matches: [], complete: false };
  const late = deadline(signal);
  const work = [
    ...paths.map(path => async () => {
      const fact = await (isFolder(path) ? resolveFolder(path, late) : resolvePath(path));
      if (!late.passed) found.paths[path] = fact;
    }),
    ...hashes.map(path => async () => {
      const fact = await hashFile(path, late);
      if (!late.passed) found.hashes[path] = fact;
    }),
    ...globs.map(pattern => async () => {
      const fact = await matchesOf(pattern, late);
      const real = await Promise.all(fact.matches.map(resolvePath));
      if (late.passed) return;
      found.globs[pattern] = fact;
      for (const [index, path] of fact.matches.entries()) found.paths[path] = real[index]!;
    }),
  ];
  const worker = async (): Promise<void> => {
    for (let next = work.shift(); next && !late.passed; next = work.shift()) await next();
  };
  const all = Promise.all(Array.from({ length: AT_ONCE }, worker));
  await Promise.race([all, late.reached]);
  late.clear();
  signal.throwIfAborted();
  return found;
}

interface Found {
  readonly paths: Record<string, PathFact>;
  readonly hashes: Record<string, FileFact>;
  readonly globs: Record<string, GlobFact>;
}

interface Deadline {
  passed: boolean;
  readonly reached: Promise<void>;
  clear(): void;
}

function deadline(signal: AbortSignal): Deadline {
  let reach = (): void => {};
  const reached = new Promise<void>(resolve => {
    reach = () => {
      late.passed = true;
      resolve();
    };
  });
  const timer = setTimeout(() => reach(), TIME_MS);
  const onAbort = (): void => reach();
  const late: Deadline = {
    passed: false,
    reached,
    clear() {
      late.passed = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return late;
}

const isFolder = (path: string): boolean => path.length > 1 && path.endsWith('/');

async function resolvePath(path: string): Promise<PathFact> {
  if (ONES_OWN.test(path)) return { real: path, kind: 'other' };
  try {
    const real = await realpath(path);
    const kind = await stat(real);
    return { real, kind: kind.isFile() ? 'file' : kind.isDirectory() ? 'directory' : 'other' };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return { real: path, kind: 'other' };
    return missing(path);
  }
}

/** `/w/` with the links that stand in it, `/w/*\/` with those in its folders as well, `/w/**\/` with all below. */
async function resolveFolder(path: string, late: Deadline): Promise<PathFact> {
  const [, base = '', levels = ''] = /^(.*?)(\/\*\*|(?:\/\*)*)\/$/s.exec(path) ?? [];
  const depth = levels === '/**' ? Number.POSITIVE_INFINITY : 1 + levels.length / 2;
  const fact = await resolvePath(base || '/');
  // A file has nothing in it.
  if (fact.kind !== 'directory') return fact.kind === 'file' ? { real: path, kind: 'other' } : fact;
  try {
    return { ...fact, links: await linksIn(fact.real, { depth, late }) };
  } catch {
    return { ...fact, links: 'too many' };
  }
}

/** Where links in a directory lead, when that is not below it. One that leads nowhere counts by what it says. */
async function linksIn(
  folder: string,
  { depth, late }: { depth: number; late: Deadline },
): Promise<readonly string[] | 'too many'> {
  const found: string[] = [];
  let entries = 0;
  const waiting = [{ place: folder, level: 1 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { place, level } = next;
    for await (const entry of await opendir(place)) {
      entries += 1;
      if (entries > MOST_ENTRIES || found.length > MOST_LINKS || late.passed) return 'too many';
      const path = join(place, entry.name);
      if (entry.isDirectory() && level < depth) waiting.push({ place: path, level: level + 1 });
      if (!entry.isSymbolicLink()) continue;
      const real = await realpath(path).catch(async () => resolve(place, await readlink(path).catch(() => '/')));
      if (!real.startsWith(folder === '/' ? '/' : `${folder}/`)) found.push(real);
    }
  }
  return found;
}

/** The nearest parent that exists, resolved, and the rest as it stands; a dangling link is somewhere else than it looks. */
async function missing(path: string): Promise<PathFact> {
  if (await isLink(path)) return { real: path, kind: 'other' };
  const parent = dirname(path);
  if (parent === path) return { real: path, kind: 'missing' };
  const above = await resolvePath(parent);
  return { real: join(above.real, basename(path)), kind: above.kind === 'other' ? 'other' : 'missing' };
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    found => found.isSymbolicLink(),
    () => false,
  );
}

async function hashFile(path: string, late: Deadline, hops = 0): Promise<FileFact> {
  if (ONES_OWN.test(path)) return { problem: 'means something else to the command' };
  let file: FileHandle | undefined;
  try {
    const real = await realpath(path);
    // Devices and FIFOs must not be waited for, and what became a link since then must not be followed.
    file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY);
    const found = await file.stat();
    if (!found.isFile()) return { problem: 'not a regular file' };
    if (found.size > LARGEST) return { problem: 'larger than 1 MiB' };
    return await hashContent(file, late);
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR' && hops === 0) {
      const elsewhere = await behindGitFile(path).catch(() => undefined);
      if (elsewhere !== undefined) return hashFile(elsewhere, late, 1);
    }
    // Git takes a HEAD that leads nowhere for one, and what is there later need not be what is there now.
    if (codeOf(error) === 'ENOENT' && (await isLink(path))) return { problem: 'a link that leads nowhere' };
    return { problem: PROBLEMS[codeOf(error)] ?? `cannot be read (${codeOf(error)})` };
  } finally {
    await file?.close().catch(() => {});
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  ELOOP: 'symbolic links in a circle',
  EACCES: 'not readable',
  EPERM: 'not readable',
};

async function hashContent(file: FileHandle, late: Deadline): Promise<FileFact> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(LARGEST_TEXT);
  const head: Buffer[] = [];
  let length = 0;
  for (;;) {
    if (late.passed) return { problem: 'took too long to read' };
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    if (length + bytesRead <= LARGEST_TEXT) head.push(Buffer.from(chunk.subarray(0, bytesRead)));
    length += bytesRead;
    if (length > LARGEST) return { problem: 'larger than 1 MiB' };
    hash.update(chunk.subarray(0, bytesRead));
  }
  const sha256 = hash.digest('hex');
  return length <= LARGEST_TEXT ? { sha256, text: Buffer.concat(head).toString('utf8') } : { sha256 };
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';
