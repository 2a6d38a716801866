import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { ShellgateError } from '../../contract/error.js';
import type { Channel, ChannelSpec, Executor } from '../../contract/executor.js';
import { hasProc, privateDirectory, realLookup, runtimeDirectory } from '../../platform.js';
import { LocalChannel } from './channel.js';
import { cleanEnvironment, shellArgv } from './launch.js';
import { PipePool, sweepPipes } from './pipe-pool.js';
import { ownerOf } from './proc.js';
import { Pty, ptySupport } from './pty.js';
import { Traffic } from './share.js';
import { ShellRecordFile, sweepStale } from './stale.js';

export { type PtySupport, ptySupport } from './pty.js';

export interface LocalExecutorOptions {
  /** Private directory for files of running shells. Default: `$XDG_RUNTIME_DIR/shellgate` or below the state directory. */
  readonly runtimeDirectory?: string;
  /** `off`: never give a session a terminal. Default `auto`: where the native library works. */
  readonly pty?: 'auto' | 'off';
  /**
   * `named`: output pipes keep a name in the private directory until their command is over, for shells that cannot open
   * `/proc/HOST/fd`. Default `auto`: nameless where they can.
   */
  readonly pipes?: 'auto' | 'named';
}

/** Shells on this machine, as this user: gated, not confined (P12). Its first shell also ends what dead hosts left. */
export function createLocalExecutor(options: LocalExecutorOptions = {}): Executor {
  return new LocalExecutor(options);
}

class LocalExecutor implements Executor {
  readonly name = 'local';
  readonly confined = false;
  readonly #usePty: boolean;
  readonly #records: string;
  readonly #pool: PipePool;
  readonly #traffic = new Traffic();
  /** Shells that run, and ended ones that left something behind. */
  readonly #channels = new Set<LocalChannel>();
  #swept: Promise<unknown> | undefined;
  #closed = false;

  constructor(options: LocalExecutorOptions) {
    const directory = options.runtimeDirectory ?? runtimeDirectory();
    this.#records = join(directory, 'shells');
    this.#pool = new PipePool(directory, options.pipes !== 'named' && canShareDescriptors() ? 'none' : 'kept');
    this.#usePty = options.pty !== 'off';
  }

  /**
   * Errors: `SHELL_UNAVAILABLE` (cannot be started), `EXECUTOR_CLOSED`, those of `privateDirectory` for the runtime
   * directory, the abort reason of `signal`.
   */
  async open(spec: ChannelSpec, signal?: AbortSignal): Promise<Channel> {
    signal?.throwIfAborted();
    if (this.#closed) throw new ShellgateError('EXECUTOR_CLOSED', 'the executor is closed; make a new one');
    requireStartable(spec);
    privateDirectory(this.#records);
    this.#swept ??= this.#sweep();
    this.#pool.warm();
    const channel = await this.#start(spec);
    if (this.#closed || signal?.aborted) {
      await channel.close();
      signal?.throwIfAborted();
      throw new ShellgateError('EXECUTOR_CLOSED', 'the executor was closed while a shell started');
    }
    return channel;
  }

  /** Ends every shell and what its commands left running. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#swept;
    await Promise.all([...this.#channels].map(channel => channel.close()));
    this.#channels.clear();
    openExecutors.delete(this);
    await this.#pool.close();
  }

  killNow(): void {
    for (const channel of this.#channels) channel.killNow();
  }

  async #sweep(): Promise<void> {
    sweepPipes(dirname(this.#records));
    await sweepStale(this.#records);
  }

  async #start(spec: ChannelSpec): Promise<LocalChannel> {
    const pty = this.#usePty && ptySupport().available ? openPty(spec) : undefined;
    let child: ChildProcess;
    try {
      child = await started(spec, pty?.path ?? '');
    } catch (cause) {
      pty?.close();
      throw new ShellgateError('SHELL_UNAVAILABLE', `cannot start ${spec.argv[0]}: ${(cause as Error).message}`, { cause });
    }
    const channel = new LocalChannel(child, { pool: this.#pool, pty, traffic: this.#traffic });
    this.#keep(channel);
    return channel;
  }

  #keep(channel: LocalChannel): void {
    for (const other of this.#channels) this.#dropIfDone(other);
    this.#channels.add(channel);
    endAtExit(this);
    if (hasProc) channel.rememberIn(new ShellRecordFile(this.#records, channel.shell));
    void channel.closed.then(() => this.#dropIfDone(channel));
  }

  #dropIfDone(channel: LocalChannel): void {
    if (!channel.leftNothing) return;
    channel.forget();
    this.#channels.delete(channel);
  }
}

/** The kernel gives the `/proc` entries of a program with privileges of its own to root: our shells cannot open them then. */
const canShareDescriptors = (): boolean => hasProc && ownerOf(process.pid) === process.getuid?.();

const openExecutors = new Set<LocalExecutor>();
let watchingExit = false;

/** A host that exits without closing must not leave its shells to themselves. */
function endAtExit(executor: LocalExecutor): void {
  openExecutors.add(executor);
  if (watchingExit) return;
  watchingExit = true;
  process.on('exit', () => {
    for (const open of openExecutors) open.killNow();
  });
}

// No terminal left to give is no reason to have no session.
function openPty(spec: ChannelSpec): Pty | undefined {
  try {
    return new Pty(spec.size);
  } catch {
    return undefined;
  }
}

// spawn() blames the program for a missing directory, and the launcher would only tell the stray stream of a missing shell.
function requireStartable({ argv, cwd }: ChannelSpec): void {
  const program = argv[0] ?? '';
  if (!isDirectory(cwd)) {
    throw new ShellgateError('SHELL_UNAVAILABLE', `${cwd} is no directory to start a shell in`, { place: cwd });
  }
  if (!isAbsolute(program) || !realLookup.isExecutable(program)) {
    throw new ShellgateError('SHELL_UNAVAILABLE', `"${program}" is no absolute path of a program; name one that is (--shell)`, {
      place: program,
    });
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function started(spec: ChannelSpec, terminal: string): Promise<ChildProcess> {
  const [shell, ...rest] = shellArgv(terminal, spec.argv);
  const child = spawn(shell!, rest, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: spec.cwd,
    env: { ...cleanEnvironment(spec.env), TERM: 'xterm-256color' },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      child.off('error', reject);
      child.on('error', () => {});
      resolve(child);
    });
  });
}
