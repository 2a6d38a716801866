import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answerKey, signAnswer, signerOf } from '../../src/approval/signature.js';
import { connectGate } from '../../src/approval/socket-client.js';
import { type AnswerSocketOptions, openAnswerSocket } from '../../src/approval/socket-server.js';
import { gatePids, type Peer, tripped } from '../../src/approval/tripwire.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { never, no, question, queueOf, yes } from './fixture.js';

/** Runs until the test is over. */
function running(argv: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(argv[0]!, argv.slice(1), { stdio: 'ignore', env: { PATH: process.env['PATH'] ?? '', ...env } });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  return child;
}

const until = async (holds: () => boolean) => {
  for (const end = Date.now() + 5_000; !holds() && Date.now() < end; ) await new Promise(resolve => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
};

/** A gated shell, and a command in it that detaches twice and clears its environment. */
async function evading(): Promise<{ shell: number; pid: number }> {
  const file = join(temporaryDirectory(), 'pid');
  const script = `(setsid env -i sh -c 'echo $$ > "${file}.part"; mv "${file}.part" "${file}"; exec sleep 30' &) ; exec sleep 30`;
  const shell = running(['/bin/sh', '-c', script], { SHELLGATE_COMMAND: 'c1' });
  await until(() => existsSync(file));
  const pid = Number(readFileSync(file, 'utf8'));
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  const orphaned = () => !execFileSync('ps', ['-o', 'ppid=', '-p', `${pid}`], { encoding: 'utf8' }).includes(`${shell.pid}`);
  await until(orphaned);
  return { shell: shell.pid!, pid };
}

async function gate(options: Partial<AnswerSocketOptions>) {
  const all = queueOf([]);
  const socket = await openAnswerSocket({
    approvals: all.approvals,
    label: 'mcp',
    directory: join(temporaryDirectory(), 'run'),
    keepOpen: true,
    shells: () => [],
    onEvent: (type, data) => all.events.push({ type, data: data as Record<string, unknown> }),
    ...options,
  });
  onTestFinished(async () => {
    await all.queue.close();
    await socket.close();
  });
  /** One call as any process could make it. */
  async function call(request: object): Promise<unknown> {
    const raw = connect(socket.path);
    let text = '';
    raw.setEncoding('utf8').on('data', data => {
      text += data;
    });
    raw.write(`${JSON.stringify({ id: 1, ...request })}\n`);
    await until(() => text.split('\n').length > 2);
    raw.destroy();
    return JSON.parse(text.split('\n')[1]!).result;
  }
  const answering = (peer: Peer, answer: object) => call({ method: 'answer', peer, label: 'x', answer });
  return { ...all, socket, call, answering };
}

describe('the tripwire', () => {
  const here = { pid: process.pid };

  test('lets a process pass that has nothing to do with a gate', () => {
    const child = running(['/bin/sleep', '30']);
    expect(tripped({ pid: child.pid! }, [], [])).toBeUndefined();
  });

  test('stops what descends from a gated session', () => {
    verifies('P3');
    const child = running(['/bin/sh', '-c', 'sleep 30; true']);
    expect(tripped({ pid: child.pid! }, [{ pid: process.pid, session: 'main' }], [])).toBe(
      'this process descends from gated session main',
    );
    expect(tripped(here, [{ pid: process.pid, session: 'main' }], [])).toContain('gated session main');
  });

  test('stops what descends from another gate', () => {
    const child = running(['/bin/sleep', '30']);
    expect(tripped({ pid: child.pid! }, [], [process.pid])).toBe(`this process descends from another gate (pid ${process.pid})`);
  });

  test('stops what carries the mark of a gated command, said or not', async () => {
    verifies('P3');
    const child = running(['/bin/sleep', '30'], { SHELLGATE_COMMAND: 'c1' });
    await until(() => readFileSync(`/proc/${child.pid}/environ`, 'latin1').includes('SHELLGATE_COMMAND'));
    expect(tripped({ pid: child.pid! }, [], [])).toBe('this process runs inside a gated command');
    expect(tripped({ ...here, marker: 'c1' }, [], [])).toBe('this process runs inside a gated command');
  });

  test('stops who says to be nobody', () => {
    expect(tripped({ pid: 2 ** 22 + 1 }, [], [])).toContain('is not there');
  });

  test('reads whose a socket is from its name', () => {
    const directory = temporaryDirectory();
    for (const name of ['gate-12-ab.sock', 'gate-x.sock', 'notes', 'gate-34-cd.sock.part'])
      writeFileSync(join(directory, name), '');
    expect(gatePids(directory)).toEqual([12]);
    expect(gatePids(join(directory, 'nowhere'))).toEqual([]);
  });
});

describe('at the socket', () => {
  test('a gated process may neither answer nor watch nor resume, and each try is recorded', async () => {
    verifies('P3');
    const shell = running(['/bin/sleep', '30']);
    const { answering, call, queue, ask, events, socket, approvals } = await gate({
      shells: () => [{ pid: shell.pid!, session: 'main' }],
    });
    const asked = ask();
    const outcome = queue.answer(asked, never());
    const peer = { pid: shell.pid! };
    const refused = { accepted: false, code: 'ANSWER_REFUSED', reason: 'this process descends from gated session main' };
    expect(await answering(peer, yes(asked))).toEqual(refused);
    expect(await call({ method: 'watch', peer })).toEqual({ refused });
    expect(await call({ method: 'resume', peer, principal: 'x' })).toEqual(refused);
    expect(socket.watchers).toBe(0);
    expect(events).toMatchObject([
      { type: 'answer.refused', data: { code: 'ANSWER_REFUSED', question: asked.id, outcome: 'approved', peer } },
      { type: 'answer.refused', data: { watch: true } },
      { type: 'answer.refused', data: { resume: 'x' } },
    ]);
    expect(await approvals.pending()).toHaveLength(1);
    await queue.close();
    await outcome;
  });

  test('by default whatever descends from the gate’s own process counts as gated', async () => {
    const all = queueOf([]);
    const socket = await openAnswerSocket({
      approvals: all.approvals,
      label: 'run',
      directory: join(temporaryDirectory(), 'run'),
      onEvent: () => {},
    });
    onTestFinished(() => socket.close());
    const client = (await connectGate(socket.path))!;
    expect(await client.answer(yes(question()))).toMatchObject({ code: 'ANSWER_REFUSED' });
    client.close();
  });

  test('a double fork with a cleared environment EVADES it: known, not a boundary', async () => {
    const { shell, pid } = await evading();
    const { answering, queue, ask } = await gate({ shells: () => [{ pid: shell, session: 'main' }] });
    const asked = ask();
    const outcome = queue.answer(asked, never());
    expect(await answering({ pid }, yes(asked))).toEqual({ accepted: true }); // docs/threat-model.md
    expect(await outcome).toMatchObject({ outcome: 'approved', level: 'same-user' });
  });

  test('but where policy asks for a key it gets nowhere, whatever it says of itself', async () => {
    verifies('P3');
    const { shell, pid } = await evading();
    const { publicKey } = generateKeyPairSync('ed25519');
    const { answering, call, queue, ask, approvals } = await gate({
      shells: () => [{ pid: shell, session: 'main' }],
      keys: [{ label: 'phone', key: publicKey }],
    });
    const asked = ask('git push --force', { evaluation: { level: 'keyed' } });
    const outcome = queue.answer(asked, never());
    const claimed = yes(asked, { level: 'keyed' });
    expect(await answering({ pid }, claimed)).toMatchObject({ code: 'LEVEL_TOO_LOW' });
    const forged = signAnswer(asked, claimed, generateKeyPairSync('ed25519').privateKey);
    expect(await call({ method: 'answer', peer: { pid }, label: 'x', answer: claimed, signature: forged })).toMatchObject({
      code: 'LEVEL_TOO_LOW',
    });
    expect(await approvals.pending()).toHaveLength(1);
    await queue.close();
    await outcome;
  });
});

describe('a signature', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keys = [{ label: 'phone', key: publicKey }];
  const asked = question();
  const rule = { id: 'r', decision: 'allow', command: 'npm **' } as const;

  test('lifts an answer to keyed, and names its key', async () => {
    verifies('P3');
    const { socket, queue, ask } = await gate({ keys });
    const open = ask('git push --force', { evaluation: { level: 'keyed' } });
    const outcome = queue.answer(open, never());
    const client = (await connectGate(socket.path))!;
    expect(await client.answer(yes(open), signAnswer(open, yes(open), privateKey))).toEqual({ accepted: true });
    expect(await outcome).toMatchObject({ level: 'keyed', approver: { id: 'key phone', label: 'phone' } });
    client.close();
  });

  test('fits the question and the answer it was made for', () => {
    const answer = yes(asked, { remember: { scope: 'session', rule } });
    const signature = signAnswer(asked, answer, privateKey);
    expect(signerOf(asked, { answer, signature }, keys)?.label).toBe('phone');
    const reordered = yes(asked, { remember: { rule: { command: 'npm **', decision: 'allow', id: 'r' }, scope: 'session' } });
    expect(signerOf(asked, { answer: reordered, signature }, keys)?.label).toBe('phone');
  });

  test.each<[string, object]>([
    ['another digest', { digest: 'beef' }],
    ['another question', { questionId: 'zzzz' }],
    ['a wider rule', { remember: { scope: 'session', rule: { ...rule, command: '**' } } }],
    ['for longer', { remember: { scope: 'always', rule } }],
    ['another outcome', { outcome: 'denied', how: 'answered' }],
    ['an edit', { outcome: 'edited', text: 'rm -rf x' }],
  ])('fits nothing else: %s', (_name, change) => {
    verifies('P4');
    const answer = yes(asked, { remember: { scope: 'session', rule } });
    const signature = signAnswer(asked, answer, privateKey);
    expect(signerOf(asked, { answer: { ...answer, ...change } as never, signature }, keys)).toBeUndefined();
  });

  test('fits no later question of the same name, no other answer, and no key that is not known', () => {
    const answer = yes(asked);
    const signature = signAnswer(asked, answer, privateKey);
    expect(signerOf({ askedAt: '2030-01-01T00:00:00.000Z' }, { answer, signature }, keys)).toBeUndefined();
    expect(signerOf(asked, { answer: no(asked), signature }, keys)).toBeUndefined();
    expect(signerOf(asked, { answer, signature }, [])).toBeUndefined();
    expect(signerOf(asked, { answer, signature: 'no base64 !' }, keys)).toBeUndefined();
  });

  test('a key from a file: PEM or base64, Ed25519 only', () => {
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const base64 = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    for (const text of [pem, base64]) expect(answerKey('phone', text).key.equals(publicKey)).toBe(true);
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const text of [ec, 'x', '']) expect(() => answerKey('phone', text)).toThrow(/the key of phone is no Ed25519 public key/);
  });
});
