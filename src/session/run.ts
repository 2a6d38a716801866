import type { Live } from '../contract/execution.js';
import type { ProcessTree } from '../contract/executor.js';
import type { CommandRequest } from '../contract/request.js';
import type { CommandResult, Process, Ran } from '../contract/result.js';
import type { Watch } from '../contract/shell.js';
import type { End } from './dispatch.js';
import type { LiveShell } from './live-shell.js';
import { endTyping } from './no-typing.js';
import { type Outlet, type OutletOptions, pipesOutlet, send } from './outlet.js';
import { concluded, withoutOwnTalk } from './result.js';
import { createStreams, type Keeping, type Streams } from './streams.js';
import { supervise } from './supervise.js';
import { terminalOutlet } from './terminal-outlet.js';

/** A scan for processes left running costs a millisecond; a command that took longer than this can pay it unasked. */
const SCAN_ABOVE_MS = 10;

export interface CommandOptions {
  readonly shell: LiveShell;
  readonly request: CommandRequest;
  readonly watch: Watch;
  /** Each of them cancels the command. */
  readonly signals: readonly AbortSignal[];
  readonly keeping: Keeping;
  readonly sessionRestarted: boolean;
  /** Output that came after the result. */
  late(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
  /** The command is being ended before its end. */
  interrupting(): void;
  /** The command goes on outside the turn and takes this shell with it. */
  leaving(): void;
}

/** One command from its line to its result. Rejects only when it could not be started. */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const { shell, request, watch } = options;
  const streams = createStreams(request.id, options.keeping);
  const outlet = await outletFor({ shell, request, streams, late: options.late });
  const id = shell.nextId();
  const before = shell.last;
  const tree = shell.channel.processes(id, before.background !== '' || before.flags.includes('m'));
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const command = await send(outlet, shell, { text: request.text, id, place: 'shell' });
  const supervision = supervise({ ...options, command, tree, began });
  const stopWatch = request.tty ? () => {} : endTyping(shell, tree);
  watch.started(liveOf(streams, outlet, { startedAt, began, request, toBackground: supervision.toBackground }));
  const end = await command.over;
  stopWatch();
  const { cause, interrupted, left } = await supervision.settled();
  const held = await outlet.finish();
  // A text that closed the protocol's streams leaves the shell only the command's own to report on.
  if ('ended' in end) streams.cutAt('stdout', command.reportBegins);
  const { stdout, stderr } = await streams.finish();
  const durationMs = performance.now() - began;
  const scan = !cause && !left && (held || durationMs > SCAN_ABOVE_MS || forked(end, before.background));
  const cwd = left ? undefined : shell.directory('report' in end ? end.report.cwd : undefined);
  const ran: Ran = {
    stdout,
    stderr: withoutOwnTalk(stderr, shell.family, { text: request.text, ended: 'ended' in end }),
    ...(cwd !== undefined && { cwd }),
    durationMs,
    shell: interrupted?.killed ? 'killed' : shell.ended || left ? 'ended' : 'kept',
    sessionRestarted: options.sessionRestarted,
    survivors: interrupted?.survivors ?? [],
    leftRunning: scan ? leftRunning(tree) : [],
  };
  return concluded(ran, end, cause);
}

async function outletFor(options: OutletOptions): Promise<Outlet> {
  const { terminal } = options.shell.channel;
  return options.request.tty && terminal ? terminalOutlet(options, terminal) : pipesOutlet(options);
}

/** Did the shell itself put something in the background? */
const forked = (end: End, before: string): boolean => 'report' in end && end.report.background !== before;

const leftRunning = (tree: ProcessTree): Process[] => tree.list().map(process => ({ ...process, reason: 'left running' }));

interface Running {
  readonly startedAt: string;
  readonly began: number;
  readonly request: CommandRequest;
  readonly toBackground: () => void;
}

const progressOf = (streams: Streams, began: number, { timeoutMs }: CommandRequest) => ({
  elapsedMs: performance.now() - began,
  ...streams.counts(),
  ...(timeoutMs !== undefined && { timeoutMs }),
});

export function liveOf(streams: Streams, outlet: Outlet, { startedAt, began, request, toBackground }: Running): Live {
  return {
    startedAt,
    progress: () => progressOf(streams, began, request),
    output: (name, from, max) => streams.output(name, from, max),
    ...outlet.face,
    toBackground,
  };
}
