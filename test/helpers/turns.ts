import { readFileSync } from 'node:fs';

/** Processor time of the calling thread in ms: neither other threads nor the rest of the machine count. */
export const threadCpuMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;

export interface Turns<T> {
  readonly result: T;
  /** Processor time of the longest stretch in which no timer could fire, in ms. */
  readonly longest: number;
  /** Wall time of the whole, in ms. */
  readonly took: number;
}

/** Runs `work` beside a timer that wants to fire every millisecond. */
export async function turns<T>(work: () => Promise<T>): Promise<Turns<T>> {
  let last = threadCpuMs();
  let longest = 0;
  const beat = () => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(beat, 1);
  const started = performance.now();
  try {
    const result = await work();
    beat();
    return { result, longest, took: performance.now() - started };
  } finally {
    clearInterval(timer);
  }
}
