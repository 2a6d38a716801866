/** What a read of the terminal amounts to. */
export interface KeyListeners {
  /** One byte that came alone, after the quiet time: a key that a person pressed on purpose. */
  key(byte: number): void;
  /** Anything else: typed ahead, pasted, an answer of the terminal itself, a key held down or pressed too early. */
  noise(): void;
}

export interface KeyReader {
  read(bytes: Uint8Array): void;
  /** The question was drawn (anew): what is pressed within the quiet time was not pressed at it. */
  drawn(): void;
  /** Are keys counted now? */
  readonly armed: boolean;
  close(): void;
}

/** Silence on the input that must follow a drawing before a key counts, in ms. */
const QUIET_MS = 250;
/** A byte counts alone only if no other follows within this time: a paste over a slow line comes in single bytes. */
const ALONE_MS = 30;

/**
 * Tells keys from everything else that comes from a terminal (the prompt's law): a key counts only as one read of one
 * byte, after 250 ms without any input since the last drawing; anything else restarts that time.
 */
export function createKeyReader(listeners: KeyListeners, { quietMs = QUIET_MS, aloneMs = ALONE_MS } = {}): KeyReader {
  let armed = false;
  let candidate: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let check: NodeJS.Immediate | undefined;

  /** Timers come due before input that waited while this process was busy; an immediate comes after it. */
  function after(ms: number, act: () => void): void {
    stop();
    timer = setTimeout(() => {
      check = setImmediate(act);
    }, ms);
  }

  function stop(): void {
    clearTimeout(timer);
    clearImmediate(check);
  }

  function restart(): void {
    armed = false;
    candidate = undefined;
    after(quietMs, () => {
      armed = true;
    });
  }

  return {
    get armed() {
      return armed;
    },
    drawn: restart,
    close: stop,
    read(bytes) {
      const single = bytes.length === 1 ? bytes[0] : undefined;
      if (!armed || single === undefined || candidate !== undefined) {
        restart();
        listeners.noise();
        return;
      }
      candidate = single;
      after(aloneMs, () => {
        candidate = undefined;
        listeners.key(single);
      });
    },
  };
}
