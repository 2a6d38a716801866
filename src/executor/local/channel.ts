import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ByteSource, CapturePair, Channel, Terminal } from '../../contract/executor.js';
import type { Process } from '../../contract/result.js';
import { Feed } from './byte-source.js';
import { Capture } from './capture.js';
import { lookUpFiles } from './files.js';
import type { Pipe } from './pipe.js';
import type { PipePool } from './pipe-pool.js';
import { markerPrefix, SessionProcesses } from './processes.js';
import type { Pty } from './pty.js';
import type { Traffic } from './share.js';
import { ShellProcess } from './shell-process.js';
import { runHelper } from './spawn-helper.js';
import type { ShellRecordFile } from './stale.js';
import { StdinFile } from './stdin-file.js';

/** A fork of the shell may hold the control stream open after its exit: its end is not waited for longer than this. */
const STREAM_END_MS = 50;
/** Output on its way through the terminal when the shell ends. */
const TERMINAL_QUIET_MS = 5;
/** An idle shell ends in a millisecond of a hangup: cheaper than to look for what there is to kill. */
const HANGUP_MS = 50;
const CLOSE_GRACE_MS = 200;

type Closed = { readonly exitCode?: number; readonly signal?: string };

interface Surroundings {
  readonly pool: PipePool;
  readonly pty: Pty | undefined;
  readonly traffic: Traffic;
}

/** One shell of this machine. */
export class LocalChannel implements Channel {
  readonly pid: number;
  readonly footing: 'pty' | 'pipes';
  readonly commands: Channel['commands'];
  readonly control: ByteSource;
  readonly stray: ByteSource;
  readonly terminal?: Terminal;
  readonly shell: ShellProcess;
  readonly closed: Promise<Closed>;
  readonly #child: ChildProcess;
  readonly #pool: PipePool;
  readonly #pty: Pty | undefined;
  readonly #beside: () => boolean;
  readonly #processes: SessionProcesses;
  readonly #captures = new Set<Capture>();
  #record: ShellRecordFile | undefined;
  readonly #gone = new AbortController();
  #closing: Promise<Process[]> | undefined;
  #lastWord = 0;

  constructor(child: ChildProcess, { pool, pty, traffic }: Surroundings) {
    this.#child = child;
    this.#pool = pool;
    this.#pty = pty;
    this.#beside = () => traffic.isBeside(this);
    this.pid = child.pid!;
    this.footing = pty ? 'pty' : 'pipes';
    if (pty) this.terminal = pty;
    this.shell = new ShellProcess(this.pid);
    this.#processes = new SessionProcesses(this.shell);
    const control = new Feed();
    const stray = new Feed();
    this.control = control;
    this.stray = stray;
    child.stdout!.on('data', (bytes: Buffer) => {
      this.#lastWord = performance.now();
      control.push(bytes);
    });
    child.stderr!.on('data', (bytes: Buffer) => stray.push(bytes));
    for (const stream of [child.stdin!, child.stdout!, child.stderr!]) stream.on('error', () => {});
    pty?.restWhile(this.#beside);
    this.commands = {
      write: text => {
        traffic.spokenTo(this);
        child.stdin!.write(text);
      },
    };
    this.closed = this.#end(control, stray);
  }

  async capture(stdin?: Uint8Array): Promise<CapturePair> {
    const pool = this.#pool;
    const [out, err] = (await pool.takeSome(2)) as [Pipe, Pipe];
    const file = stdin && stdinFile(pool, stdin, [out, err]);
    const capture: Capture = new Capture(
      pool,
      { out, err },
      { ...(file && { stdin: file }), settled: () => this.#captures.delete(capture), beside: this.#beside },
    );
    this.#captures.add(capture);
    return capture;
  }

  processes(marker: string, recordChildren: boolean, root?: number): ReturnType<Channel['processes']> {
    const prefix = markerPrefix(marker);
    if (this.#record && !this.#processes.markers.has(prefix)) this.#record.addMarker(prefix);
    const quietForMs = performance.now() - this.#lastWord;
    return this.#processes.command({ marker, recordChildren, quietForMs, ...(root !== undefined && { root }) });
  }

  files(...query: Parameters<Channel['files']>): ReturnType<Channel['files']> {
    return lookUpFiles(...query);
  }

  async helper(argv: readonly string[], stdin: string, timeoutMs: number): ReturnType<Channel['helper']> {
    const { status, stdout } = await runHelper(argv, { stdin, timeoutMs });
    return { status, stdout };
  }

  /** Keep what the next executor needs if this process is killed. */
  rememberIn(record: ShellRecordFile): void {
    this.#record = record;
  }

  /** The shell is gone and left neither a process nor an open pipe. */
  get leftNothing(): boolean {
    if (this.shell.gone && !this.#processes.over) this.#processes.shellEnded();
    return this.#processes.over && this.#captures.size === 0;
  }

  /** No time to wait: the host exits. */
  killNow(): void {
    this.#processes.everything().killNow();
    this.#record?.remove();
  }

  /** Nothing is left to be ended by anybody. */
  forget(): void {
    this.#record?.remove();
  }

  close(): Promise<Process[]> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<Process[]> {
    this.shell.signal('SIGHUP', 'shell');
    this.shell.signal('SIGCONT', 'shell');
    await sleep(HANGUP_MS, undefined, { signal: this.#gone.signal }).catch(() => {});
    const survivors = await this.#processes.everything().kill(CLOSE_GRACE_MS);
    // A shell that cannot be killed (a dead disk) must not keep us waiting: it is one of the survivors.
    if (survivors.length > 0) this.#letGo();
    else await this.closed;
    for (const capture of this.#captures) capture.release();
    if (survivors.length === 0) this.#record?.remove();
    return survivors;
  }

  #letGo(): void {
    this.#child.stdin!.destroy();
    this.#child.stdout!.destroy();
    this.#child.stderr!.destroy();
    this.#pty?.close();
    this.#child.unref();
  }

  async #end(control: Feed, stray: Feed): Promise<Closed> {
    const child = this.#child;
    const result = await new Promise<Closed>(resolve => {
      child.once('exit', (code, signal) => resolve(signal ? { signal } : { exitCode: code ?? 0 }));
    });
    this.shell.markGone();
    this.#processes.shellEnded();
    this.#gone.abort();
    await streamsEnd([child.stdout!, child.stderr!]);
    if (this.#pty) await quiet(this.#pty);
    control.end();
    stray.end();
    this.#letGo();
    return result;
  }
}

async function streamsEnd(streams: readonly NodeJS.ReadableStream[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, STREAM_END_MS);
  });
  const ends = streams.map(
    stream => (stream as { readableEnded?: boolean }).readableEnded || new Promise(resolve => stream.once('close', resolve)),
  );
  await Promise.race([Promise.all(ends), late]);
  clearTimeout(timer);
}

async function quiet(pty: Pty): Promise<void> {
  const until = performance.now() + STREAM_END_MS;
  for (let seen = -1; seen !== pty.received && performance.now() < until; ) {
    seen = pty.received;
    await sleep(TERMINAL_QUIET_MS);
  }
}

/** Where it cannot be written, the pipes of its command go back. */
function stdinFile(pool: PipePool, bytes: Uint8Array, pipes: readonly Pipe[]): StdinFile {
  try {
    return new StdinFile(bytes, pool.place);
  } catch (error) {
    for (const pipe of pipes) pool.giveBack(pipe);
    throw error;
  }
}
