import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callbackApprover, type Reply } from '../../src/approval/callback.js';
import type { Question } from '../../src/contract/question.js';
import { createGate } from '../../src/create-gate.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

// The rows of the policy corpus that only a live session can show (SS-08 and SS-09 are in live.test.ts).

async function opened(say: (question: Question) => Reply | Promise<Reply>, rules = '') {
  const cwd = temporaryDirectory();
  const policy = join(temporaryDirectory(), 'policy.toml');
  writeFileSync(policy, rules, { mode: 0o600 });
  const asked: Question[] = [];
  const gate = await createGate({
    policy: rules === '' ? 'read-only' : policy,
    cwd,
    audit: join(cwd, '.audit'),
    denialsToPause: Number.POSITIVE_INFINITY,
    approver: callbackApprover(question => {
      asked.push(question);
      return say(question);
    }),
  });
  return { cwd, asked, gate, session: await gate.openSession({ cwd }) };
}

const ALLOWING = ['bash -i', 'python3', 'ssh h']
  .map(
    (command, index) =>
      `[[rule]]\nid = 'r${index}'\ndecision = 'allow'\ncommand = '${command}'\neffects = { exec = ['*'], code = ['*'], network = ['h'], read = ['**'] }\n`,
  )
  .join('');

describe('input of a program that is allowed by name', () => {
  test.each([
    ['SS-01', 'bash -i', 'evil\n'],
    ['SS-03', 'python3', "import os; os.system('evil')\n"],
    ['SS-06', 'ssh h', 'evil\n'],
  ])('%s: what %s reads as code asks, although a rule allows the name', async (row, command, stdin) => {
    verifies(row, 'P9');
    const { gate, session, asked } = await opened(() => 'denied', ALLOWING);
    await using _closing = gate;
    expect(await session.run(command, { stdin })).toMatchObject({ outcome: 'refused', by: 'approver' });
    expect(asked).toHaveLength(1);
    expect(asked[0]!.request.stdin).toBe(stdin);
  });

  test('SS-01, SS-03, SS-06, SS-20: keys typed later reach nobody', async () => {
    verifies('SS-01', 'SS-03', 'SS-06', 'SS-20', 'P9');
    const { gate, session, cwd } = await opened(() => 'approved');
    await using _closing = gate;
    const running = session.start('read -t 1 line; echo "$line" > typed');
    for (const keys of ['evil\n', "import os; os.system('evil')\n", '\u001b[201~evil\r']) {
      expect(await session.send(running.id, keys).result).toMatchObject({
        outcome: 'refused',
        code: expect.stringMatching(/^(?:INPUT_UNSUPPORTED|NOT_RUNNING)$/),
      });
    }
    await running.result;
    expect(readFileSync(join(cwd, 'typed'), 'utf8')).toBe('\n');
  });
});

test('SS-12: a moved stdout takes no output of the next command with it', async () => {
  verifies('SS-12', 'P5');
  const { gate, session, cwd } = await opened(() => 'approved');
  await using _closing = gate;
  await session.run('exec > moved');
  const next = await session.run('echo heard');
  expect(next).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: { text: 'heard\n' } });
  expect(existsSync(join(cwd, 'moved')) ? readFileSync(join(cwd, 'moved'), 'utf8') : '').toBe('');
});

test('SS-13: set -e and a failing command end in a result, never in silence', async () => {
  verifies('SS-13', 'P6');
  const { gate, session } = await opened(() => 'approved');
  await using _closing = gate;
  await session.run('set -e');
  const failed = await session.run('false');
  expect(['exited', 'session-lost']).toContain(failed.outcome);
  if (failed.outcome === 'exited') expect(failed.exitCode).toBe(1);
  const next = await session.run('echo on');
  expect(next).toMatchObject({ outcome: 'exited', stdout: { text: 'on\n' } });
  if ('shell' in failed && failed.shell !== 'kept') expect(next).toMatchObject({ sessionRestarted: true });
});

describe('SS-18: an answer holds for what was shown', () => {
  test('a yes under another digest counts for nothing', async () => {
    verifies('SS-18', 'P4');
    const verdicts: unknown[] = [];
    const { gate, session, cwd } = await opened(async (question): Promise<Reply> => {
      const yes = {
        outcome: 'approved',
        channel: 'x',
        level: 'same-user',
        approver: { kind: 'person', id: 'p', label: 'p' },
      } as const;
      verdicts.push(await gate.approvals.answer({ ...yes, questionId: question.id, digest: '0'.repeat(64) }));
      return 'denied';
    });
    await using _closing = gate;
    expect((await session.run('touch made')).outcome).toBe('refused');
    expect(verdicts).toMatchObject([{ accepted: false, code: 'ANSWER_FOREIGN' }]);
    expect(existsSync(join(cwd, 'made'))).toBe(false);
  });

  test('an edit is judged and asked about as the text it is now', async () => {
    verifies('SS-18', 'P4');
    const { gate, session, asked, cwd } = await opened(({ request }) =>
      request.text === 'touch first' ? { outcome: 'edited', text: 'touch second' } : 'denied',
    );
    await using _closing = gate;
    expect((await session.run('touch first')).outcome).toBe('refused');
    expect(asked.map(({ request }) => request.text)).toEqual(['touch first', 'touch second']);
    expect(asked[0]!.evaluation.digest).not.toBe(asked[1]!.evaluation.digest);
    expect(existsSync(join(cwd, 'first')) || existsSync(join(cwd, 'second'))).toBe(false);
  });
});

test('SS-19: a job that was left running gets none of what a later command reads', async () => {
  verifies('SS-19');
  const { gate, session, cwd } = await opened(() => 'approved');
  await using _closing = gate;
  await session.run('cat > stolen & true');
  const later = await session.run('cat', { stdin: 'for B\n' });
  expect(later).toMatchObject({ outcome: 'exited', stdout: { text: 'for B\n' } });
  expect(readFileSync(join(cwd, 'stolen'), 'utf8')).toBe('');
});
