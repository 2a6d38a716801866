import type { Gate, Session } from '../contract/gate.js';

/** The shells that tools run in. */
export interface Sessions {
  /** The one that keeps its state from call to call. Errors: those of `openSession`. */
  bound(): Promise<Session>;
  /**
   * One in which every command gets a fresh shell, in `base` unless it says otherwise; nobody else uses it meanwhile.
   * Errors: the same, and `use`'s own.
   */
  stateless<R>(use: (session: Session, base: string) => Promise<R>): Promise<R>;
  /** It was closed under us (idle, or by its gate): the next call gets another. */
  forget(session: Session): void;
  /** Closes those that were opened here. */
  close(): Promise<void>;
}

/** `session`: the bound one; its owner closes it. Absent: one of the gate's, opened on first use. */
export function createSessions(gate: Gate, session?: Session): Sessions {
  const opened = new Set<Session>();
  const busy = new Set<Session>();
  let own: { readonly opening: Promise<Session>; session?: Session } | undefined;
  let closed = false;

  async function open(mode: 'persistent' | 'stateless'): Promise<Session> {
    const fresh = await gate.openSession({ label: 'tools', mode });
    opened.add(fresh);
    if (closed) await fresh.close();
    return fresh;
  }

  /** `session.cwd` is that of its last command, so where it began is kept here. */
  const stateless: { readonly session: Session; readonly base: string }[] = [];

  function ownSession() {
    const opening = open('persistent').then(
      fresh => {
        made.session = fresh;
        return fresh;
      },
      (error: unknown) => {
        own = undefined;
        throw error;
      },
    );
    const made: { readonly opening: Promise<Session>; session?: Session } = { opening };
    return made;
  }

  return {
    bound() {
      if (session) return Promise.resolve(session);
      own ??= ownSession();
      return own.opening;
    },
    async stateless(use) {
      // The first one that is free: what a person allowed for a session keeps its meaning from call to call.
      let taken = stateless.find(each => !busy.has(each.session));
      if (!taken) {
        const fresh = await open('stateless');
        taken = { session: fresh, base: fresh.cwd ?? '/' };
        stateless.push(taken);
      }
      busy.add(taken.session);
      try {
        return await use(taken.session, taken.base);
      } finally {
        busy.delete(taken.session);
      }
    },
    forget(dead) {
      opened.delete(dead);
      if (own?.session === dead) own = undefined;
      const at = stateless.findIndex(each => each.session === dead);
      if (at >= 0) stateless.splice(at, 1);
    },
    async close() {
      closed = true;
      await Promise.all([...opened].map(each => each.close()));
    },
  };
}
