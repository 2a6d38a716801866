import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Execution } from '../../contract/execution.js';
import type { Gate, Session } from '../../contract/gate.js';
import type { Principal } from '../../contract/principal.js';
import type { RunOptions } from '../../contract/request.js';
import { commandTextSchema } from '../../contract/request.js';
import { createGate } from '../../create-gate.js';
import { approversFor } from '../approvers.js';
import { type CommonFlags, gateOptions, withRunOptions } from '../options.js';
import { print } from '../output.js';
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
      '\nA request: {"command": "ls", "id"?, "session"?, "tty"?, "stdin"?, "timeoutMs"?, "cancelAfterMs"?, "background"?}',
    )
    .action(async (flags: Flags) => {
      const options = gateOptions(flags);
      await using gate = await createGate({
        ...options,
        approver: approversFor(flags),
        chain: 'day',
        answerSocket: { label: 'batch' },
      });
      await runLines(gate, { stateless: flags.stateless === true, timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS });
    });
}

interface Settings {
  readonly stateless: boolean;
  readonly timeoutMs: number;
}

async function runLines(gate: Gate, settings: Settings): Promise<void> {
  const sessions = new Map<string, Promise<Session>>();
  const underWay = new Map<string, Set<Promise<unknown>>>();
  let number = 0;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === '') continue;
    const request = parseLine(line, number);
    if (!request) continue;
    const name = request.session ?? 'main';
    const running = underWay.get(name) ?? new Set();
    underWay.set(name, running);
    while (running.size >= AHEAD) await Promise.race(running);
    // Opened on first use; opening is awaited here so that one session's requests keep their order.
    const opened = sessions.get(name) ?? gate.openSession({ label: name, mode: settings.stateless ? 'stateless' : 'persistent' });
    sessions.set(name, opened);
    const labels = { id: request.id ?? number, session: name };
    const done = runOne(await opened, request, settings).then(result => print(resultLine(labels, result)));
    running.add(done);
    void done.finally(() => running.delete(done));
  }
  await Promise.all([...underWay.values()].flatMap(running => [...running]));
}

function parseLine(line: string, number: number): BatchRequest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    print({
      id: number,
      outcome: 'invalid',
      code: 'NOT_JSON',
      reason: `line ${number} is not JSON: ${(error as Error).message}`,
    });
    return undefined;
  }
  const parsed = requestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const given = (value as { id?: unknown } | null)?.id;
  const id = typeof given === 'string' || typeof given === 'number' ? given : number;
  const field = issue.path.join('.');
  print({ id, outcome: 'invalid', code: 'REQUEST_INVALID', reason: field ? `${field}: ${issue.message}` : issue.message });
  return undefined;
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
  const timer = setTimeout(() => execution.cancel('cancelAfterMs'), request.cancelAfterMs);
  return execution.result.finally(() => clearTimeout(timer));
}
