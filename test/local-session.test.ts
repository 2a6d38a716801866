import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifyAudit } from '../src/audit/verify.js';
import type { Answer } from '../src/contract/answer.js';
import type { Execution, Screen } from '../src/contract/execution.js';
import type { Session } from '../src/contract/gate.js';
import type { Question } from '../src/contract/question.js';
import { createGate } from '../src/create-gate.js';
import { callback } from '../src/index.js';
import { temporaryDirectory } from './helpers/cli.js';
import { verifies } from './helpers/verifies.js';

// Typing is a command (P9): real programs on real terminals, behind a real gate.

type Say = (question: Question) => Promise<Answer['outcome'] & ('approved' | 'denied')> | ('approved' | 'denied');

/** Every command is allowed by its question; what is said about keys is the test's. */
async function typing(say: Say = () => 'approved', policy?: string) {
  const cwd = temporaryDirectory();
  process.env['XDG_STATE_HOME'] = join(cwd, 'state');
  const audit = join(cwd, 'audit');
  const file = join(cwd, 'policy.toml');
  if (policy !== undefined) writeFileSync(file, policy, { mode: 0o600 });
  const asked: Question[] = [];
  const gate = await createGate({
    policy: policy === undefined ? 'ask-all' : file,
    audit,
    cwd,
    approver: callback(question => {
      if (question.request.kind === 'command') return 'approved';
      asked.push(question);
      return say(question);
    }),
  });
  onTestFinished(() => gate.close());
  const log = () =>
    readdirSync(audit)
      .filter(name => name.endsWith('.jsonl'))
      .map(name => readFileSync(join(audit, name), 'utf8'))
      .join('');
  const ofInput = (id: string) =>
    log()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(record => record.command === id);
  return { cwd, audit, gate, asked, session: await gate.openSession(), log, ofInput };
}

async function showing(running: Execution, what: string | ((screen: Screen) => boolean)): Promise<Screen> {
  const seen = typeof what === 'string' ? ({ lines }: Screen) => lines.join('\n').includes(what) : what;
  await expect.poll(async () => seen((await running.screen()) ?? EMPTY), { timeout: 10_000 }).toBe(true);
  return (await running.screen())!;
}
const EMPTY: Screen = { version: 0, cols: 0, rows: 0, lines: [], cursor: { x: 0, y: 0 }, alternate: false };

const prompting = async (session: Session, text = 'read -p "name? " v; echo "<$v>"'): Promise<Execution> => {
  const running = session.start(text, { tty: true });
  await showing(running, 'name? ');
  return running;
};

test('keys pass the gate: judged, asked about, recorded, then typed', async () => {
  verifies('P1', 'P2', 'P9');
  const { session, asked, ofInput, audit, gate } = await typing();
  const running = await prompting(session);
  const typed = session.send(running.id, 'ana\r', { description: 'it wants a name' });
  expect(await typed.result).toEqual({ outcome: 'written', bytes: 4 });
  expect(await running.result).toMatchObject({ outcome: 'exited', stdout: { text: expect.stringContaining('<ana>') } });
  expect(asked).toMatchObject([
    {
      request: { kind: 'input', commandId: running.id, text: 'ana\r', description: 'it wants a name' },
      state: { waiting: { commandId: running.id, command: expect.stringContaining('read -p') } },
      display: { warnings: [expect.stringContaining('U+000D')] },
      evaluation: { decision: 'ask', suggestions: [] },
    },
  ]);
  const records = ofInput(typed.id);
  const judged = ['facts.queried', 'command.evaluated'];
  const between = [...judged, 'approval.requested', 'approval.answered', ...judged];
  expect(records.map(({ type }) => type)).toEqual(['input.requested', ...between, 'input.started', 'input.written']);
  expect(records[0].data).toMatchObject({ bytes: 4, commandId: running.id });
  expect(records[0].data).not.toHaveProperty('text');
  expect(records.at(-1).data).toEqual({ outcome: 'written', bytes: 4 });
  await gate.close();
  expect((await verifyAudit(audit)).intact).toBe(true);
});

