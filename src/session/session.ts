import { ShellgateError } from '../contract/error.js';
import type { CommandRequest, InputRequest, Request } from '../contract/request.js';
import type { CommandResult, InputResult, Process, Refusal } from '../contract/result.js';
import type { SessionState } from '../contract/session-state.js';
import type { Turn, Watch } from '../contract/shell.js';
import { runBackground } from './background.js';
import { after, latch } from './clock.js';
import { askFacts } from './facts.js';
import { Typables } from './input.js';
import { createLateness } from './late.js';
import { type LiveShell, READS_COMMANDS } from './live-shell.js';
import type { SessionOptions, SessionShell } from './options.js';
import { astray, CLOSED, cancelled, DIED, failed, NO_TERMINAL, NOT_BESIDE, NOT_STATELESS, unavailable } from './refusals.js';
import { runCommand } from './run.js';
import { Shells } from './shells.js';
import { createTurnQueue, type Release } from './turn.js';

export type { SessionEvent, SessionOptions, SessionShell } from './options.js';

const QUEUE_LIMIT = 256;

/** Opens a session. Errors: `SHELL_UNAVAILABLE`, `SHELL_TOO_OLD`. */
export async function openShell(options: SessionOptions): Promise<SessionShell> {
  const session = new Session(options);
  await session.open();
  return session;
}

