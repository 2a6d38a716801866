import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callbackApprover } from '../../src/approval/callback.js';
import { connectGate, findQuestion, type GateConnection, listGates } from '../../src/approval/socket-client.js';
import { type AnswerSocketOptions, openAnswerSocket } from '../../src/approval/socket-server.js';
import { watchGates } from '../../src/approval/watch.js';
import type { Accepted, Question } from '../../src/contract/question.js';
import { shownId } from '../../src/contract/question.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { type Asked, channel, never, no, queueOf, settled, yes } from './fixture.js';

/** A gate with an answer socket in this process, and one who is connected to it. */
async function gate(options: Partial<AnswerSocketOptions> = {}) {
  const directory = options.directory ?? join(temporaryDirectory(), 'run');
  const all = queueOf([]);
  const socket = await openAnswerSocket({
    approvals: all.approvals,
    label: 'mcp',
    directory,
    keepOpen: true,
    shells: () => [],
    onEvent: (type, data) => all.events.push({ type, data: data as Record<string, unknown> }),
    ...options,
  });
  onTestFinished(async () => {
    await all.queue.close();
    await socket.close();
  });
  const client = (await connectGate(socket.path))!;
  onTestFinished(() => client.close());
  /** A question that waits, and how it ends. */
  function waiting(text = 'npm ci', change: Asked = {}) {
    const asked = all.ask(text, change);
    return { asked, outcome: all.queue.answer(asked, never()) };
  }
  return { ...all, directory, socket, client, waiting };
}

function listener() {
  const heard: unknown[] = [];
  return {
    heard,
    asked: (question: Question) => heard.push(['asked', question.id]),
    ended: (id: string, sentence: string) => heard.push(['ended', id, sentence]),
    gone: () => heard.push('gone'),
  };
}

