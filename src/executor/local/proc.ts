import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';
import { uptime } from 'node:os';

/** Kernel clock ticks a second in `/proc`; Linux shows 100 to programs whatever the kernel itself uses. */
export const TICKS_PER_SECOND = 100;

/** Now, as `/proc/PID/stat` counts start times. */
export const nowTicks = (): number => Math.floor(uptime() * TICKS_PER_SECOND);

const BUFFER = Buffer.allocUnsafeSlow(4096);

/** A short file of `/proc`, in half the time of `readFileSync`: every command needs some, a look at all processes hundreds. */
function readShort(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const bytes = readSync(fd, BUFFER);
    return bytes < BUFFER.length ? BUFFER.toString('latin1', 0, bytes) : readFileSync(path, 'latin1');
  } finally {
    closeSync(fd);
  }
}

/** What `/proc/PID/stat` says of a process. */
export interface Stat {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly ppid: number;
  readonly group: number;
  readonly session: number;
  /** Foreground group of its terminal, -1 without one. */
  readonly foreground: number;
  /** Minor faults of children it has waited for: changes whenever a fork was reaped. */
  readonly childFaults: number;
  /** In ticks since boot; with the pid it names one process for good. */
  readonly started: number;
}

/** undefined: no such process (any more). */
export function statOf(pid: number): Stat | undefined {
  let line: string;
  try {
    line = readShort(`/proc/${pid}/stat`);
  } catch {
    return undefined;
  }
  // The name stands in brackets and may hold anything, brackets and spaces too: the last bracket ends it.
  const end = line.lastIndexOf(')');
  const fields = line.slice(end + 2).split(' ');
  return {
    pid,
    name: line.slice(line.indexOf('(') + 1, end),
    state: fields[0] ?? '?',
    ppid: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    foreground: Number(fields[5]),
    childFaults: Number(fields[8]),
    started: Number(fields[19]),
  };
}

/** Dead, but not yet collected by its parent. */
export const isDead = (stat: Stat): boolean => stat.state === 'Z' || stat.state === 'X';

const MOST_ROUNDS = 10;

/** What there is, apart from ourselves. */
export interface ProcessTable {
  readonly all: ReadonlyMap<number, Stat>;
  /** Whoever lived when the table was finished is in it. */
  readonly complete: boolean;
}

/**
 * Every process, by pid. A list is old as soon as it is read: a program that forks and dies is missed in it, and so is its
 * child. So it is read again until nobody in it is new; the newest are looked at first.
 */
export function processTable(): ProcessTable {
  const all = new Map<number, Stat>();
  const seen = new Set([process.pid]);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const fresh = readdirSync('/proc')
      .map(Number)
      .filter(pid => pid > 0 && !seen.has(pid));
    if (fresh.length === 0) return { all, complete: true };
    for (const pid of fresh.reverse()) {
      seen.add(pid);
      const stat = statOf(pid);
      if (stat) all.set(pid, stat);
    }
  }
  return { all, complete: false };
}

export const allProcesses = (): ReadonlyMap<number, Stat> => processTable().all;

/** Direct children; undefined where the kernel does not tell. */
export function childrenOf(pid: number): number[] | undefined {
  try {
    const text = readShort(`/proc/${pid}/task/${pid}/children`).trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return undefined;
  }
}

/**
 * The environment it was started with; empty when it has none or is not ours to read, undefined while it is becoming
 * another program.
 */
export function environmentOf(pid: number): string | undefined {
  for (let tries = 0; tries < 3; tries += 1) {
    let line: string;
    try {
      const environment = readShort(`/proc/${pid}/environ`);
      if (environment !== '') return environment;
      line = readShort(`/proc/${pid}/stat`);
    } catch {
      return '';
    }
    // The kernel says where the environment begins only when the new program has one; threads of its own have none.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    if (fields[47] !== '0' || fields[1] === '2' || fields[0] === 'Z') return '';
  }
  return undefined;
}

/** Its command line for people, at most 200 characters; `[name]` when it has none. */
export function commandOf(stat: Stat): string {
  try {
    const words = readFileSync(`/proc/${stat.pid}/cmdline`, 'utf8').split('\0').filter(Boolean).join(' ');
    if (words !== '') return words.length > 200 ? `${words.slice(0, 199)}…` : words;
  } catch {
    // gone, or not ours to read
  }
  return `[${stat.name}]`;
}

/** Signals it has handlers for, bit 0 for signal 1. */
export function caughtSignals(pid: number): bigint {
  try {
    const mask = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return mask === undefined ? 0n : BigInt(`0x${mask}`);
  } catch {
    return 0n;
  }
}

/** What a descriptor of a process leads to, e.g. `socket:[12345]`. */
export function descriptorOf(pid: number, fd: number | string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return undefined;
  }
}

export function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

/** Numbers of the system calls that read from the descriptor in their first argument, and of those that wait for some. */
const CALLS =
  process.arch === 'x64'
    ? { reading: [0, 19, 45, 47], polling: [7, 23, 232, 270, 271, 281, 441] }
    : { reading: [63, 65, 207, 212], polling: [22, 72, 73, 441] }; // arm64 and riscv64

/** The descriptor it is blocked in reading, or `some` when it waits for descriptors that nobody can tell. */
function blockedIn(pid: number): number | 'some' | undefined {
  try {
    const [call, first] = readShort(`/proc/${pid}/syscall`).split(' ').map(Number);
    if (CALLS.reading.includes(call!)) return first!;
    return CALLS.polling.includes(call!) ? 'some' : undefined;
  } catch {
    return undefined;
  }
}

/** Is it blocked until one of these descriptors, or one that nobody can tell, has something to read? */
export function waitsForInput(pid: number, descriptors: readonly number[]): boolean {
  const read = blockedIn(pid);
  return read === 'some' || (read !== undefined && descriptors.includes(read));
}

/** Is it blocked in reading a terminal of this path? */
export function readsTerminal(pid: number, path: string): boolean {
  const read = blockedIn(pid);
  const link = typeof read === 'number' ? descriptorOf(pid, read) : undefined;
  return link === path || link === '/dev/tty';
}

/** Path of the program it runs; undefined where it is not ours to know. */
export function executableOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}

export function ownerOf(pid: number): number | undefined {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return undefined;
  }
}