class Session implements SessionShell {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #shells: Shells;
  readonly #queue;
  readonly #late;
  readonly #closing = new AbortController();
  /** Commands that were started and have not ended, in the turn or outside it. */
  readonly #active = new Set<Promise<unknown>>();
  readonly #typables = new Typables();
  #stopIdling: () => void = () => {};
  #closed: Promise<readonly Process[]> | undefined;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#shells = new Shells(options);
    this.#queue = createTurnQueue(options.queueLimit ?? QUEUE_LIMIT);
    this.#late = createLateness(late => options.onEvent('output.late', { ...late }));
  }

  get cwd(): string {
    return this.#shells.cwd;
  }

  async open(): Promise<void> {
    await this.#shells.open();
    this.#idle();
  }

  turn(request: CommandRequest, signal: AbortSignal): Promise<Turn | Refusal>;
  turn(request: InputRequest, signal: AbortSignal): Promise<Turn<InputResult> | Refusal>;
  turn(request: Request, signal: AbortSignal): Promise<Turn<CommandResult | InputResult> | Refusal>;
  turn(request: Request, signal: AbortSignal): Promise<Turn | Turn<InputResult> | Refusal> {
    return request.kind === 'input' ? this.#typables.turn(request, signal) : this.#commandTurn(request, signal);
  }

  async #commandTurn(request: CommandRequest, signal: AbortSignal): Promise<Turn | Refusal> {
    const taken = await this.#queue.take(signal);
    if ('outcome' in taken) return taken;
    this.#stopIdling();
    const release = () => {
      taken();
      this.#idle();
    };
    try {
      return await this.#prepare(request, signal, release);
    } catch (error) {
      release();
      if (signal.aborted) return cancelled(signal);
      return unavailable(error instanceof ShellgateError ? error.message : `the shell could not be started: ${error}`);
    }
  }

  close(): Promise<readonly Process[]> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<readonly Process[]> {
    this.#stopIdling();
    this.#closing.abort('the session was closed');
    this.#queue.close();
    await Promise.all(this.#active);
    const survivors = await this.#shells.close();
    this.#late.flush();
    this.#options.onEvent('session.closed', { survivors });
    return survivors;
  }

  /** Counts from the end of the last command; a command in the background is no rest. */
  #idle(): void {
    const { idleTimeoutMs } = this.#options;
    this.#stopIdling();
    if (idleTimeoutMs === undefined || this.#closed) return;
    this.#stopIdling = after(idleTimeoutMs, () => {
      if (this.#queue.busy || this.#active.size > 0) this.#idle();
      else void this.close();
    });
  }

  /** Whoever holds the turn gets a shell that is fit for the request, or says why there is none. */
  async #prepare(request: CommandRequest, signal: AbortSignal, release: Release): Promise<Turn | Refusal> {
    const unfit = this.#unfit(request);
    if (unfit) {
      release();
      return unfit;
    }
    const shell = await this.#shells.ready(request, signal);
    const lost = await this.#shells.confine(shell);
    const forks = await shell.forks();
    const giveBack = () => {
      // A stateless command's shell ends with it, and so does what it left behind.
      if (this.#options.mode === 'persistent') release();
      else void shell.channel.close().then(release, release);
    };
    const refusal = this.#refusal(shell, request, signal) ?? (lost === undefined ? undefined : astray(lost)) ?? stolen(forks);
    if (refusal) giveBack();
    return refusal ?? this.#turn(shell, this.#shells.state(shell, forks), giveBack);
  }

  #unfit(request: CommandRequest): Refusal | undefined {
    if (this.#options.mode === 'persistent' && (request.cwd !== undefined || request.env)) return NOT_STATELESS;
    return request.tty && request.background ? NOT_BESIDE : undefined;
  }

  #refusal(shell: LiveShell, request: CommandRequest, signal: AbortSignal): Refusal | undefined {
    if (signal.aborted) return cancelled(signal);
    if (this.#closed) return CLOSED;
    return request.tty && !shell.channel.terminal ? NO_TERMINAL : undefined;
  }

  #turn(shell: LiveShell, state: SessionState, giveBack: Release): Turn {
    let taken = false;
    return {
      state,
      facts: (query, signal) => askFacts({ shell, query, argv: this.#options.shell, state }, signal),
      start: async (what, watch, signal) => {
        const { request } = what;
        if (request.kind !== 'command') throw new TypeError('a command line was authorized for this turn');
        taken = true;
        const { taints } = what.evaluation;
        if (taints !== undefined) this.#shells.taint(taints);
        const running = this.#run(shell, request, { watch: this.#typed(watch, { shell, request, state }), signal, giveBack });
        this.#active.add(running);
        return running.finally(() => {
          this.#active.delete(running);
          this.#typables.ended(request.id);
        });
      },
      [Symbol.dispose]: () => {
        if (!taken) giveBack();
        taken = true;
      },
    };
  }

  /** From its start on there is something to type into. */
  #typed(watch: Watch, { shell, request, state }: { shell: LiveShell; request: CommandRequest; state: SessionState }): Watch {
    return {
      ...watch,
      started: live => {
        this.#typables.started(request.id, { live, shell, command: request.text, state });
        watch.started(live);
      },
    };
  }

  async #run(shell: LiveShell, request: CommandRequest, { watch, signal, giveBack }: Start): Promise<CommandResult> {
    if (this.#closed || !shell.isAlive()) {
      giveBack();
      return this.#closed ? CLOSED : DIED;
    }
    const { limitBytes, spools } = this.#options;
    const { lifecycle } = this.#shells;
    lifecycle.take('started');
    const left = latch<'left'>();
    const running = (request.background ? runBackground : runCommand)({
      shell,
      request,
      watch,
      signals: [signal, this.#closing.signal],
      keeping: { ...(limitBytes !== undefined && { limitBytes }), ...(spools && { spools }) },
      sessionRestarted: this.#shells.tellRestart(),
      late: (stream, bytes) => this.#late.came(request.id, stream, bytes.length),
      interrupting: () => void (this.#shells.isCurrent(shell) && lifecycle.take('interrupted')),
      leaving: () => left.resolve('left'),
    }).catch((error: unknown): CommandResult => failed(error));
    if ((await Promise.race([running, left.promise])) === 'left') return this.#beside(shell, request, { running, giveBack });
    const result = await running;
    if (result.outcome !== 'refused' && result.cwd !== undefined) this.#shells.cwd = result.cwd;
    lifecycle.take('ended');
    giveBack();
    return result;
  }

  /** The command goes on outside the turn: in a subshell of the shell, or with the shell itself. */
  async #beside(shell: LiveShell, { background }: CommandRequest, { running, giveBack }: Beside): Promise<CommandResult> {
    if (this.#options.mode === 'stateless') return running.finally(giveBack);
    const task = background ? running : running.finally(() => shell.channel.close());
    if (background) this.#shells.lifecycle.take('ended');
    else this.#shells.giveAway(shell);
    giveBack();
    return task;
  }
}

interface Start {
  readonly watch: Watch;
  readonly signal: AbortSignal;
  readonly giveBack: Release;
}

interface Beside {
  readonly running: Promise<CommandResult>;
  readonly giveBack: Release;
}

/** Nothing more is sent before a person chose to end the fork or the session (design 5). */
function stolen(forks: readonly Process[]): Refusal | undefined {
  const thief = forks.find(fork => fork.reason === READS_COMMANDS);
  return thief && unavailable(`process ${thief.pid}, a fork of this shell, reads its commands; end it or close the session`);
}
