import type { FactsQuery } from './analysis.js';
import type { FileFact, GlobFact, PathFact } from './facts.js';
import type { Process } from './result.js';

export interface ChannelSpec {
  /** Program and arguments of the shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Complete environment of the shell, already chosen by the caller; the executor removes what would subvert it. */
  readonly env: Readonly<Record<string, string>>;
  readonly size: { readonly cols: number; readonly rows: number };
}

/** Bytes as they come. `onData` is called on later ticks, in order; after `onEnd` nothing comes. One listener each. */
export interface ByteSource {
  onData(listener: (bytes: Uint8Array) => void): void;
  onEnd(listener: () => void): void;
}

export interface Terminal extends ByteSource {
  /** Path inside the place where the shell runs, e.g. `/dev/pts/7`. */
  readonly path: string;
  write(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
}

/** One private pipe. Between `take` and `finish` its bytes come to `onData`. */
export interface CapturePipe {
  /** Path the shell opens for writing (reading, for stdin). */
  readonly path: string;
}

export interface CapturePair {
  readonly out: CapturePipe & ByteSource;
  readonly err: CapturePipe & ByteSource;
  /** Only when it was asked for with stdin bytes. */
  readonly in?: CapturePipe & { opened(): void };
  /**
   * The report has come: deliver every byte written before it. Resolves with the pipes still held open by a background
   * process; their later bytes come to `late` (no longer to `onData`) until their end, which `onEnd` tells.
   */
  finish(late: (stream: 'out' | 'err', bytes: Uint8Array) => void): Promise<{ readonly held: readonly ('out' | 'err')[] }>;
  /** Let go without reading further. */
  release(): void;
}

/** Processes that belong to one command, by the kernel's evidence (session-protocol 5). */
export interface ProcessTree {
  /** What belongs to it now. */
  list(): Process[];
  /** TERM first when `grace` > 0 ms, then stop-sweep and KILL until nothing is left or 2 s. Resolves with the survivors. */
  kill(graceMs: number): Promise<Process[]>;
  /** Orphans of our user started meanwhile that no rule claims. */
  suspects(): Process[];
  /**
   * Is one of them, or the shell for it, blocked in reading the session's terminal? `unknown`: one of another user (`sudo`)
   * is among them and cannot be looked into. `no` where nobody tells.
   */
  readsTerminal(path: string): 'yes' | 'no' | 'unknown';
}

/** An executor's open duplex to one shell. */
export interface Channel {
  readonly pid: number;
  readonly footing: 'pty' | 'pipes';
  readonly commands: { write(text: string): void };
  readonly control: ByteSource;
  readonly stray: ByteSource;
  readonly terminal?: Terminal;
  capture(stdin?: Uint8Array): Promise<CapturePair>;
  readonly shell: {
    /** `shell`: its process alone; `group`: its process group; `foreground`: the terminal's foreground group if another. */
    signal(name: NodeJS.Signals | number, to: 'shell' | 'group' | 'foreground'): void;
    state(): 'running' | 'sleeping' | 'stopped' | 'gone';
    /** Does it have a handler for this signal number? */
    catches(signal: number): boolean;
    cwd(): { readonly path: string; readonly id: string } | undefined;
    /** What a person would say has the terminal: the last program that was started. undefined: the shell itself, or nobody tells. */
    foreground(): { readonly pid: number; readonly name: string } | undefined;
    /**
     * Forks of the shell that still hold the protocol's streams: `holds the command stream`, or `reads …` for one that is
     * blocked in reading it. Cheap when nothing was forked. One that is about to become a program shows for some
     * milliseconds: ask again before believing it.
     */
    holders(): Process[];
  };
  /**
   * Call before the command's line is sent; `recordChildren` when earlier commands may have left jobs. With `root`, the
   * pid of a subshell that was started already, only its descendants and what carries the marker belong to it.
   */
  processes(marker: string, recordChildren: boolean, root?: number): ProcessTree;
  /**
   * Resolve paths, match patterns (and resolve what they match) and hash files where the bytes run: regular files only,
   * <= 1 MiB, 200 ms in all. A path with a trailing slash also tells where the links in that directory lead: `/w/` those
   * that stand in it, `/w/` and a star for each level those in its folders too, with two stars all below.
   */
  files(
    query: Pick<FactsQuery, 'paths' | 'hashes' | 'globs'>,
    signal: AbortSignal,
  ): Promise<{
    readonly paths: Record<string, PathFact>;
    readonly hashes: Record<string, FileFact>;
    readonly globs: Record<string, GlobFact>;
  }>;
  /** Run a helper beside the shell, with no inherited descriptor above 2 and no terminal. */
  helper(
    argv: readonly string[],
    stdin: string,
    timeoutMs: number,
  ): Promise<{ readonly status: number | undefined; readonly stdout: string }>;
  readonly closed: Promise<{ readonly exitCode?: number; readonly signal?: string }>;
  /** End the shell and everything it left running. */
  close(): Promise<Process[]>;
}

/** Where bytes run. Knows no shell syntax. */
export interface Executor {
  readonly name: string;
  /** true: commands run confined (container, bubblewrap). The plain local executor is not. */
  readonly confined: boolean;
  open(spec: ChannelSpec, signal?: AbortSignal): Promise<Channel>;
  close(): Promise<void>;
}
