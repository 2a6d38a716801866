import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { GateConnection } from '../../src/approval/socket-client.js';
import { namedQuestion } from '../../src/cli/find-question.js';
import type { Question } from '../../src/contract/question.js';
import { freshHome, MAIN, runBatch, runCli, temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { type Connected, connect, records } from '../mcp/connect.js';

const QUICK = ['--answer-wait', '0.2'];

/** A server with one question that waits. */
async function asking(command = 'touch made', env = freshHome()): Promise<Connected & { id: string; short: string }> {
  const connected = await connect({ env, args: QUICK });
  const { request } = await connected.run(command);
  return { ...connected, id: String(request), short: String(request).slice(0, 4) };
}

test('nothing waits: says which gates it looked at', async () => {
  const { env, call, pid } = await asking();
  await call('shell_cancel', { command: 'c1' });
  const { status, stdout } = await runCli(['pending'], { env });
  expect([status, stdout]).toEqual([0, `Nothing waits. Looked at 1 gate: mcp (pid ${pid}, node).\n`]);
  expect((await runCli(['pending'])).stdout).toBe('Nothing waits. No gate of yours is running on this machine.\n');
});

test('lists what waits, whose it is and for how long still; and as JSON', async () => {
  verifies('J06');
  const { env, id, pid } = await asking('touch made && echo "two\nlines"');
  const { stdout } = await runCli(['pending'], { env });
  const [head, row, ...rest] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^ID +AGE +LEFT +WHO +SESSION +WHERE +RISK +COMMAND$/);
  expect(row).toMatch(
    new RegExp(`^${id} +0:0\\d +(?:59:\\d\\d|60:00) +test-client +main +~ +(low|medium) +touch made && echo "two⏎lines"$`),
  );
  expect(rest).toEqual(['approve ID · deny ID "why" · pending --watch answers them here, one by one']);
  const [line] = (await runCli(['pending', '--json'], { env })).stdout.trimEnd().split('\n');
  expect(JSON.parse(line!)).toMatchObject({
    id,
    gate: { pid },
    who: { label: 'test-client' },
    command: 'touch made && echo "two\nlines"',
  });
});

test('a gate that passes on no runtime directory is found as well', async () => {
  const env = freshHome();
  const { id } = await asking('touch made', env);
  const richer = { ...env, XDG_RUNTIME_DIR: temporaryDirectory() };
  expect((await runCli(['pending'], { env: richer })).stdout).toContain(id);
  expect((await runCli(['deny', id], { env: richer })).status).toBe(0);
});

