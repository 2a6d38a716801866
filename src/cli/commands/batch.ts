import type { Command } from 'commander';
import { z } from 'zod';
import { atTime, systemClock } from '../../approval/clock.js';
import { codeOf } from '../../contract/error.js';
import type { Execution } from '../../contract/execution.js';
import type { Gate, Session } from '../../contract/gate.js';
import type { Principal } from '../../contract/principal.js';
import type { RunOptions } from '../../contract/request.js';
import { commandTextSchema } from '../../contract/request.js';
import type { Refusal } from '../../contract/result.js';
import { createGate } from '../../create-gate.js';
import { approversFor } from '../approvers.js';
import { EXIT } from '../messages.js';
import { type CommonFlags, gateOptions, withRunOptions } from '../options.js';
import { print } from '../output.js';
import { invalidBy, requestLines } from '../request-lines.js';
import { onInterrupt } from '../signals.js';
import { answerSocket } from '../user-config.js';
import { resultLine } from '../wire.js';

const DEFAULT_TIMEOUT_MS = 120_000;
/** Requests of one session under way or waiting at the same time; more stay unread. */
const AHEAD = 32;

const requestSchema = z.strictObject({
  id: z.union([z.string(), z.number()]).optional(),
  session: z.string().min(1).optional(),
  command: commandTextSchema,
  tty: z.boolean().optional(),
  stdin: z.string().optional(),
  timeoutMs: z.number().int().positive().optional(),
  cancelAfterMs: z.number().int().nonnegative().optional(),
  background: z.boolean().optional(),
});
type BatchRequest = z.infer<typeof requestSchema>;

const principal: Principal = { kind: 'program', id: 'batch', label: 'batch' };

interface Flags extends CommonFlags {
  timeout?: string;
}

export function register(program: Command): void {
  withRunOptions(program.command('batch').description('requests as JSON lines on stdin, results as JSON lines on stdout'))
    .addHelpText(
      'after',
      `
A request: {"command": "ls", "id"?, "session"?, "tty"?, "stdin"?, "timeoutMs"?, "cancelAfterMs"?, "background"?}
One session's requests run in order, sessions beside each other. "timeoutMs" counts from the start of the command,
"cancelAfterMs" from when the request was taken: one that still waits for its turn is refused then.`,
    )
    .action(async (flags: Flags) => {
      const options = gateOptions(flags);
      await using gate = await createGate({
        ...options,
        approver: approversFor(flags),
        chain: 'day',
        answerSocket: answerSocket('batch'),
      });
      // What is under way ends in order, and its results are still printed.
      const over = new AbortController();
      const stop = onInterrupt(() => {
        over.abort();
        void gate.close();
      });
      const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
      await runLines(gate, { stateless: flags.stateless === true, timeoutMs, signal: over.signal });
      stop();
      if (over.signal.aborted) process.exitCode = EXIT.cancelled;
    });
}

interface Settings {
  readonly stateless: boolean;
  readonly timeoutMs: number;
  /** Read no more. */
  readonly signal: AbortSignal;
}

async function runLines(gate: Gate, settings: Settings): Promise<void> {
  const sessions = new Map<string, Promise<Session>>();
  const underWay = new Map<string, Set<Promise<unknown>>>();
  for await (const line of requestLines(requestSchema, settings.signal)) {
    if ('outcome' in line) {
      print(line);
      continue;
    }
    const { id, request } = line;
    const name = request.session ?? 'main';
    const running = underWay.get(name) ?? new Set();
    underWay.set(name, running);
    while (running.size >= AHEAD) await Promise.race(running);
    // Opened on first use; opening is awaited here so that one session's requests keep their order.
    const opened = sessions.get(name) ?? gate.openSession({ label: name, mode: settings.stateless ? 'stateless' : 'persistent' });
    sessions.set(name, opened);
    const labels = { id, session: name };
    const session = await opened.catch((error: unknown) => refusedToOpen(error));
    if ('outcome' in session) {
      sessions.delete(name); // what was missing may be there for a later line
      print(resultLine(labels, session));
      continue;
    }
    const done = runOne(session, request, settings).then(
      result => print(resultLine(labels, result, session.cwd)),
      (error: unknown) => print(invalidBy(error, id)),
    );
    running.add(done);
    void done.finally(() => running.delete(done));
  }
  await Promise.all([...underWay.values()].flatMap(running => [...running]));
}

/** A session that cannot be opened refuses its lines; those of other sessions go on. */
function refusedToOpen(error: unknown): Refusal {
  const code = codeOf(error);
  if (code === undefined) throw error;
  return { outcome: 'refused', by: 'session', code: code as Refusal['code'], reason: (error as Error).message };
}

async function runOne(session: Session, request: BatchRequest, settings: Settings): Promise<Awaited<Execution['result']>> {
  const options: RunOptions = {
    principal,
    timeoutMs: request.timeoutMs ?? settings.timeoutMs,
    ...(request.tty !== undefined && { tty: request.tty }),
    ...(request.stdin !== undefined && { stdin: request.stdin }),
    ...(request.background !== undefined && { background: request.background }),
  };
  const execution = session.start(request.command, options);
  if (request.cancelAfterMs === undefined) return execution.result;
  const cancel = () => execution.cancel('cancelled after cancelAfterMs');
  const stop = atTime(systemClock, Date.now() + request.cancelAfterMs, cancel);
  return execution.result.finally(stop);
}
