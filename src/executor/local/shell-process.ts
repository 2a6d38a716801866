import { readlinkSync, statSync } from 'node:fs';
import type { Channel } from '../../contract/executor.js';
import type { Process } from '../../contract/result.js';
import { hasProc } from '../../platform.js';
import {
  allProcesses,
  caughtSignals,
  childrenOf,
  commandOf,
  descriptorOf,
  descriptorsOf,
  executableOf,
  statOf,
  waitsForInput,
} from './proc.js';

/** Programs that start programs: an editor below `git commit` is the third. */
const DEEPEST = 16;

/** The shell as the kernel sees it. Nothing here asks the shell itself. */
export class ShellProcess {
  readonly pid: number;
  /** Session start of the shell in ticks; 0 where nobody tells. */
  readonly started: number;
  #gone = false;
  readonly #streams: ReadonlyMap<string, 'command' | 'other'>;
  #faultsSeen: number;
  #held = false;
  /** `pid:started` of processes that live and were seen without the streams. */
  #innocent: ReadonlySet<string> = new Set();

  constructor(pid: number) {
    this.pid = pid;
    const stat = hasProc ? statOf(pid) : undefined;
    this.started = stat?.started ?? 0;
    this.#faultsSeen = stat?.childFaults ?? 0;
    const streams = new Map<string, 'command' | 'other'>();
    for (const fd of [0, 1, 2]) {
      const link = hasProc ? descriptorOf(pid, fd) : undefined;
      if (link !== undefined) streams.set(link, fd === 0 ? 'command' : 'other');
    }
    this.#streams = streams;
  }

  /** From now on its pid may name somebody else. */
  markGone(): void {
    this.#gone = true;
  }

  get gone(): boolean {
    return this.#gone;
  }

  signal(name: NodeJS.Signals | number, to: 'shell' | 'group' | 'foreground'): void {
    if (this.#gone) return;
    const target = to === 'shell' ? this.pid : to === 'group' ? -this.pid : this.#foregroundGroup();
    if (target === undefined) return;
    try {
      process.kill(target, name as NodeJS.Signals);
    } catch {
      // gone, or nobody in that group
    }
  }

  state(): ReturnType<Channel['shell']['state']> {
    if (this.#gone) return 'gone';
    if (!hasProc) return 'running';
    switch (statOf(this.pid)?.state) {
      case undefined:
      case 'Z':
      case 'X':
        return 'gone';
      case 'T':
      case 't':
        return 'stopped';
      case 'R':
        return 'running';
      default:
        return 'sleeping';
    }
  }

  catches(signal: number): boolean {
    return !this.#gone && hasProc && ((caughtSignals(this.pid) >> BigInt(signal - 1)) & 1n) === 1n;
  }

  cwd(): { readonly path: string; readonly id: string } | undefined {
    if (this.#gone || !hasProc) return undefined;
    try {
      const link = `/proc/${this.pid}/cwd`;
      const stat = statSync(link);
      return { path: readlinkSync(link), id: `${stat.dev}:${stat.ino}` };
    } catch {
      return undefined;
    }
  }

  foreground(): ReturnType<Channel['shell']['foreground']> {
    if (this.#gone || !hasProc) return undefined;
    // Without job control all of a command is in the shell's own group: what was started last has the terminal, mostly.
    let last: ReturnType<typeof statOf>;
    for (let pid = this.pid, depth = 0; depth < DEEPEST; depth += 1) {
      const children = (childrenOf(pid) ?? []).map(child => statOf(child)).filter(child => child !== undefined);
      if (children.length === 0) break;
      last = children.reduce((youngest, child) => (child.started >= youngest.started ? child : youngest));
      pid = last.pid;
    }
    return last && { pid: last.pid, name: last.name };
  }

  /**
   * Whoever else has one of the shell's three streams (P5): forks of it that did not become another program, and programs
   * that a trap started between commands, also in a session of their own. 20 µs when nothing was forked since the last
   * call, about a millisecond otherwise.
   */
  holders(): Process[] {
    if (this.#gone || !hasProc || this.#streams.size === 0) return [];
    if (!this.#held && !this.forkedSinceLastLook()) return [];
    const found: Process[] = [];
    const innocent = new Set<string>();
    for (const stat of allProcesses().values()) {
      if (stat.started < this.started || stat.pid === this.pid) continue;
      // Streams are inherited: who was seen without them never gets them.
      const key = `${stat.pid}:${stat.started}`;
      const reason = this.#innocent.has(key) ? undefined : this.#holds(stat.pid);
      if (reason === undefined) innocent.add(key);
      else found.push({ pid: stat.pid, command: commandOf(stat), reason });
    }
    this.#innocent = innocent;
    this.#held = found.length > 0;
    return found;
  }

  /** A program other than the shell has no business with the command stream, whatever it is doing right now. */
  #holds(pid: number): string | undefined {
    // First: a fork that becomes another program meanwhile is then seen without the streams.
    const program = executableOf(pid);
    // One that is dying has no program any more, and its descriptors for a moment longer: it reads nothing.
    const isShell = program === undefined || program === executableOf(this.pid);
    const held = descriptorsOf(pid).filter(fd => this.#streams.has(descriptorOf(pid, fd) ?? ''));
    if (held.length === 0) return undefined;
    const commands = held.filter(fd => this.#streams.get(descriptorOf(pid, fd) ?? '') === 'command').map(Number);
    const reads = commands.length > 0 && (!isShell || waitsForInput(pid, commands));
    return reads ? 'reads the command stream' : 'holds the command stream';
  }

  /** Has the shell had a child since this was asked the last time, or has it one now? */
  forkedSinceLastLook(): boolean {
    const stat = statOf(this.pid);
    if (!stat) return false;
    const reaped = stat.childFaults !== this.#faultsSeen;
    this.#faultsSeen = stat.childFaults;
    return reaped || childrenOf(this.pid)?.length !== 0;
  }

  #foregroundGroup(): number | undefined {
    const stat = hasProc ? statOf(this.pid) : undefined;
    return stat && stat.foreground > 1 && stat.foreground !== stat.group ? -stat.foreground : undefined;
  }
}
