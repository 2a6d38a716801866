import type { ProcessTree } from '../contract/executor.js';
import type { CommandResult, Process, Ran } from '../contract/result.js';
import { after, latch } from './clock.js';
import type { End } from './dispatch.js';
import { endTyping } from './no-typing.js';
import { nonce } from './nonce.js';
import { pipesOutlet, send } from './outlet.js';
import { concluded } from './result.js';
import { type CommandOptions, liveOf } from './run.js';
import { createStreams } from './streams.js';
import type { Cause } from './supervise.js';

/** Its processes get this long after TERM. */
const GRACE_MS = 500;

/**
 * One command in a subshell of the session's shell: it has the shell's state, its own changes are not kept, and the turn
 * is free as soon as it was started. Its end is reported by the subshell around it; the text itself has none of the
 * protocol's streams. Rejects only when it could not be started.
 */
export async function runBackground(options: CommandOptions): Promise<CommandResult> {
  const { shell, request, watch } = options;
  const streams = createStreams(request.id, options.keeping);
  const outlet = await pipesOutlet({ shell, request, streams, late: options.late });
  const id = shell.nextId();
  const finished = nonce();
  const over = latch<End>();
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { over: begun } = await send(outlet, shell, { text: request.text, id, place: 'subshell', finished });
  shell.control.expect(finished, raw => {
    const report = shell.family.report(raw);
    if (report) over.resolve({ report });
  });
  void shell.closed.then(() => over.resolve({ ended: {} }));
  const started = await begun;
  const root = 'report' in started ? Number(started.report.background) : Number.NaN;
  if (!(root > 0)) over.resolve({ ended: {} });
  const tree = shell.channel.processes(id, false, root);
  const forget = shell.ownFork(root);
  watch.started(liveOf(streams, outlet, { startedAt, began, request, toBackground: () => {} }));
  options.leaving();
  const stopWatch = endTyping(shell, tree);
  const ending = endEarly(options, tree, over.resolve);
  const end = await over.promise;
  stopWatch();
  const { cause, killed } = await ending();
  const lost = !cause && 'ended' in end;
  forget();
  shell.control.forget(finished);
  await outlet.finish();
  const { stdout, stderr } = await streams.finish();
  const ran: Ran = {
    stdout,
    stderr,
    durationMs: performance.now() - began,
    shell: shell.ended ? 'ended' : 'kept',
    sessionRestarted: options.sessionRestarted,
    survivors: lost ? await tree.kill(GRACE_MS) : killed,
    // The subshell that has just reported may not be gone yet.
    leftRunning: cause || lost ? [] : tree.list().filter(({ pid }) => pid !== root),
  };
  if (lost) return { ...ran, outcome: 'session-lost', reason: "the session's shell ended while this ran beside it" };
  return concluded(ran, end, cause);
}

/** Deadline and cancel: the tree is ended, the session's shell is not touched. */
function endEarly({ request, signals }: CommandOptions, tree: ProcessTree, end: (how: End) => void) {
  let cause: Cause | undefined;
  let killing: Promise<Process[]> | undefined;
  const kill = (why: Cause): void => {
    if (cause) return;
    cause = why;
    killing = tree.kill(GRACE_MS);
    void killing.then(() => end({ ended: {} }));
  };
  const onAbort = () => kill('cancelled');
  const disarm = request.timeoutMs === undefined ? undefined : after(request.timeoutMs, () => kill('timed-out'));
  for (const signal of signals) {
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  }
  return async () => {
    disarm?.();
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    return { cause, killed: (await killing) ?? [] };
  };
}
