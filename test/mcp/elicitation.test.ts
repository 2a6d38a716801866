import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { freshHome, runCli } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { connect, type DialogAnswer, ERAS, records } from './connect.js';

const QUICK = ['--answer-wait', '0.3'];
const YES: DialogAnswer = { action: 'accept', content: { decision: 'once' } };

/** A home whose user trusts these programs. */
function homeTrusting(...programs: string[]): Record<string, string> {
  const env = freshHome();
  const folder = join(env['XDG_CONFIG_HOME']!, 'shellgate');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.toml'), `trusted_clients = ${JSON.stringify(programs)}\n`);
  return env;
}
const thisProgram = (): string => realpathSync(process.execPath);

/** The answers that were refused, and the ones that counted. */
function answers(env: Record<string, string>) {
  const all = records(env);
  const counted = all.filter(({ type }) => type === 'approval.answered').map(({ data }) => data);
  const refused = all.filter(({ type }) => type === 'answer.refused').map(({ data }) => data);
  return { counted, refused, started: all.filter(({ type }) => type === 'command.started').length };
}

describe.each(ERAS)("the client's own dialog, %s era", era => {
  test('a program that the user trusts allows once, recorded as unverified', async () => {
    const env = homeTrusting(thisProgram());
    const { run, dialogs } = await connect({ era, env, answer: () => YES });
    expect(await run('touch made && echo done', { description: 'to test' })).toMatchObject({
      outcome: 'exited',
      stdout: 'done\n',
    });
    expect(dialogs[0]!.choices).toEqual(['once', 'deny', 'later']);
    expect(dialogs[0]!.message).toMatch(/^Run in ~ \(session main\)\?\s+touch made && echo done\nAsks because: .*writes/);
    expect(dialogs[0]!.message).toContain('The assistant says: to test');
    const { counted } = answers(env);
    expect(counted).toMatchObject([{ outcome: 'approved', level: 'unverified', channel: 'elicitation' }]);
    expect(counted[0]).not.toHaveProperty('remember');
    await run('touch made && echo done');
    expect(dialogs.length, 'once is once').toBe(2);
  });

  test('whatever its name: a program that is not trusted may deny, but not allow', async () => {
    verifies('P11');
    const env = homeTrusting('/usr/bin/claude');
    const { run, dialogs } = await connect({ era, env, name: '/usr/bin/claude', args: QUICK, answer: () => YES });
    const commands = ['touch made', 'echo x > made', 'npm test', 'git push --force origin main', 'eval "$X"'];
    for (const [index, command] of commands.entries()) {
      const reply = await run(command, { session_id: 'new' });
      expect([index, reply['outcome']]).toEqual([index, 'pending']);
    }
    expect(dialogs.map(({ choices }) => choices)).toEqual(commands.map(() => ['deny', 'later']));
    expect(dialogs[0]!.message).toMatch(/a person runs in a terminal: shellgate approve [a-z0-9]{4}-[0-9a-f]{4}$/);
    expect(existsSync(join(env['HOME']!, 'made'))).toBe(false);
    const { counted, refused, started } = answers(env);
    expect([counted, started]).toEqual([[], 0]);
    expect(refused.map(each => each['code'])).toEqual(commands.map(() => 'LEVEL_TOO_LOW'));
  });

  test('even a trusted program is offered no yes to what is high risk, and takes none', async () => {
    const env = homeTrusting(thisProgram());
    const { run, dialogs } = await connect({ era, env, args: QUICK, answer: () => YES });
    expect(await run('git push --force origin main')).toMatchObject({ outcome: 'pending' });
    expect(dialogs[0]!.choices).toEqual(['deny', 'later']);
    expect(dialogs[0]!.message).toContain('HIGH RISK');
    expect(answers(env)).toMatchObject({ counted: [], refused: [{ code: 'LEVEL_TOO_LOW' }], started: 0 });
  });

  test('a denial counts from any client, and its sentence reaches the model', async () => {
    const answer = (): DialogAnswer => ({ action: 'accept', content: { decision: 'deny', tell: 'use a branch' } });
    const { run, env } = await connect({ era, answer });
    expect(await run('touch made')).toMatchObject({ outcome: 'refused', by: 'approver', feedback: 'use a branch' });
    expect(answers(env).counted).toMatchObject([{ outcome: 'refused', code: 'APPROVAL_DENIED' }]);
  });

  test.each<[string, DialogAnswer]>([
    ['declined', { action: 'decline' }],
    ['cancelled', { action: 'cancel' }],
    ['declined with a yes in it', { action: 'decline', content: { decision: 'once' } } as never],
    ['put off', { action: 'accept', content: { decision: 'later' } }],
    ['answered with nonsense', { action: 'accept', content: { decision: 'yes' } }],
  ])('a dialog that is %s is not a no: the question stays open for others', async (_how, said) => {
    const { run, call, env } = await connect({ era, env: homeTrusting(thisProgram()), args: QUICK, answer: () => said });
    const { outcome, request } = await run('touch made');
    expect(outcome).toBe('pending');
    expect(await runCli(['approve', String(request)], { env })).toMatchObject({ status: 0, stderr: '' });
    expect(await call('shell_status', { request, wait_ms: 5_000 })).toMatchObject({ outcome: 'exited', exitCode: 0 });
  });
});

