import { expect, test } from 'vitest';
import type { Execution } from '../../src/contract/execution.js';
import type { Gate, Session } from '../../src/contract/gate.js';
import type { Question } from '../../src/contract/question.js';
import type { CommandResult } from '../../src/contract/result.js';
import { type Call, Calls } from '../../src/mcp/calls.js';
import { Sessions } from '../../src/mcp/sessions.js';
import { wholeCharacters } from '../../src/mcp/tools/shell-output.js';
import { arrival } from '../../src/mcp/wait.js';

const DONE: CommandResult = { outcome: 'refused', by: 'caller', code: 'CANCELLED', reason: 'done' };
const QUESTION = { id: 'k7qd', evaluation: { digest: '3f9a81' } } as Question;

function added(calls: Calls, session: Session, background = false): Call & { end(): Promise<void> } {
  let settle!: (result: CommandResult) => void;
  const result = new Promise<CommandResult>(resolve => {
    settle = resolve;
  });
  const status = async () => ({ phase: 'queued' }) as const;
  const execution = { id: `e${Math.random()}`, result, status } as unknown as Execution;
  const call = calls.add({ session, text: 'x', background, tty: false, deadlineMs: 1, execution });
  const end = async () => {
    settle(DONE);
    await result;
    await Promise.resolve();
  };
  return Object.assign(call, { end });
}

test('a question holds its own call and those behind it in the same session, nothing else', async () => {
  const calls = new Calls();
  const [one, two] = [{} as Session, {} as Session];
  const [before, asking, behind, elsewhere] = [added(calls, one), added(calls, one), added(calls, one), added(calls, two)];
  const holders = () => [before, asking, behind, elsewhere].map(call => calls.holding(call)?.name);
  expect(holders()).toEqual([undefined, undefined, undefined, undefined]);
  asking.question = QUESTION;
  expect(holders()).toEqual([undefined, 'c2', 'c2', undefined]);
  await asking.end();
  expect(holders()).toEqual([undefined, undefined, undefined, undefined]);
  for (const call of [before, behind, elsewhere]) await call.end();
});

test('results are kept, the oldest forgotten; unfinished calls never are', async () => {
  const calls = new Calls();
  const session = {} as Session;
  const running = added(calls, session);
  for (let i = 0; i < 105; i++) await added(calls, session).end();
  expect(calls.find({ command: running.name })).toBe(running);
  expect(() => calls.find({ command: 'c2' })).toThrow('no command c2 is known here');
  expect(calls.find({ command: 'c106' }).result).toBe(DONE);
  await running.end();
});

test('waiting: for a person as long as asked, for a result as long as it takes', async () => {
  const calls = new Calls();
  const call = added(calls, {} as Session);
  expect(await arrival(calls, call, { answerMs: 5, totalMs: 20 })).toEqual({ kind: 'late' });
  call.question = QUESTION;
  expect(await arrival(calls, call, { answerMs: 5 })).toEqual({ kind: 'pending', holder: call });
  const waiting = arrival(calls, call, { answerMs: 10_000 });
  call.carried = { question: QUESTION, sent: false, hear: () => {} };
  calls.notify();
  expect(await waiting).toEqual({ kind: 'carry', carried: call.carried });
  call.carried.sent = true;
  const finishing = arrival(calls, call, { answerMs: 10_000 });
  await call.end();
  expect(await finishing).toEqual({ kind: 'finished', result: DONE });
});

test('sessions: one by default, others by their id; a closed one is replaced', async () => {
  let count = 0;
  const gate = { openSession: async () => ({ id: `s${++count}` }) as Session } as Gate;
  const sessions = new Sessions(gate);
  const [first, again] = await Promise.all([sessions.get(), sessions.get()]);
  expect([first.id, again.id]).toEqual(['s1', 's1']);
  const other = await sessions.get('new');
  expect([other.id, (await sessions.get('s2')).id, (await sessions.get('s1')).id]).toEqual(['s2', 's2', 's1']);
  await sessions.forget(first);
  await sessions.forget(other);
  await expect(sessions.get('s2')).rejects.toMatchObject({ code: 'UNKNOWN_SESSION' });
  expect((await sessions.get()).id).toBe('s3');
});

test('sessions: one that could not be opened is tried again', async () => {
  let count = 0;
  const openSession = async () => {
    if (++count === 1) throw new Error('no shell');
    return { id: 's' } as Session;
  };
  const sessions = new Sessions({ openSession } as unknown as Gate);
  await expect(sessions.get()).rejects.toThrow('no shell');
  expect((await sessions.get()).id).toBe('s');
});

test.each([
  ['€', 1, 0],
  ['€', 2, 0],
  ['€', 3, 3],
  ['a€', 2, 1],
  ['a😀', 4, 1],
  ['a😀', 5, 5],
  ['é', 2, 2],
])('%s cut at byte %i: %i bytes are whole', (text, at, whole) => {
  const bytes = Buffer.from(text).subarray(0, at);
  expect(wholeCharacters(bytes, { isLast: false, isFull: false }).bytes).toBe(whole);
  expect(wholeCharacters(bytes, { isLast: false, isFull: true }).bytes, 'it always gets on').toBe(whole || at);
  expect(wholeCharacters(bytes, { isLast: true, isFull: false }).bytes).toBe(at);
});

test('bytes that are no text are passed on, not waited for', () => {
  const edge = { isLast: false, isFull: false };
  expect(wholeCharacters(Buffer.from([0x80, 0x80, 0x80, 0x80]), edge).bytes).toBe(4);
  expect(wholeCharacters(Buffer.from([0x61, 0xff]), edge).bytes).toBe(2);
});
