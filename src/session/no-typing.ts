import type { ProcessTree } from '../contract/executor.js';
import { after } from './clock.js';
import type { LiveShell } from './live-shell.js';
import { asksForPassword, terminalModes, tidy } from './terminal-modes.js';

/** Most commands are over before the first look; a look costs a millisecond. */
const FIRST_MS = 500;
const SLOWEST_MS = 5_000;
/** A program that asks again and again gets no more than these; then its deadline ends it. */
const MOST = 20;
/** What ends the input of a terminal. */
const END = Buffer.from([4]);

/**
 * Nobody types at the terminal of a captured command, so whoever waits there (`sudo`, `ssh`, `read </dev/tty`) would wait
 * until its deadline. It gets an end of input instead, as from its stdin, and says itself what it lacks. Returns what
 * stops the watch.
 */
export function endTyping(shell: LiveShell, tree: ProcessTree): () => void {
  const { channel } = shell;
  const { terminal } = channel;
  if (!terminal) return () => {};
  let stopped = false;
  let given = 0;
  let cancel = after(FIRST_MS, () => void look(FIRST_MS));
  const look = async (waited: number): Promise<void> => {
    const reads = tree.readsTerminal(terminal.path);
    const waits = reads === 'yes' || (reads === 'unknown' && (await asked()));
    if (stopped) return;
    if (waits) {
      terminal.write(END);
      given += 1;
    }
    const next = waits ? FIRST_MS : Math.min(waited * 2, SLOWEST_MS);
    if (given < MOST) cancel = after(next, () => void look(next));
  };
  /** Nobody may look into a program with rights of its own. */
  const asked = async (): Promise<boolean> => {
    const modes = await terminalModes(channel);
    return modes !== undefined && asksForPassword(modes);
  };
  return () => {
    stopped = true;
    cancel();
    // The last one may have come too late for its reader: no later command may find it.
    if (given > 0 && !shell.ended) tidy(shell, terminal, Number.POSITIVE_INFINITY);
  };
}