test('older protocol: a dialog is taken away when the question is answered elsewhere', async () => {
  const env = homeTrusting(thisProgram());
  let takenAway = false;
  const { run, dialogs } = await connect({
    env,
    answer: (_dialog, signal) =>
      new Promise(resolve => {
        signal.addEventListener('abort', () => {
          takenAway = true;
          resolve({ action: 'cancel' });
        });
      }),
  });
  const running = run('touch made');
  await expect.poll(() => dialogs.length, { timeout: 5_000 }).toBe(1);
  const id = /ID ([a-z0-9]{4}-[0-9a-f]{4})/.exec(dialogs[0]!.message)![1]!;
  expect(await runCli(['approve', id], { env })).toMatchObject({ status: 0, stderr: '' });
  expect(await running).toMatchObject({ outcome: 'exited' });
  await expect.poll(() => takenAway, { timeout: 5_000 }).toBe(true);
});

test('older protocol: a dialog stays open when the call has returned, and its answer still counts', async () => {
  const env = homeTrusting(thisProgram());
  const { run, call } = await connect({ env, args: QUICK, answer: () => delay(1_500, YES) });
  const { outcome, request } = await run('touch made');
  expect(outcome).toBe('pending');
  expect(await call('shell_status', { request, wait_ms: 5_000 })).toMatchObject({ outcome: 'exited', exitCode: 0 });
});

test('a call that is cancelled takes its question back, dialog and all', async () => {
  let takenAway = false;
  const { call, dialogs, env } = await connect({
    answer: (_dialog, signal) =>
      new Promise(resolve => {
        signal.addEventListener('abort', () => {
          takenAway = true;
          resolve({ action: 'cancel' });
        });
      }),
  });
  const abort = new AbortController();
  const cancelled = call('run_shell', { command: 'touch made' }, { signal: abort.signal });
  await expect.poll(() => dialogs.length, { timeout: 5_000 }).toBe(1);
  abort.abort();
  await expect(cancelled).rejects.toThrow();
  await expect.poll(() => takenAway, { timeout: 5_000 }).toBe(true);
  expect(await call('shell_status', { command: 'c1' })).toMatchObject({ outcome: 'refused', by: 'caller' });
  expect(answers(env).started).toBe(0);
});

describe('newer protocol: the state that comes back with an answer', () => {
  const manual = { allowInputRequired: true } as const;
  const accept = { approve: { action: 'accept', content: { decision: 'once' } } };

  async function asked() {
    const env = homeTrusting(thisProgram());
    const connected = await connect({ era: 'modern', env, args: QUICK, answer: () => YES });
    const call = (args: object, more: object = {}) =>
      connected.client.callTool(
        { name: 'run_shell', arguments: { ...args }, ...more } as never,
        manual as never,
      ) as unknown as Promise<Record<string, unknown>>;
    const first = await call({ command: 'echo x >> made' });
    expect(first['resultType']).toBe('input_required');
    return { ...connected, call, state: String(first['requestState']) };
  }

  test('must be signed by this very process', async () => {
    const { call, state, env } = await asked();
    const payload = Buffer.from('{"p":{"command":"c1","request":"x"},"exp":9999999999}').toString('base64url');
    const forged = state.replace(/^v1\.[^.]+/, `v1.${payload}`);
    for (const requestState of [forged, `${state}x`, 'v1.e30.e30', '']) {
      const answered = call({ command: 'echo x >> made' }, { requestState, inputResponses: accept });
      await expect(answered).rejects.toThrow(/requestState/);
    }
    expect(answers(env).started).toBe(0);
  });

  test('belongs to its command, and works once', async () => {
    const { call, state, env } = await asked();
    const foreign = await call({ command: 'touch other' }, { requestState: state, inputResponses: accept });
    expect(foreign['structuredContent']).toMatchObject({ outcome: 'invalid', code: 'ANSWER_FOREIGN' });
    const done = await call({ command: 'echo x >> made' }, { requestState: state, inputResponses: accept });
    expect(done['structuredContent']).toMatchObject({ outcome: 'exited' });
    const again = await call({ command: 'echo x >> made' }, { requestState: state, inputResponses: accept });
    expect(again['structuredContent']).toMatchObject({ outcome: 'exited' });
    expect(answers(env).started).toBe(1);
  });
});

test('a config file that trusts a mere name stops the start', async () => {
  const env = homeTrusting('claude-code');
  const named = await runCli(['mcp'], { env });
  expect(named.status).toBe(125);
  expect(named.stderr).toMatch(/^shellgate: CONFIG_INVALID .*config\.toml {2}trusted_clients\.0 is no absolute path/);
  expect(named.stdout).toBe('');
});
