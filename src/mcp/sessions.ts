import { codeOf, ShellgateError } from '../contract/error.js';
import type { Gate, Session } from '../contract/gate.js';

/** Asks for another session than the default one. */
export const NEW_SESSION = 'new';

/** The shells of one client. Ids are unguessable: whoever knows one got it from here. */
export class Sessions {
  readonly #gate: Gate;
  readonly #stateless: boolean;
  readonly #further = new Map<string, Session>();
  #first: Promise<Session> | undefined;

  constructor(gate: Gate, { stateless = false } = {}) {
    this.#gate = gate;
    this.#stateless = stateless;
  }

  /** The default one without an id, a fresh one for `new`. Errors: `UNKNOWN_SESSION`, and those of `openSession`. */
  async get(id?: string): Promise<Session> {
    if (id === NEW_SESSION) {
      const opened = await this.#open('more');
      this.#further.set(opened.id, opened);
      return opened;
    }
    const known = id === undefined ? await this.#default() : (this.#further.get(id) ?? (await this.#first));
    if (known && (id === undefined || known.id === id)) return known;
    throw new ShellgateError('UNKNOWN_SESSION', `no session ${id} is open here; leave session_id out, or say "${NEW_SESSION}"`);
  }

  /** It turned out to be closed. */
  async forget(session: Session): Promise<void> {
    this.#further.delete(session.id);
    if ((await this.#first) === session) this.#first = undefined;
  }

  #default(): Promise<Session> {
    this.#first ??= this.#open('main').catch((error: unknown) => {
      this.#first = undefined;
      throw error;
    });
    return this.#first;
  }

  async #open(label: string): Promise<Session> {
    try {
      return await this.#gate.openSession({ label, mode: this.#stateless ? 'stateless' : 'persistent' });
    } catch (cause) {
      if (codeOf(cause) !== 'TOO_MANY_SESSIONS') throw cause;
      // A model can neither close one nor change the limit.
      const what = 'too many sessions are open; go on in one you have, they close by themselves after an hour without a command';
      throw new ShellgateError('TOO_MANY_SESSIONS', what, { cause });
    }
  }
}
