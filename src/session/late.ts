/** An endless background job must not fill the log: after the first word of a stream, one event a second. */
const EVERY_MS = 1_000;

export interface LateOutput {
  readonly command: string;
  readonly stream: 'stdout' | 'stderr';
  /** Bytes since the last event of this stream. */
  readonly bytes: number;
}

export interface Lateness {
  came(command: string, stream: 'stdout' | 'stderr', bytes: number): void;
  /** Tell what was not told yet. */
  flush(): void;
}

/** Counts output that came after its command's result. */
export function createLateness(tell: (late: LateOutput) => void, now: () => number = () => performance.now()): Lateness {
  const untold = new Map<string, LateOutput>();
  const told = new Map<string, number>();
  return {
    came(command, stream, bytes) {
      const key = `${command} ${stream}`;
      const sum = { command, stream, bytes: bytes + (untold.get(key)?.bytes ?? 0) };
      if (now() - (told.get(key) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) {
        untold.set(key, sum);
        return;
      }
      untold.delete(key);
      told.set(key, now());
      tell(sum);
    },
    flush() {
      for (const late of untold.values()) tell(late);
      untold.clear();
    },
  };
}
