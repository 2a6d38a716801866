import type { Terminal } from '../contract/executor.js';
import { createScreen } from '../output/screen.js';
import { latch, within } from './clock.js';
import { createMarkFilter } from './mark.js';
import { nonce } from './nonce.js';
import type { Outlet, OutletOptions } from './outlet.js';

/** Output on its way through the terminal when the report has come already. */
const MARK_MS = 250;
const TIDY_MS = 2_000;

/**
 * A program may leave the terminal raw, and typed bytes unread that nobody judged for the next command. Both end here:
 * what waits is read away without waiting, then the modes are set back.
 */
const TIDY = 'stty -icanon -echo min 0 time 0 <"$1" && cat <"$1" >/dev/null; stty sane <"$1"';

/** The session's terminal for one command: one stream, a screen, and an end that a mark in the stream tells. */
export function terminalOutlet({ shell, streams, late }: OutletOptions, terminal: Terminal): Outlet {
  const mark = nonce();
  const { cols, rows } = shell.size;
  const screen = createScreen(cols, rows);
  const marked = latch<void>();
  let over = false;
  const filter = createMarkFilter(mark, {
    write(bytes) {
      if (over) return late('stdout', bytes);
      streams.write('terminal', bytes);
      screen.write(bytes);
    },
    marked: marked.resolve,
  });
  terminal.onData(bytes => filter.write(bytes));
  return {
    order: { terminal: { path: terminal.path, mark } },
    face: {
      screen: () => screen.screen(),
      resize(newCols, newRows) {
        shell.resize(newCols, newRows);
        screen.resize(newCols, newRows);
      },
      type: bytes => {
        if (!over) terminal.write(bytes);
      },
    },
    async finish() {
      if (!shell.ended) await within(MARK_MS, Promise.race([marked.promise, shell.closed]));
      filter.flush();
      over = true;
      if (!shell.ended) shell.busyUntil(shell.channel.helper(['/bin/sh', '-c', TIDY, 'sh', terminal.path], '', TIDY_MS));
      return false;
    },
  };
}
