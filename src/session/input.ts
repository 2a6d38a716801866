import type { Live } from '../contract/execution.js';
import type { InputRequest } from '../contract/request.js';
import type { InputResult, Refusal } from '../contract/result.js';
import type { SessionState, Waiting } from '../contract/session-state.js';
import type { Turn } from '../contract/shell.js';
import type { LiveShell } from './live-shell.js';
import { cancelled, deaf, NOT_RUNNING, PASSWORD, staleScreen } from './refusals.js';
import { asksForPassword, terminalModes } from './terminal-modes.js';
import { createTurnQueue, type TurnQueue } from './turn.js';

/** More waiting for one terminal than this is a mistake. */
const QUEUE_LIMIT = 16;

/** A command that runs, as something to type into. */
export interface Typable {
  readonly live: Live;
  readonly shell: LiveShell;
  readonly command: string;
  /** What its own verdict relied on. */
  readonly state: SessionState;
  readonly queue: TurnQueue;
}

/** The commands of one session that may be typed into, from their start to their end. */
export class Typables {
  readonly #running = new Map<string, Typable>();

  started(id: string, typable: Omit<Typable, 'queue'>): void {
    this.#running.set(id, { ...typable, queue: createTurnQueue(QUEUE_LIMIT) });
  }

  ended(id: string): void {
    this.#running.get(id)?.queue.close();
    this.#running.delete(id);
  }

  /**
   * The right to type into a command's terminal: one at a time, in order (design 2.2). It is refused where nothing can be
   * typed, where the asker did not see what is on the screen now, and where a password is asked for (P9): that is read by
   * no model and kept by no log, so it cannot pass a gate that shows and records.
   */
  async turn(request: InputRequest, signal: AbortSignal): Promise<Turn<InputResult> | Refusal> {
    const typable = this.#running.get(request.commandId);
    if (!typable) return NOT_RUNNING;
    const release = await typable.queue.take(signal);
    if ('outcome' in release) return release.code === 'SESSION_CLOSED' ? NOT_RUNNING : release;
    const unfit = await this.#unfit(request, typable);
    if (unfit ?? signal.aborted) release();
    if (unfit) return unfit;
    if (signal.aborted) return cancelled(signal);
    let held = true;
    const giveBack = () => {
      if (held) release();
      held = false;
    };
    return {
      state: Object.freeze({ ...typable.state, waiting: waitingOf(request, typable) }),
      facts: async () => ({ known: true, names: {}, variables: {}, paths: {}, hashes: {}, syntax: 'not-asked' }),
      start: async ({ request: { text } }) => {
        try {
          return (await this.#unfit(request, typable)) ?? written(typable.live, text);
        } finally {
          giveBack();
        }
      },
      [Symbol.dispose]: giveBack,
    };
  }

  /** Asked when the turn is taken, and again right before the keys go: a person may have thought for an hour. */
  async #unfit({ commandId, screenVersion }: InputRequest, { live, shell }: Typable): Promise<Refusal | undefined> {
    if (!live.type) return deaf(commandId);
    const modes = await terminalModes(shell.channel);
    const screen = await live.screen();
    if (!this.#running.has(commandId)) return NOT_RUNNING;
    if (modes === undefined) return deaf(commandId);
    if (asksForPassword(modes)) return PASSWORD;
    return screen?.version === screenVersion ? undefined : staleScreen(screen?.version ?? 0);
  }
}

function written(live: Live, text: string): InputResult {
  const bytes = Buffer.from(text);
  live.type?.(bytes);
  return { outcome: 'written', bytes: bytes.length };
}

function waitingOf({ commandId, screenVersion }: InputRequest, { shell, command }: Typable): Waiting {
  const program = shell.channel.shell.foreground();
  return { commandId, command, ...(program && { program: `${program.name}(${program.pid})` }), screenVersion };
}
