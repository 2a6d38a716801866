import type { ProcessTree } from '../../contract/executor.js';
import type { Process } from '../../contract/result.js';
import { hasProc } from '../../platform.js';
import { endTree, type Look, sendTo } from './kill-tree.js';
import {
  allProcesses,
  childrenOf,
  commandOf,
  environmentOf,
  isDead,
  nowTicks,
  ownerOf,
  processTable,
  readsTerminal,
  type Stat,
  statOf,
} from './proc.js';
import { psTree } from './ps-tree.js';

/** After this long without a word from the shell, a process started in the same clock tick is the new command's. */
const QUIET_MS = 20;
/** A container may fake the uptime but not the start times: beyond this the difference is taken as theirs. */
const CLOCK_SKEW_TICKS = 100;

const keyOf = (stat: Stat): string => `${stat.pid}:${stat.started}`;

/** Markers of one session differ after the last dot; `everything` looks for what they share. */
export const markerPrefix = (marker: string): string => marker.slice(0, marker.lastIndexOf('.') + 1) || marker;

export interface CommandStart {
  /** Value of SHELLGATE_COMMAND, unique in the world. */
  readonly marker: string;
  /** Did earlier commands leave jobs? Then the shell's children of now are not this command's. */
  readonly recordChildren: boolean;
  /** Since the shell last said anything. */
  readonly quietForMs: number;
  /** A subshell of the shell: only what it started belongs to the command. */
  readonly root?: number;
}

/** A shell, or what is known of one that is gone. */
export interface SessionLeader {
  readonly pid: number;
  /** In ticks, as `/proc` has it. */
  readonly started: number;
  /** Its pid proves nothing any more. */
  readonly gone: boolean;
}

/** Which processes are whose, for one shell. */
export class SessionProcesses {
  readonly shell: SessionLeader;
  /** What the markers of its commands begin with. */
  readonly markers = new Set<string>();
  readonly #skew: number;
  #sessionEmpty = false;
  #over = false;

  constructor(shell: SessionLeader) {
    this.shell = shell;
    const skew = hasProc && shell.started > 0 ? shell.started - nowTicks() : 0;
    this.#skew = Math.abs(skew) > CLOCK_SKEW_TICKS ? skew : 0;
  }

  command(start: CommandStart): ProcessTree {
    this.markers.add(markerPrefix(start.marker));
    if (!hasProc) return psTree(start.root ?? this.shell.pid, start.root === undefined ? 'descendants' : 'with shell');
    const root = start.root === undefined ? undefined : statOf(start.root);
    return new Tree(this, {
      since: root?.started ?? nowTicks() + this.#skew,
      ...(start.root !== undefined && { root: root ? keyOf(root) : 'gone' }),
      recorded: start.recordChildren ? this.#childrenNow() : new Set(),
      tiesAreNew: start.quietForMs >= QUIET_MS,
      markers: [start.marker],
      withShell: false,
    });
  }

  /** The shell and all that any of its commands left. */
  everything(): ProcessTree & { killNow(): void } {
    if (!hasProc) return psTree(this.shell.pid, 'with shell');
    return new Tree(this, {
      since: this.shell.started,
      recorded: new Set(),
      tiesAreNew: true,
      markers: [...this.markers],
      withShell: true,
    });
  }

  /** The shell is gone and nothing of it is left: nothing can come any more. */
  get over(): boolean {
    return this.#over;
  }

  /** Look once, right at the end of the shell: its session id names others when its last process is gone. */
  shellEnded(): void {
    this.#over = hasProc && this.everything().list().length === 0;
  }

  /** Its session id may name somebody else's session: only markers count. */
  disownSession(): void {
    this.#sessionEmpty = true;
  }

  sessionIsOurs(all: ReadonlyMap<number, Stat>): boolean {
    if (this.#sessionEmpty) return false;
    if (!this.shell.gone) return true;
    for (const stat of all.values()) if (stat.session === this.shell.pid) return true;
    this.#sessionEmpty = true;
    return false;
  }

  #childrenNow(): Set<string> {
    const pids =
      childrenOf(this.shell.pid) ?? [...allProcesses().values()].filter(s => s.ppid === this.shell.pid).map(s => s.pid);
    return new Set(pids.flatMap(pid => statOf(pid) ?? []).map(keyOf));
  }
}

interface Bounds {
  /** Start tick of the command. */
  readonly since: number;
  /** Jobs of earlier commands, as `pid:started`. */
  readonly recorded: ReadonlySet<string>;
  readonly tiesAreNew: boolean;
  readonly markers: readonly string[];
  readonly withShell: boolean;
  /** `pid:started` of the one process whose descendants are meant; others of the session are not. */
  readonly root?: string;
}

type Verdict = 'member' | 'spared' | 'unclaimed';