const until = async (holds: () => boolean) => {
  for (const end = Date.now() + 5_000; !holds() && Date.now() < end; ) await new Promise(resolve => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
};

describe('the way to answer from elsewhere', () => {
  test('lists what waits, carries the answer, and says itself who gave it and how surely', async () => {
    verifies('P3', 'P4');
    const { client, waiting } = await gate();
    const { asked, outcome } = waiting();
    expect(await client.pending()).toEqual([asked]);
    const claimed = { level: 'separate-user', channel: 'terminal', approver: { kind: 'person', id: 'root', label: 'root' } };
    expect(await client.answer(yes(asked, claimed))).toEqual({ accepted: true });
    expect(await outcome).toMatchObject({
      outcome: 'approved',
      channel: 'socket',
      level: 'same-user',
      approver: { kind: 'person', id: `uid ${process.getuid!()} pid ${process.pid}` },
    });
    expect(await client.pending()).toEqual([]);
  });

  test('is only the user’s own, and is gone when it is closed', async () => {
    const { socket, directory } = await gate();
    expect(lstatSync(socket.path).mode & 0o777).toBe(0o600);
    expect(lstatSync(directory).mode & 0o777).toBe(0o700);
    await socket.close();
    expect(existsSync(socket.path)).toBe(false);
  });

  test('is not opened where others could be, nor with a name that is too long', async () => {
    const open = join(temporaryDirectory(), 'run');
    mkdirSync(open);
    chmodSync(open, 0o777);
    await expect(gate({ directory: open })).rejects.toMatchObject({ code: 'PLACE_UNSAFE' });
    await expect(listGates(open)).rejects.toMatchObject({ code: 'PLACE_UNSAFE' });
    const long = join(temporaryDirectory(), 'x'.repeat(100));
    await expect(gate({ directory: long })).rejects.toMatchObject({ code: 'PLACE_UNAVAILABLE' });
  });

  test.each<[string, (asked: Question) => Parameters<GateConnection['answer']>[0], string]>([
    ['an answer with another digest', asked => yes(asked, { digest: 'beef' }), 'ANSWER_FOREIGN'],
    ['an answer to nothing', asked => yes(asked, { questionId: 'zzzz' }), 'UNKNOWN_QUESTION'],
    ['no answer at all', () => ({ outcome: 'unavailable', reason: 'x' }) as never, 'ANSWER_FOREIGN'],
  ])('refuses %s', async (_name, answer, code) => {
    verifies('P4');
    const { client, waiting } = await gate();
    const { asked } = waiting();
    expect(await client.answer(answer(asked))).toMatchObject({ accepted: false, code });
    expect(await client.pending()).toHaveLength(1);
  });

  test('five at the same instant over five connections: one wins, four are told', async () => {
    verifies('P3');
    const { socket, waiting } = await gate();
    const clients = await Promise.all([1, 2, 3, 4, 5].map(async () => (await connectGate(socket.path))!));
    for (let round = 0; round < 20; round++) {
      const { asked, outcome } = waiting(`echo ${round}`);
      const told = await Promise.all(clients.map(client => client.answer(yes(asked))));
      expect(told.filter(each => each.accepted)).toHaveLength(1);
      expect(told.filter(each => !each.accepted && each.code === 'ALREADY_ANSWERED')).toHaveLength(4);
      expect(await outcome).toMatchObject({ outcome: 'approved' });
    }
    for (const client of clients) client.close();
  });

  test('what a person sees is made on this side, from the bytes that would run', async () => {
    verifies('P4');
    const { asked } = (await gate()).waiting('rm -rf x\u202e');
    const lying = { ...asked, display: { text: 'ls', warnings: [] } };
    const { approvals } = queueOf([]);
    const { client } = await gate({ approvals: { ...approvals, pending: async () => [lying] } });
    expect((await client.pending())[0]!.display).toEqual(asked.display);
    const shown: Question[] = [];
    await client.watch({ ...listener(), asked: question => void shown.push(question) });
    expect(shown[0]!.display.text).toBe('rm -rf x<U+202E>');
  });

  test('a paused principal is shown and let go', async () => {
    const { client, waiting, events } = await gate();
    for (const text of ['one', 'two', 'three']) {
      const { asked, outcome } = waiting(text);
      await client.answer(no(asked));
      await outcome;
    }
    const [paused] = await client.paused();
    expect(await client.resume(paused!.id)).toEqual({ accepted: true });
    expect(await client.paused()).toEqual([]);
    expect(events.map(event => event.type)).toEqual(['principal.paused', 'principal.resumed']);
  });

  test('nonsense is told so, or ends its own connection and no other', async () => {
    const { socket, client } = await gate();
    const lines: string[] = [];
    const raw = connect(socket.path).on('data', data => lines.push(...String(data).trim().split('\n')));
    raw.write('{"id":7,"method":"approve"}\n{"id":8,"method":"answer"}\n');
    await until(() => lines.length >= 3);
    expect(lines.slice(1).map(line => JSON.parse(line))).toMatchObject([
      { id: 7, error: { code: 'REQUEST_INVALID' } },
      { id: 8, error: { code: 'REQUEST_INVALID' } },
    ]);
    raw.write('not json\n');
    await once(raw, 'close');
    expect(await client.pending()).toEqual([]);
  });
});

describe('a watcher', () => {
  test('is told what waits, what comes, how it ends, and that the gate is gone', async () => {
    const { client, waiting, socket, approvals, queue } = await gate();
    const first = waiting('one');
    const to = listener();
    expect(await client.watch(to)).toEqual({ accepted: true });
    const second = waiting('two');
    await approvals.answer(no(second.asked));
    await second.outcome;
    await until(() => to.heard.length >= 3);
    expect(to.heard).toEqual([
      ['asked', first.asked.id],
      ['asked', second.asked.id],
      ['ended', second.asked.id, expect.stringMatching(/^denied by ana \(test\) at /)],
    ]);
    await queue.close();
    await socket.close();
    await until(() => to.heard.at(-1) === 'gone');
    await expect(client.pending()).rejects.toThrow('the gate went away');
  });

  test('keeps questions open by being there; with the last one goes the last hope', async () => {
    verifies('P3');
    const { client, waiting, socket } = await gate({ keepOpen: false });
    expect(await waiting('nobody').outcome).toMatchObject({ code: 'NOBODY_TO_ASK' });
    await client.watch(listener());
    const { outcome } = waiting('somebody');
    await settled();
    expect(socket.watchers).toBe(1);
    client.close();
    expect(await outcome).toMatchObject({ by: 'nobody', code: 'NOBODY_TO_ASK' });
  });
});

describe('finding gates', () => {
  test('all of this user, with what each is; a question by the name a person types', async () => {
    const directory = join(temporaryDirectory(), 'run');
    const [one, two] = [await gate({ directory, label: 'mcp' }), await gate({ directory, label: 'run' })];
    const { asked } = two.waiting();
    const gates = await listGates(directory);
    expect(gates.map(each => [each.label, each.pid]).sort()).toEqual([
      ['mcp', process.pid],
      ['run', process.pid],
    ]);
    expect(await findQuestion(gates, asked.id)).toMatchObject([{ gate: { label: 'run' }, question: { id: asked.id } }]);
    expect(await findQuestion(gates, shownId(asked))).toHaveLength(1);
    expect(await findQuestion(gates, `${asked.id}-beef`)).toEqual([]);
    expect(await listGates(directory, new Set([one.socket.path, two.socket.path]))).toEqual([]);
    for (const each of gates) each.close();
  });

  /** A socket file that nobody listens at, as a killed process leaves it. */
  async function stale(directory: string, pid: number): Promise<string> {
    const path = join(directory, `gate-${pid}-beef.sock`);
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', script]), 'close');
    return path;
  }

  test('the socket of a dead process is removed, that of a living one is left', async () => {
    const directory = join(temporaryDirectory(), 'run');
    mkdirSync(directory, { mode: 0o700 });
    const [dead, living] = [await stale(directory, 2 ** 22 + 1), await stale(directory, process.pid)];
    writeFileSync(join(directory, 'notes.txt'), '');
    expect(await listGates(directory)).toEqual([]);
    expect([existsSync(dead), existsSync(living), existsSync(join(directory, 'notes.txt'))]).toEqual([false, true, true]);
  });

  test('who does not speak as a gate is none', async () => {
    const directory = join(temporaryDirectory(), 'run');
    mkdirSync(directory, { mode: 0o700 });
    const path = join(directory, `gate-${process.pid}-beef.sock`);
    const server = createServer(socket => {
      socket.on('error', () => {});
      socket.write('{"shellgate":99,"pid":1,"label":"x"}\n');
    });
    await once(server.listen(path), 'listening');
    expect(await connectGate(path)).toBeUndefined();
    await new Promise(done => server.close(done));
  });
});

describe('pending --watch', () => {
  test('puts every question of every gate to one approver, and what is answered elsewhere is taken away', async () => {
    verifies('P3');
    const directory = join(temporaryDirectory(), 'run');
    const [one, two] = [await gate({ directory }), await gate({ directory })];
    const first = one.waiting('yes please');
    const elsewhere = one.waiting('answered elsewhere');
    const ended = new AbortController();
    const answered: [string, Accepted][] = [];
    const reasons: unknown[] = [];
    const approver = callbackApprover((question, signal) => {
      if (question.request.text !== 'answered elsewhere') return 'approved';
      return new Promise(resolve => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          resolve('denied');
        });
      });
    });
    const watching = watchGates(
      { approver, directory, onAnswered: (question, accepted) => answered.push([question.request.text, accepted]) },
      ended.signal,
    );
    expect(await first.outcome).toMatchObject({ outcome: 'approved', channel: 'socket' });
    await one.approvals.answer(yes(elsewhere.asked));
    const second = two.waiting('of the other');
    expect(await second.outcome).toMatchObject({ outcome: 'approved' });
    await until(() => reasons.length === 1 && answered.length === 2);
    expect(reasons[0]).toMatch(/^allowed once by ana/);
    ended.abort();
    await watching;
    expect(answered.map(([text, accepted]) => [text, accepted.accepted])).toEqual([
      ['yes please', true],
      ['of the other', true],
    ]);
  });
});

test('a channel in this process and the socket race like any two', async () => {
  const local = channel();
  const { approvals, waiting, client } = await gate();
  approvals.attach(local.approver);
  const { asked, outcome } = waiting();
  local.say(no(asked));
  expect(await outcome).toMatchObject({ code: 'APPROVAL_DENIED' });
  expect(await client.answer(yes(asked))).toMatchObject({ code: 'ALREADY_ANSWERED' });
});
