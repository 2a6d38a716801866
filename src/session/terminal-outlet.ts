import type { Terminal } from '../contract/executor.js';
import { createScreen } from '../output/screen.js';
import { latch, within } from './clock.js';
import { createMarkFilter } from './mark.js';
import { nonce } from './nonce.js';
import type { Outlet, OutletOptions } from './outlet.js';
import { tidy } from './terminal-modes.js';

/** A mark that has not come after so long without another byte was lost. */
const MARK_MS = 250;

/** The session's terminal for one command: one stream, a screen, and an end that a mark in the stream tells. */
export function terminalOutlet({ shell, streams, late }: OutletOptions, terminal: Terminal): Outlet {
  const mark = nonce();
  const { cols, rows } = shell.size;
  const screen = createScreen(cols, rows);
  const marked = latch<void>();
  let over = false;
  let typedAt = Number.NEGATIVE_INFINITY;
  const filter = createMarkFilter(mark, {
    write(bytes) {
      if (over) return late('stdout', bytes);
      streams.write('terminal', bytes);
      screen.write(bytes);
    },
    marked: marked.resolve,
  });
  let received = 0;
  terminal.onData(bytes => {
    received += bytes.length;
    filter.write(bytes);
  });
  return {
    order: { terminal: { path: terminal.path, mark } },
    face: {
      screen: () => screen.screen(),
      resize(newCols, newRows) {
        shell.resize(newCols, newRows);
        screen.resize(newCols, newRows);
      },
      type(bytes) {
        if (over) return;
        typedAt = performance.now();
        terminal.write(bytes);
      },
    },
    async finish() {
      const end = Promise.race([marked.promise, shell.closed]);
      for (let seen = -1; seen !== received && !shell.ended; ) {
        seen = received;
        if (await within(MARK_MS, end)) break;
      }
      filter.flush();
      over = true;
      if (!shell.ended) tidy(shell, terminal, performance.now() - typedAt);
      return false;
    },
  };
}
