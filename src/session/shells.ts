import { userInfo } from 'node:os';
import type { ChannelSpec } from '../contract/executor.js';
import type { CommandRequest } from '../contract/request.js';
import type { Process } from '../contract/result.js';
import type { SessionState } from '../contract/session-state.js';
import { createLifecycle } from './lifecycle.js';
import { type LiveShell, startShell } from './live-shell.js';
import type { SessionOptions } from './options.js';

/** The shells of one session, one after the other: which is in use, what is known of it, when the next one is due. */
export class Shells {
  readonly lifecycle = createLifecycle();
  /** As of the last command's end. */
  cwd: string;
  readonly #options: SessionOptions;
  #current: LiveShell | undefined;
  /** The first directory, as the kernel has it. */
  #anchor: string | undefined;
  #generation = 0;
  #taint: string | undefined;
  #untoldRestart = false;
  /** Of the terminal: what the last shell's was. */
  #size: ChannelSpec['size'];
  /** The environment of the next shell, where it is not the session's own. */
  #carried: Readonly<Record<string, string>> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.cwd = options.cwd;
    this.#size = options.size;
  }

  /** The first one. A stateless session proves that there can be one. */
  async open(): Promise<void> {
    const shell = await this.#start(this.#spec(this.cwd));
    if (shell.isAlive()) this.#anchor = shell.place?.path;
    if (this.#options.mode === 'stateless') await shell.channel.close();
    this.lifecycle.take('opened');
    this.#options.onEvent('session.opened', { generation: this.#generation, cwd: this.cwd, shell: this.#options.shell });
  }

  /** The shell a command will run in: the session's own, a fresh one where that is gone, one of its own if stateless. */
  async ready(request: CommandRequest, signal: AbortSignal): Promise<LiveShell> {
    if (this.#options.mode === 'stateless') {
      const env = { ...this.#options.env, ...request.env };
      return this.#start(this.#spec(request.cwd ?? this.#options.cwd, env), signal);
    }
    await this.#current?.account();
    if (request.tty) await this.#current?.terminalFree();
    if (this.#current?.isAlive()) return this.#current;
    await this.#current?.closed;
    this.lifecycle.take('restarted');
    const shell = await this.#restart(signal);
    this.lifecycle.take('opened');
    this.#untoldRestart = true;
    this.#options.onEvent('session.opened', { generation: this.#generation, cwd: this.cwd, replaces: this.#generation - 1 });
    return shell;
  }

  /** Where every command of a confined session starts, unless the shell cannot go there. */
  async confine(shell: LiveShell): Promise<string | undefined> {
    const anchor = this.#anchor;
    if (!this.#options.confine || anchor === undefined || shell.place?.path === anchor) return undefined;
    return (await shell.enter(anchor)) ? undefined : anchor;
  }

  /** Frozen: what a verdict about the next command may rely on. `forks` still hold the shell's streams. */
  state(shell: LiveShell, forks: readonly Process[]): SessionState {
    const { executor, family, home, workspace } = this.#options;
    const { place } = shell;
    const taint = this.#taint ?? shell.taint ?? heldBy(forks);
    if (place) this.cwd = place.path;
    return Object.freeze({
      cwd: place?.path ?? this.cwd,
      cwdId: place?.id ?? '',
      generation: this.#generation,
      options: shell.last.flags,
      family: family.name,
      executor: executor.name,
      user: USER,
      home,
      workspace,
      lineage: taint === undefined ? 'clean' : 'tainted',
      ...(taint !== undefined && { taint }),
    });
  }

  taint(reason: string): void {
    this.#taint ??= reason;
  }

  /** true once after a fresh shell took the old one's place. */
  tellRestart(): boolean {
    const untold = this.#untoldRestart;
    this.#untoldRestart = false;
    return untold;
  }

  isCurrent(shell: LiveShell): boolean {
    return this.#current === shell;
  }

  /**
   * A command goes on in the shell it has; the session will need another one, which begins with what this one exported
   * when the command started.
   */
  giveAway(shell: LiveShell): void {
    this.#carried = shell.exported === undefined ? undefined : this.#options.family.environment(shell.exported);
    this.#size = shell.size;
    this.#current = undefined;
    if (!this.lifecycle.take('lost')) return;
    const reason = 'a command took its shell to the background';
    this.#options.onEvent('session.lost', { generation: this.#generation, reason });
  }

  async close(): Promise<readonly Process[]> {
    this.lifecycle.take('closing');
    const survivors = (await this.#current?.channel.close()) ?? [];
    await this.#current?.terminalFree();
    this.lifecycle.take('closed');
    return survivors;
  }

  #spec(cwd: string, env: Readonly<Record<string, string>> = this.#options.env): ChannelSpec {
    this.#size = this.#current?.size ?? this.#size;
    return { argv: this.#options.shell, cwd, env, size: this.#size };
  }

  async #start(spec: ChannelSpec, signal?: AbortSignal): Promise<LiveShell> {
    const { executor, family, mode } = this.#options;
    const shell = await startShell({ executor, family, spec }, signal);
    this.#current = shell;
    if (mode === 'persistent' || this.#generation === 0) this.#generation += 1;
    this.#taint = undefined;
    void shell.closed.then(how => {
      if (this.#current !== shell || mode === 'stateless') return;
      if (this.lifecycle.take('lost')) this.#options.onEvent('session.lost', { ...how, generation: this.#generation });
    });
    return shell;
  }

  /** In the last known directory, or where the session began when that is gone. */
  async #restart(signal: AbortSignal): Promise<LiveShell> {
    const env = this.#carried;
    const shell = await this.#start(this.#spec(this.cwd, env), signal).catch((error: unknown) => {
      if (signal.aborted || this.cwd === this.#options.cwd) throw error;
      return this.#start(this.#spec(this.#options.cwd, env), signal);
    });
    this.#carried = undefined;
    return shell;
  }
}

const heldBy = (forks: readonly Process[]): string | undefined =>
  forks[0] && `process ${forks[0].pid} is a fork of the shell that still holds its streams`;

/** Login name and uid; a container may have no name for its uid. */
const USER = (() => {
  try {
    const { username, uid } = userInfo();
    return `${username}(${uid})`;
  } catch {
    return `(${process.getuid?.() ?? ''})`;
  }
})();
