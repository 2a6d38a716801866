import type { Frame, RawReport, Report } from '../contract/shell-family.js';
import { after, latch } from './clock.js';
import type { Ended, LiveShell } from './live-shell.js';
import { nonce } from './nonce.js';

/**
 * A command that ends sooner never sees its fallback line: it would only cost the shell time. One that was given up
 * (an interrupt, `set -u`, failglob) waits this long for it.
 */
const FALLBACK_MS = 2;

/** How a command came to its end: the shell reported, or is gone. */
export type End = { readonly report: Report } | { readonly ended: Ended };

/** One command on its way through the shell. */
export interface Dispatched {
  readonly over: Promise<End>;
  /** Set as soon as `over` is. */
  readonly end: End | undefined;
  /** Resolves when the shell has read the line; at once where the line is too short to be torn. */
  readonly started: Promise<void>;
  /** How its report begins. A shell without its streams writes it where it can. */
  readonly reportBegins: string;
  /** Ask again for a report, with a new nonce: a signal may have hit the fallback line. */
  again(): void;
}

export type Order = Omit<Frame, 'nonces' | 'previousStatus' | 'last'> & {
  /** Called when the shell has read the line and opened its stdin. */
  readonly onStarted?: () => void;
  /** Nonce of a background command's own end. */
  readonly finished?: string;
};

/** bash reads 1 KiB at a time: a signal between two reads makes it take the rest of the line for a new one. */
const READ_AT_ONCE = 512;

/** What a text takes in its line at most: each quote in it becomes four characters. */
const lineBytes = (text: string): number => Buffer.byteLength(text) + 3 * (text.split("'").length - 1);

/** Writes the command's line and listens for its report. */
export function dispatch(shell: LiveShell, order: Order): Dispatched {
  const { family, control, channel } = shell;
  const askStarted = order.onStarted !== undefined || lineBytes(order.text) > READ_AT_ONCE;
  const frame: Frame = {
    ...order,
    nonces: {
      report: nonce(),
      fallback: nonce(),
      lineage: nonce(),
      ...(askStarted && { started: nonce() }),
      ...(order.finished && { finished: order.finished }),
    },
    previousStatus: shell.last.status,
    last: shell.last,
  };
  const line = family.frame(frame); // throws for a text that cannot be sent, before anything waits for its end
  const over = latch<End>();
  const begun = latch<void>();
  const asked = [frame.nonces.report];
  let end: End | undefined;

  const finish = (how: End): void => {
    if (end) return;
    end = how;
    cancelFallback();
    for (const of of asked) control.forget(of);
    if ('report' in how) shell.reported(how.report);
    over.resolve(how);
  };
  const heard = (raw: RawReport): void => {
    const report = family.report(raw);
    if (report) finish({ report });
  };
  const ask = (of: string): void => {
    if (end) return;
    asked.push(of);
    control.expect(of, heard);
    channel.commands.write(family.fallback(frame, of));
  };

  control.expect(frame.nonces.report, heard);
  shell.expectAccount(frame.nonces.lineage);
  if (frame.nonces.started === undefined) begun.resolve();
  else {
    control.expect(frame.nonces.started, () => {
      order.onStarted?.();
      begun.resolve();
    });
  }
  void shell.closed.then(ended => finish({ ended }));
  channel.commands.write(line);
  const cancelFallback = after(FALLBACK_MS, () => ask(frame.nonces.fallback));

  return {
    over: over.promise,
    started: begun.promise,
    reportBegins: `\x1e${frame.nonces.report}\0`,
    get end() {
      return end;
    },
    again: () => ask(nonce()),
  };
}