test('a no is a no: the program gets nothing', async () => {
  verifies('P3', 'P9');
  const { session } = await typing(() => 'denied');
  const running = await prompting(session, 'read -t 1 -p "name? " v; echo "<$v>"');
  expect(await session.send(running.id, 'ana\r').result).toMatchObject({
    outcome: 'refused',
    by: 'approver',
    code: 'APPROVAL_DENIED',
  });
  expect(await running.result).toMatchObject({ stdout: { text: expect.stringContaining('<>') } });
});

test('no rule allows keys, a rule of the text may deny them', async () => {
  verifies('P3', 'P9');
  const allowAll = "default = 'allow'\n";
  const denies = "[[rule]]\nid = 'no'\ndecision = 'deny'\ntext = 'forbidden'\nreason = 'not that word'\ntell = true\n";
  const { session, asked } = await typing(() => 'approved', allowAll + denies);
  const running = await prompting(session);
  expect(await session.send(running.id, 'forbidden\r').result).toMatchObject({ code: 'POLICY_DENIED', reason: 'not that word' });
  expect(asked).toHaveLength(0);
  expect(await session.send(running.id, 'y\r').result).toMatchObject({ outcome: 'written' });
  expect(asked).toHaveLength(1);
  await running.result;
});

test('what a person makes of the keys is typed, and said', async () => {
  const { session, gate } = await typing(() => new Promise<never>(() => {}));
  const running = await prompting(session);
  const typed = session.send(running.id, 'rm\r');
  await expect.poll(async () => (await gate.approvals.pending()).length).toBe(1);
  const [question] = await gate.approvals.pending();
  const { id: questionId, evaluation } = question!;
  const said = {
    questionId,
    digest: evaluation.digest,
    approver: { kind: 'person', id: 'p', label: 'p' },
    channel: 'test',
    level: 'same-user',
  } as const;
  await gate.approvals.answer({ ...said, outcome: 'edited', text: 'ls\r' });
  await expect.poll(async () => (await gate.approvals.pending())[0]?.request.text).toBe('ls\r');
  const [again] = await gate.approvals.pending();
  await gate.approvals.answer({ ...said, questionId: again!.id, digest: again!.evaluation.digest, outcome: 'approved' });
  expect(await typed.result).toEqual({ outcome: 'written', bytes: 3, ranInstead: 'ls\r' });
  expect(await running.result).toMatchObject({ stdout: { text: expect.stringContaining('<ls>') } });
});

describe('the screen that was looked at', () => {
  test('is the one that is typed into', async () => {
    verifies('P4', 'P9');
    const { session, asked } = await typing();
    const running = await prompting(session);
    const { version } = (await running.screen())!;
    const refused = await session.send(running.id, 'y\r', { screenVersion: version - 1 }).result;
    expect(refused).toMatchObject({
      outcome: 'refused',
      by: 'session',
      code: 'STALE_SCREEN',
      reason: expect.stringContaining(`version ${version}`),
    });
    expect(asked).toHaveLength(0);
    expect(await session.send(running.id, 'y\r', { screenVersion: version }).result).toMatchObject({ outcome: 'written' });
    await running.result;
  });

  test('and still is when the answer comes', async () => {
    verifies('P4', 'P9');
    let release: (() => void) | undefined;
    const { session } = await typing(() => new Promise(resolve => (release = () => resolve('approved'))));
    const running = await prompting(session, 'printf "name? "; sleep 0.5; printf "really? "; read -t 2 v; echo "<$v>"');
    const typed = session.send(running.id, 'y\r');
    await showing(running, 'really?');
    await expect.poll(() => release).toBeDefined();
    release!();
    expect(await typed.result).toMatchObject({ outcome: 'refused', code: 'STALE_SCREEN' });
    expect(await running.result).toMatchObject({ stdout: { text: expect.stringContaining('<>') } });
  });
});