/** One look at the process table, judged by the kernel's evidence: parent, session and start time; the marker only adds. */
class Scan {
  readonly #session: SessionProcesses;
  readonly #bounds: Bounds;
  readonly #verdicts = new Map<number, Verdict>();
  readonly #ours: boolean;
  readonly #table = processTable();
  #unread = false;

  constructor(session: SessionProcesses, bounds: Bounds) {
    this.#session = session;
    this.#bounds = bounds;
    this.#ours = session.sessionIsOurs(this.all);
  }

  verdict(stat: Stat): Verdict {
    const known = this.#verdicts.get(stat.pid);
    if (known) return known;
    this.#verdicts.set(stat.pid, 'unclaimed'); // stands only if parents ran in a circle
    const verdict = this.#judge(stat);
    this.#verdicts.set(stat.pid, verdict);
    return verdict;
  }

  get all(): ReadonlyMap<number, Stat> {
    return this.#table.all;
  }

  /** Nobody slipped through: the table is complete, and every marker that could be there was read. */
  get certain(): boolean {
    return this.#table.complete && !this.#unread;
  }

  /** Started no earlier than the command and not recorded before it. */
  isNew(stat: Stat): boolean {
    return stat.started >= this.#bounds.since && !this.#bounds.recorded.has(keyOf(stat));
  }

  #judge(stat: Stat): Verdict {
    const { shell } = this.#session;
    const inSession = this.#ours && stat.session === shell.pid;
    if (stat.pid === shell.pid && !shell.gone) return this.#bounds.withShell ? 'member' : 'unclaimed';
    if (this.#bounds.root !== undefined) return this.#belowRoot(stat);
    if (!this.isNew(stat)) return inSession || this.#bounds.recorded.has(keyOf(stat)) ? 'spared' : 'unclaimed';
    if (stat.ppid === shell.pid && !shell.gone) return 'member';
    const parent = this.all.get(stat.ppid);
    const above = parent && parent.pid !== shell.pid ? this.verdict(parent) : 'unclaimed';
    if (above === 'member') return 'member';
    const tie = stat.started === this.#bounds.since && !this.#bounds.tiesAreNew;
    if (inSession && above !== 'spared' && !tie) return 'member';
    if (this.#isMarked(stat)) return 'member';
    return above;
  }

  #belowRoot(stat: Stat): Verdict {
    if (keyOf(stat) === this.#bounds.root) return 'member';
    if (stat.started < this.#bounds.since) return 'unclaimed';
    const parent = this.all.get(stat.ppid);
    const below = parent !== undefined && this.verdict(parent) === 'member';
    return below || this.#isMarked(stat) ? 'member' : 'unclaimed';
  }

  #isMarked(stat: Stat): boolean {
    const environment = environmentOf(stat.pid);
    if (environment === undefined) this.#unread = true;
    return this.#bounds.markers.some(marker =>
      `\0${environment}`.includes(`\0SHELLGATE_COMMAND=${marker}${marker.endsWith('.') ? '' : '\0'}`),
    );
  }
}

class Tree implements ProcessTree {
  readonly #session: SessionProcesses;
  readonly #bounds: Bounds;

  constructor(session: SessionProcesses, bounds: Bounds) {
    this.#session = session;
    this.#bounds = bounds;
  }

  list(): Process[] {
    return this.#look().members.map(stat => ({ pid: stat.pid, command: commandOf(stat), reason: 'left running' }));
  }

  kill(graceMs: number): Promise<Process[]> {
    return endTree(() => this.#look(), graceMs);
  }

  /** One sweep, for a host that has no time left. */
  killNow(): void {
    for (const stat of this.#look().members) sendTo(stat, 'SIGKILL');
  }

  suspects(): Process[] {
    const scan = new Scan(this.#session, this.#bounds);
    const found: Process[] = [];
    for (const stat of scan.all.values()) {
      const orphan = stat.ppid === 1 || scan.all.get(stat.ppid)?.name === 'systemd';
      if (!orphan || isDead(stat) || !scan.isNew(stat) || scan.verdict(stat) !== 'unclaimed') continue;
      if (ownerOf(stat.pid) !== process.getuid?.()) continue;
      found.push({ pid: stat.pid, command: commandOf(stat), reason: 'suspect' });
    }
    return found;
  }

  readsTerminal(path: string): ReturnType<ProcessTree['readsTerminal']> {
    const { shell } = this.#session;
    const pids = [
      ...this.#look().members.map(stat => stat.pid),
      ...(shell.gone || this.#bounds.root !== undefined ? [] : [shell.pid]),
    ];
    if (pids.some(pid => readsTerminal(pid, path))) return 'yes';
    return pids.some(pid => ![undefined, process.getuid?.()].includes(ownerOf(pid))) ? 'unknown' : 'no';
  }

  #look(): Look {
    if (this.#session.over) return { members: [], certain: true };
    const scan = new Scan(this.#session, this.#bounds);
    const members = [...scan.all.values()].filter(stat => !isDead(stat) && scan.verdict(stat) === 'member');
    return { members, certain: scan.certain };
  }
}
