import type { Terminal } from '@xterm/headless';
import type { Screen } from '../contract/execution.js';

/** Bytes that may wait before they are parsed although nobody looked. */
const WAITING_BYTES = 1_048_576;
/** A program that floods the terminal faster than it can be parsed loses what scrolled by beyond this. */
const MOST_WAITING_BYTES = 8 * WAITING_BYTES;

/**
 * What a terminal shows after the bytes written to it. Nothing is loaded or parsed before someone asks for the screen or
 * a MiB waits, because most commands on a terminal end before either.
 */
export interface TerminalScreen {
  write(bytes: Uint8Array): void;
  /** As of everything written before this call. */
  screen(): Promise<Screen>;
  resize(cols: number, rows: number): void;
  dispose(): void;
}

type Step = { readonly bytes: Uint8Array } | { readonly cols: number; readonly rows: number };

export function createScreen(cols: number, rows: number): TerminalScreen {
  let terminal: Promise<Terminal> | undefined;
  let waiting: Step[] = [];
  let waitingBytes = 0;
  let version = 0;
  let parsing: Promise<void> = Promise.resolve();
  let flushes = 0;
  let disposed = false;

  async function load(): Promise<Terminal> {
    const { default: xterm } = await import('@xterm/headless');
    return new xterm.Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  }

  async function parse(steps: readonly Step[]): Promise<void> {
    terminal ??= load();
    const target = await terminal;
    for (const step of steps) {
      if (disposed) return;
      if ('cols' in step) target.resize(step.cols, step.rows);
      else await new Promise<void>(resolve => target.write(step.bytes, resolve));
    }
  }

  function flush(): Promise<void> {
    const steps = waiting;
    waiting = [];
    waitingBytes = 0;
    flushes += 1;
    parsing = parsing
      .then(() => parse(steps))
      .finally(() => {
        flushes -= 1;
      });
    return parsing;
  }

  function dropOldest(): void {
    while (waitingBytes > MOST_WAITING_BYTES) {
      const at = waiting.findIndex(step => 'bytes' in step);
      const [step] = waiting.splice(at, 1) as [{ bytes: Uint8Array }];
      waitingBytes -= step.bytes.length;
    }
  }

  return {
    write(bytes) {
      if (disposed || bytes.length === 0) return;
      version += 1;
      waiting.push({ bytes: Uint8Array.from(bytes) });
      waitingBytes += bytes.length;
      if (waitingBytes > WAITING_BYTES && flushes === 0) void flush();
      else dropOldest();
    },
    async screen() {
      const shown = version;
      const done = flush();
      terminal ??= load();
      await done;
      return snapshot(await terminal, shown);
    },
    resize(newCols, newRows) {
      if (disposed) return;
      version += 1;
      waiting.push({ cols: newCols, rows: newRows });
    },
    dispose() {
      disposed = true;
      waiting = [];
      void terminal?.then(loaded => loaded.dispose());
    },
  };
}

function snapshot(terminal: Terminal, version: number): Screen {
  const buffer = terminal.buffer.active;
  const lines = Array.from(
    { length: terminal.rows },
    (_, row) => buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '',
  );
  return {
    version,
    cols: terminal.cols,
    rows: terminal.rows,
    lines,
    cursor: { x: buffer.cursorX, y: buffer.cursorY },
    alternate: buffer.type === 'alternate',
  };
}