describe('answers that change nothing', () => {
  test('an unknown question', async () => {
    const { env } = await asking();
    const { status, stdout, stderr } = await runCli(['approve', 'zzzz-0000'], { env });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe('shellgate: UNKNOWN_QUESTION no question zzzz-0000 waits; see shellgate pending\n');
  });

  test('no question at all', async () => {
    const { status, stderr } = await runCli(['approve', '../../x']);
    expect([status, stderr]).toEqual([125, expect.stringContaining('OPTION_INVALID ID  "../../x" is no question')]);
  });

  test('the right name with other bytes', async () => {
    const { env, short, id } = await asking();
    const other = id.endsWith('0000') ? '1111' : '0000';
    expect(await runCli(['approve', `${short}-${other}`], { env })).toMatchObject({ status: 1, stdout: '' });
    expect((await runCli(['pending'], { env })).stdout).toContain(id);
  });

  test('a late answer is told how it ended, and is recorded', async () => {
    const { env, id, short, call } = await asking();
    expect((await runCli(['deny', short, 'not now'], { env })).status).toBe(0);
    await call('shell_status', { request: id, wait_ms: 3_000 });
    for (const typed of [id, short]) {
      const { status, stdout, stderr } = await runCli(['approve', typed], { env });
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        new RegExp(`^shellgate: ALREADY_ANSWERED ${short} was denied by \\S+ \\(socket\\) at [\\d:]{8}. Nothing changed.\n$`),
      );
    }
    expect(
      records(env)
        .filter(({ type }) => type === 'answer.refused')
        .map(({ data }) => data['code']),
    ).toEqual(['ALREADY_ANSWERED', 'ALREADY_ANSWERED']);
  });

  test('when the gate is gone, the log tells how it ended', async () => {
    const { env, id, short, close, call } = await asking();
    expect((await runCli(['approve', id], { env })).status).toBe(0);
    await call('shell_status', { request: id, wait_ms: 3_000 });
    await close();
    const { status, stderr } = await runCli(['deny', short], { env });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^shellgate: ALREADY_ANSWERED ${short} was allowed once by \\S+ \\(socket\\) at [\\d:]{8}. Nothing changed.\n$`),
    );
  });

  test('a bare name is shown before it is allowed: without a terminal it is not', async () => {
    const { env, id, short } = await asking();
    const { status, stderr } = await runCli(['approve', short], { env });
    expect([status, stderr]).toEqual([125, expect.stringContaining(`NO_TERMINAL ${short} is shown before it is allowed`)]);
    expect(stderr).toContain(id);
    expect((await runCli(['pending', '--watch'], { env })).stderr).toContain('NO_TERMINAL');
  });

  test('a gated command cannot answer, and its attempt is recorded', async () => {
    const { env, id } = await asking();
    const [result] = await runBatch([{ command: `${process.execPath} ${MAIN} approve ${id}` }], [], { env });
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 126, stdout: '' });
    expect(result!['stderr']).toMatch(/^shellgate: ANSWER_REFUSED .* gated .*Recorded\.\n$/);
    expect((await runCli(['pending'], { env })).stdout).toContain(id);
    expect(records(env).filter(({ type }) => type === 'answer.refused')).toHaveLength(1);
  });

  test('a name that two gates use', async () => {
    const question = { id: 'k7qd', evaluation: { digest: '3f9a' } } as Question;
    const other = { id: 'k7qd', evaluation: { digest: '81c0' } } as Question;
    const gates = [question, other].map(each => ({ pending: async () => [each] }) as unknown as GateConnection);
    await expect(namedQuestion(gates, 'k7qd')).rejects.toMatchObject({
      code: 'AMBIGUOUS_ID',
      message: 'k7qd could be k7qd-3f9a, k7qd-81c0; name one of them whole. Nothing changed',
    });
    expect((await namedQuestion(gates, 'k7qd-81c0')).question).toBe(other);
  });
});

test('three denials pause who asks, until a person resumes it', async () => {
  const { env, run } = await connect({ args: QUICK });
  for (const name of ['a', 'b', 'c']) {
    const { request } = await run(`touch ${name}`, { session_id: 'new' });
    await runCli(['deny', String(request)], { env });
  }
  expect(await run('touch d')).toMatchObject({ outcome: 'refused', code: 'PRINCIPAL_PAUSED' });
  expect((await runCli(['pending', '--resume'], { env })).stdout).toMatch(
    /^test-client may ask again, at mcp \(pid \d+, node\)\.\n$/,
  );
  expect(await run('touch d')).toMatchObject({ outcome: 'pending' });
  expect((await runCli(['pending', '--resume'], { env })).stdout).toBe('Nobody is paused.\n');
});

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** A command in a real terminal of its own. */
function pane(command: string, env: Record<string, string>) {
  const place = temporaryDirectory();
  const tmux = (...args: string[]) =>
    spawnSync('tmux', ['-S', join(place, 's'), '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...env, TERM: 'xterm-256color' },
    });
  tmux('new-session', '-d', '-x', '120', '-y', '30', command);
  onTestFinished(() => void tmux('kill-server'));
  return {
    text: () => tmux('capture-pane', '-p').stdout,
    press: (...keys: string[]) => void tmux('send-keys', ...keys),
  };
}

describe.skipIf(!hasTmux)('in a second terminal (tmux is not installed)', () => {
  test('pending --watch shows each question, y allows it, n and a sentence deny it', async () => {
    verifies('J05');
    const env = freshHome();
    const screen = pane(`${process.execPath} ${MAIN} pending --watch`, env);
    await expect.poll(screen.text, { timeout: 8_000 }).toContain('Waiting for questions');
    const { run } = await connect({ env });
    const first = run('touch made && echo done');
    await expect.poll(screen.text, { timeout: 8_000 }).toContain('$ touch made && echo done');
    expect(screen.text()).toContain('test-client asks');
    await delay(600);
    screen.press('y');
    expect(await first).toMatchObject({ outcome: 'exited', stdout: 'done\n' });
    expect(existsSync(join(env['HOME']!, 'made'))).toBe(true);

    const second = run('touch other');
    await expect.poll(screen.text, { timeout: 8_000 }).toContain('$ touch other');
    await delay(600);
    screen.press('n');
    await delay(600);
    screen.press('-l', 'use a branch');
    await delay(600);
    screen.press('Enter');
    expect(await second).toMatchObject({ outcome: 'refused', by: 'approver', feedback: 'use a branch' });
  });

  test('approve with a bare name shows the question here and asks', async () => {
    const { env, short, id, call } = await asking();
    const screen = pane(`${process.execPath} ${MAIN} approve ${short}; sleep 5`, env);
    await expect.poll(screen.text, { timeout: 8_000 }).toContain('$ touch made');
    await delay(600);
    screen.press('y');
    await expect.poll(screen.text, { timeout: 8_000 }).toContain(`${short} allowed once; running in session main.`);
    expect(await call('shell_status', { request: id, wait_ms: 5_000 })).toMatchObject({ outcome: 'exited' });
  });
});
