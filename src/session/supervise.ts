import type { ProcessTree } from '../contract/executor.js';
import type { CommandRequest } from '../contract/request.js';
import { after } from './clock.js';
import type { Dispatched } from './dispatch.js';
import { type Interrupted, interrupt } from './interrupt.js';
import type { LiveShell } from './live-shell.js';

/** What ended a command that did not end by itself. */
export type Cause = 'timed-out' | 'cancelled';

export interface Supervised {
  readonly shell: LiveShell;
  readonly request: CommandRequest;
  readonly signals: readonly AbortSignal[];
  readonly command: Dispatched;
  readonly tree: ProcessTree;
  /** `performance.now()` of its start. */
  readonly began: number;
  interrupting(): void;
  leaving(): void;
}

export interface Supervision {
  /** The command goes on outside the turn. Asking twice, or after its end, does nothing. */
  toBackground(): void;
  /** After the command's end: waits until what was begun is over. `left`: it went to the background. */
  settled(): Promise<{ readonly cause?: Cause; readonly interrupted?: Interrupted; readonly left: boolean }>;
}

/** Deadline, cancel and the way to the background. The first cause wins. */
export function supervise(supervised: Supervised): Supervision {
  const { shell, request, signals, command, tree, began } = supervised;
  let cause: Cause | undefined;
  let climbing: Promise<Interrupted> | undefined;
  let left = false;
  const end = (why: Cause): void => {
    if (cause || command.end) return;
    cause = why;
    supervised.interrupting();
    climbing = interrupt(shell, command, tree, performance.now() - began);
  };
  const toBackground = (): void => {
    if (cause || command.end || left) return;
    left = true;
    supervised.leaving();
  };
  const onDeadline = () => (request.onTimeout === 'background' ? toBackground() : end('timed-out'));
  const onAbort = () => end('cancelled');
  const disarm = request.timeoutMs === undefined ? undefined : after(request.timeoutMs, onDeadline);
  for (const signal of signals) {
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  }
  return {
    toBackground,
    async settled() {
      disarm?.();
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
      const interrupted = await climbing;
      return { ...(cause && { cause }), ...(interrupted && { interrupted }), left };
    },
  };
}
