/** Time as the queue needs it; tests bring their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Call back once, `ms` from now (0 … 2^31-1); returns the way to take it back. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** A timer of Node fires at once above 2^31-1 ms. A minute also notices a clock that was set, or a laptop that slept. */
const LONGEST_PIECE_MS = 60_000;

/** Call back when the clock has reached `at` (ms since the epoch), however far away. Returns the way to take it back. */
export function atTime(clock: Clock, at: number, callback: () => void): () => void {
  let cancel = () => {};
  const arm = () => {
    const left = at - clock.now();
    if (left <= 0) callback();
    else cancel = clock.after(Math.min(left, LONGEST_PIECE_MS), arm);
  };
  cancel = clock.after(Math.min(Math.max(0, at - clock.now()), LONGEST_PIECE_MS), arm);
  return () => cancel();
}