test('a password is nobody’s business here: not asked about, not typed, not in the log', async () => {
  verifies('P9', 'P10');
  const { session, asked, log } = await typing();
  const running = session.start('read -s -t 2 -p "Password: " v; echo "<${#v}>"', { tty: true });
  await showing(running, 'Password: ');
  const refused = await session.send(running.id, 'correct-horse\r').result;
  expect(refused).toMatchObject({ outcome: 'refused', by: 'session', code: 'PASSWORD_ASKED' });
  expect(await running.result).toMatchObject({ stdout: { text: expect.stringContaining('<0>') } });
  expect(asked).toHaveLength(0);
  expect(log()).not.toContain('correct-horse');
});

test('a password asked for with echo on is text like any other', async () => {
  const { session, log } = await typing();
  const running = await prompting(session, 'read -t 2 -p "Password, name? " v');
  expect(await session.send(running.id, 'correct-horse\r').result).toMatchObject({ outcome: 'written' });
  await running.result;
  expect(log()).toContain('correct-horse'); // docs/threat-model.md
});

test.each(['vi', 'less'])('%s is driven by keys', async program => {
  verifies('P9');
  const { session, cwd, asked } = await typing();
  writeFileSync(join(cwd, 'text'), Array.from({ length: 100 }, (_, n) => `line ${n}\n`).join(''));
  const running = session.start(program === 'vi' ? 'vi -u NONE text' : 'less text', { tty: true });
  await showing(running, 'line 0');
  const keys = program === 'vi' ? ['ihello \u001b', ':wq\r'] : ['G', 'q'];
  for (const key of keys) {
    let version = -1;
    // It draws in several goes.
    const isStill = async () => {
      const before = version;
      version = (await running.screen())!.version;
      return version === before;
    };
    await expect.poll(isStill, { interval: 100 }).toBe(true);
    expect(await session.send(running.id, key).result).toMatchObject({ outcome: 'written' });
    if (key === 'G') await showing(running, 'line 99');
  }
  expect(await running.result).toMatchObject({ outcome: 'exited', exitCode: 0 });
  expect(asked[0]?.state.waiting?.program).toMatch(program === 'vi' ? /^vim?(?:\.\w+)?\(\d+\)$/ : /^less\(\d+\)$/);
  if (program === 'vi') expect(readFileSync(join(cwd, 'text'), 'utf8')).toMatch(/^hello line 0\n/);
});

test('keys for a command that is over, that has no terminal, or that is another session’s are refused', async () => {
  const { session, gate, asked } = await typing();
  const code = async (id: string, in_ = session) => (await in_.send(id, 'y\r').result) as { code?: string };
  expect(await code('nothing')).toMatchObject({ code: 'NOT_RUNNING' });
  const captured = session.start('sleep 1');
  await expect.poll(async () => (await captured.status()).phase).toBe('running');
  expect(await code(captured.id)).toMatchObject({ code: 'INPUT_UNSUPPORTED' });
  expect(await code(captured.id, await gate.openSession())).toMatchObject({ code: 'NOT_RUNNING' });
  await captured.result;
  expect(await code(captured.id)).toMatchObject({ code: 'NOT_RUNNING' });
  expect(asked).toHaveLength(0);
  for (const [text, field] of [
    ['', 'text'],
    ['a\0', 'text'],
    ['x'.repeat(64 * 1024 + 1), 'text'],
  ] as const) {
    expect(() => session.send('x', text)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID', place: field }));
  }
  expect(() => session.send('x', 'y', { screenVersion: -1 })).toThrow(expect.objectContaining({ place: 'screenVersion' }));
});

test('a command that ends takes the question about its keys with it, and the next one gets none of them', async () => {
  verifies('P4', 'P9');
  const { session, gate } = await typing(() => new Promise<never>(() => {}));
  const running = await prompting(session, 'printf "name? "; sleep 0.5');
  const typed = session.send(running.id, 'y\r');
  await expect.poll(async () => (await gate.approvals.pending()).length).toBe(1);
  await running.result;
  expect(await typed.result).toMatchObject({
    outcome: 'refused',
    by: 'caller',
    code: 'CANCELLED',
    reason: 'the command it was for has ended',
  });
  expect(await gate.approvals.pending()).toEqual([]);
  expect(await session.run('read -t 0.2 v; echo "<$v>"', { tty: true })).toMatchObject({
    stdout: { text: expect.stringContaining('<>') },
  });
});
