import type { ProcessTree } from '../contract/executor.js';
import type { Process } from '../contract/result.js';
import { within } from './clock.js';
import type { Dispatched } from './dispatch.js';
import type { LiveShell } from './live-shell.js';

// The ladder of session-protocol 5. Times count from the interrupt, in ms.
const AGAIN_FROM = 40;
const AGAIN_EVERY = 100;
const ABORT_AT = 300;
const TREE_AT = 450;
const SHELL_AT = 4_000;
/**
 * A line that the shell is still reading is never torn: it would take the rest for lines of their own, and run them. A shell
 * that has not read it in this time is not worth keeping.
 */
const START_MS = 4_000;
const SLOW_MS = 250;
/** How long a line without a start report is given to be read. */
const YOUNG_MS = 10;
const GRACE_MS = 100;
const SYNC_MS = 2_000;

export interface Interrupted {
  readonly survivors: readonly Process[];
  /** The shell itself had to be killed. */
  readonly killed: boolean;
}

/**
 * Ends a running command and everything it started, and leaves the shell with its state at top level where that is
 * possible. Resolves when nothing of the command is left, or with what may be.
 */
export async function interrupt(shell: LiveShell, command: Dispatched, tree: ProcessTree, ageMs: number): Promise<Interrupted> {
  let killed = !(await isRead(shell, command));
  if (killed) {
    shell.channel.shell.signal('SIGKILL', 'shell');
    await shell.closed;
  }
  if (ageMs < YOUNG_MS) await within(YOUNG_MS - ageMs, command.over);
  if (!command.end) killed = await climb(shell, command, tree);
  const survivors = await tree.kill(shell.ended ? 0 : GRACE_MS);
  if (!shell.ended && !(await shell.sync(SYNC_MS))) {
    killed = true;
    shell.channel.shell.signal('SIGKILL', 'shell');
    await shell.closed;
  }
  return { survivors: [...survivors, ...tree.suspects()], killed };
}

/** Waits until the shell has read the command's line; one that was stopped meanwhile goes on. false: it never did. */
async function isRead(shell: LiveShell, command: Dispatched): Promise<boolean> {
  const read = Promise.race([command.started, command.over]);
  if (await within(SLOW_MS, read)) return true;
  shell.channel.shell.signal('SIGCONT', 'shell');
  return within(START_MS, read);
}

/** Signals, ever harder, until the shell reports or is gone. true: it was killed. */
async function climb(shell: LiveShell, command: Dispatched, tree: ProcessTree): Promise<boolean> {
  const { shell: process } = shell.channel;
  const began = performance.now();
  const at = () => performance.now() - began;
  const goOn = () => {
    if (process.state() === 'stopped') process.signal('SIGCONT', 'group');
  };
  process.signal('SIGINT', 'group');
  process.signal('SIGINT', 'foreground');
  goOn(); // what was stopped hears the interrupt now, before it does anything else
  let aborted = false;
  for (let next = AGAIN_FROM; !command.end; ) {
    if (await within(Math.max(0, next - at()), command.over)) break;
    command.again();
    goOn();
    if (at() >= ABORT_AT && !aborted) {
      aborted = true;
      abort(shell);
      for (const signal of ['SIGTERM', 'SIGCONT'] as const) process.signal(signal, 'foreground');
      shell.channel.commands.write(shell.family.repair);
    }
    if (at() >= TREE_AT) await tree.kill(0);
    if (at() >= SHELL_AT) {
      process.signal('SIGKILL', 'shell');
      await shell.closed;
      return true;
    }
    next = Math.min(...[at() + AGAIN_EVERY, ABORT_AT, TREE_AT].filter(time => time > at()));
  }
  return aborted && shell.ended?.signal === 'SIGKILL';
}

/** Gives up the running list. A shell that no longer has the trap would die of the signal anyway. */
function abort({ channel, family }: LiveShell): void {
  const { abortSignal } = family;
  const armed = abortSignal !== undefined && channel.shell.catches(abortSignal);
  channel.shell.signal(armed ? abortSignal : 'SIGKILL', 'shell');
}
