import type { Refusal } from '../contract/result.js';
import { CLOSED, cancelled, full } from './refusals.js';

/** The right to run one thing. Giving it back twice does nothing. */
export type Release = () => void;

export interface TurnQueue {
  /** Resolves when it is the caller's turn, in the order of asking, or with why it never will be. */
  take(signal: AbortSignal): Promise<Release | Refusal>;
  /** Refuse everybody who waits or comes later. Whoever holds the turn keeps it. */
  close(): void;
  /** Somebody holds the turn. */
  readonly busy: boolean;
}

interface Waiter {
  settle(outcome: Release | Refusal): void;
}

/** First in, first out, one at a time. `limit` counts those who wait. */
export function createTurnQueue(limit: number): TurnQueue {
  const waiters: Waiter[] = [];
  let held = false;
  let closed = false;

  const grant = (): Release => {
    held = true;
    let mine = true;
    return () => {
      if (!mine) return;
      mine = false;
      held = false;
      const next = waiters.shift();
      if (next) next.settle(grant());
    };
  };

  return {
    async take(signal) {
      if (closed) return CLOSED;
      if (signal.aborted) return cancelled(signal);
      if (!held) return grant();
      if (waiters.length >= limit) return full(limit);
      return new Promise(resolve => {
        const leave = () => {
          waiters.splice(waiters.indexOf(waiter), 1);
          resolve(cancelled(signal));
        };
        const waiter: Waiter = {
          settle(outcome) {
            signal.removeEventListener('abort', leave);
            resolve(outcome);
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        waiters.push(waiter);
      });
    },
    close() {
      closed = true;
      for (const waiter of waiters.splice(0)) waiter.settle(CLOSED);
    },
    get busy() {
      return held;
    },
  };
}
