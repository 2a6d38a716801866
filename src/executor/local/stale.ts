import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Process } from '../../contract/result.js';
import { hasProc, privateDirectory } from '../../platform.js';
import { allProcesses, environmentOf, statOf } from './proc.js';
import { SessionProcesses } from './processes.js';

const identity = z.strictObject({ pid: z.int().positive(), started: z.int().nonnegative() });
const recordSchema = z.strictObject({
  v: z.literal(1),
  /** Numbers mean nothing in another boot or another pid namespace. */
  boot: z.string(),
  namespace: z.string(),
  host: identity,
  shell: identity,
  /** What every SHELLGATE_COMMAND of the session begins with: 64 random bits. */
  markers: z.array(z.string().min(8)),
});
type ShellRecord = z.infer<typeof recordSchema>;

const SUFFIX = '.shell.json';
/** A record in the making has this behind its name. */
const PART = '.part';
/** A file this old is in nobody's making. */
const STALE_MS = 60_000;

/**
 * What the next executor must know if this process is killed: a terminal hangs up its programs then, but without one, or
 * deaf to the hangup, they go on. Errors: those of `privateDirectory`.
 */
export class ShellRecordFile {
  readonly #path: string;
  readonly #record: ShellRecord;

  constructor(directory: string, shell: { readonly pid: number; readonly started: number }) {
    const host = { pid: process.pid, started: statOf(process.pid)?.started ?? 0 };
    this.#path = join(privateDirectory(directory), `${host.pid}-${shell.pid}-${randomBytes(4).toString('hex')}${SUFFIX}`);
    this.#record = { v: 1, ...here(), host, shell: { pid: shell.pid, started: shell.started }, markers: [] };
    this.#write();
  }

  addMarker(marker: string): void {
    this.#record.markers.push(marker);
    this.#write();
  }

  remove(): void {
    quietly(() => unlinkSync(this.#path));
  }

  // A host may be killed in the middle of a write: the name shows whole records only.
  #write(): void {
    quietly(() => {
      const half = `${this.#path}${PART}`;
      writeFileSync(half, JSON.stringify(this.#record), { mode: 0o600 });
      renameSync(half, this.#path);
    });
  }
}

/**
 * End what dead hosts of this user left running, and forget them. Touches nothing whose host lives, nothing of another
 * boot, and no process that is not the recorded one by start time, session or marker. Resolves with the survivors.
 */
export async function sweepStale(directory: string): Promise<Process[]> {
  if (!hasProc) return [];
  const survivors: Process[] = [];
  for (const name of names(directory, SUFFIX + PART)) removeStale(join(directory, name));
  for (const name of names(directory, SUFFIX)) {
    const path = join(directory, name);
    const record = read(path);
    if (!record || isHere(record.host)) continue;
    const { boot, namespace } = here();
    if (record.boot === boot && record.namespace !== namespace) continue;
    const left = record.boot === boot ? await endShell(record) : [];
    survivors.push(...left);
    if (left.length === 0) quietly(() => unlinkSync(path));
  }
  return survivors;
}

function endShell(record: ShellRecord): Promise<Process[]> {
  const gone = !isHere(record.shell);
  const processes = new SessionProcesses({ ...record.shell, gone });
  for (const marker of record.markers) processes.markers.add(marker);
  // The number of a session whose leader is gone may have been given to another: one marked process proves that it is ours.
  if (gone && !hasMarkedProcess(record)) processes.disownSession();
  return processes.everything().kill(0);
}

function hasMarkedProcess({ shell, markers }: ShellRecord): boolean {
  return [...allProcesses().values()].some(
    stat =>
      stat.session === shell.pid && markers.some(marker => environmentOf(stat.pid)?.includes(`SHELLGATE_COMMAND=${marker}`)),
  );
}

const isHere = (who: { pid: number; started: number }): boolean => statOf(who.pid)?.started === who.started;

let place: { readonly boot: string; readonly namespace: string } | undefined;

function here(): { readonly boot: string; readonly namespace: string } {
  place ??= {
    boot: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    namespace: readlinkSync('/proc/self/ns/pid'),
  };
  return place;
}

/** Half a record of a host that was killed while it wrote. */
function removeStale(path: string): void {
  quietly(() => {
    if (lstatSync(path).mtimeMs < Date.now() - STALE_MS) unlinkSync(path);
  });
}

function names(directory: string, suffix: string): string[] {
  try {
    return readdirSync(directory).filter(name => name.endsWith(suffix));
  } catch {
    return [];
  }
}

/** undefined: not ours, not whole, or not a record. */
function read(path: string): ShellRecord | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.uid !== process.getuid?.() || stat.size > 64 * 1024) return undefined;
    return recordSchema.safeParse(JSON.parse(readFileSync(fd, 'utf8'))).data;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // a record that cannot be kept must not stop a session; one that is gone need not be removed
  }
}
