/** Node fires a timer above this at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls `act` once after `delayMs`, however long that is. Returns what takes it back. */
export function after(delayMs: number, act: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (left: number) => {
    timer = setTimeout(() => (left > LONGEST_MS ? arm(left - LONGEST_MS) : act()), Math.min(left, LONGEST_MS));
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}

/** Resolves true when `event` came within `delayMs`, else false. Leaves no timer behind. */
export function within(delayMs: number, event: Promise<unknown>): Promise<boolean> {
  return new Promise(resolve => {
    const cancel = after(delayMs, () => resolve(false));
    const came = () => {
      cancel();
      resolve(true);
    };
    event.then(came, came);
  });
}

export interface Latch<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** A promise and the function that settles it. */
export function latch<T>(): Latch<T> {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}
