import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshHome, MAIN, runCli } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { connect, ERAS, processes, records } from './connect.js';

const BAD_INPUT: readonly (readonly [tool: string, args: object, says: string])[] = [
  ['run_shell', { command: 'pwd', comand: 'ls' }, 'REQUEST_INVALID'],
  ['run_shell', { command: 'pwd', timeout: 5 }, 'did you mean'],
  ['run_shell', {}, 'command'],
  ['run_shell', { command: '' }, 'command'],
  ['run_shell', { command: 'pwd', timeout_ms: 600_001 }, 'over the limit of 600000'],
  ['run_shell', { command: 'pwd', timeout_ms: 3_600_001, background: true }, '3600000'],
  ['run_shell', { command: 'a\0b' }, 'NUL'],
  ['run_shell', { command: 'pwd', session_id: 'main-0000000000000000' }, 'UNKNOWN_SESSION'],
  ['shell_status', { command: 'c9' }, 'UNKNOWN_COMMAND'],
  ['shell_status', { request: 'k7qd-3f9a' }, 'UNKNOWN_COMMAND'],
  ['shell_status', {}, 'name one'],
  ['shell_cancel', { command: 'c1', request: 'k7qd-3f9a' }, 'name one'],
  ['shell_output', { command: 'c1', from: -1 }, 'from'],
];

/** Nothing dangerous has to be sent to see a denial. */
const DENIES = `[[rule]]
id = 'no-forbidden'
decision = 'deny'
command = 'touch forbidden'
reason = 'that name is taken'
tell = true
match = ['touch forbidden']
not_match = ['touch other']
`;

describe.each(ERAS)('shellgate mcp, %s era', era => {
  test('lists five tools, those that only read marked as such', async () => {
    const { client } = await connect({ era });
    const { tools } = await client.listTools();
    expect(tools.map(tool => [tool.name, tool.annotations?.readOnlyHint])).toEqual([
      ['run_shell', false],
      ['shell_status', true],
      ['shell_output', true],
      ['shell_input', false],
      ['shell_cancel', false],
    ]);
    for (const tool of tools) expect(tool.inputSchema['additionalProperties'], tool.name).toBe(false);
    expect(Object.keys(tools[0]!.inputSchema.properties ?? {})).toEqual([
      'command',
      'session_id',
      'timeout_ms',
      'background',
      'tty',
      'stdin',
      'description',
    ]);
  });

  test('runs what policy allows in one shell that keeps its state; content says what structuredContent says', async () => {
    verifies('J03');
    const { run, raw } = await connect({ era });
    expect(await run('cd / && export A=kept')).toEqual({ outcome: 'exited', exitCode: 0, cwd: '/' });
    const reply = await raw('run_shell', { command: 'pwd; echo "$A"' });
    expect(reply.structuredContent).toEqual({ outcome: 'exited', exitCode: 0, stdout: '/\nkept\n', cwd: '/' });
    expect(reply.content).toEqual([{ type: 'text', text: JSON.stringify(reply.structuredContent) }]);
    expect(reply.isError).toBeUndefined();
  });

  test('says why a denied command did not run', async () => {
    const env = freshHome();
    const policy = join(env['HOME']!, 'deny.toml');
    writeFileSync(policy, DENIES);
    const { run } = await connect({ era, env, args: ['--policy', policy] });
    expect(await run('touch forbidden')).toEqual({
      outcome: 'refused',
      by: 'policy',
      code: 'POLICY_DENIED',
      reason: 'that name is taken',
      note: 'Never run here. Nobody was asked.',
    });
    expect(existsSync(join(env['HOME']!, 'forbidden'))).toBe(false);
  });

  test('without a dialog a question is pending, is approved from elsewhere, and its result is kept', async () => {
    verifies('J06');
    const { run, call, env } = await connect({ era, args: ['--answer-wait', '0.3'] });
    const pending = await run('touch made && echo done');
    expect(pending).toMatchObject({ outcome: 'pending', command: 'c1', note: expect.stringContaining('Not run yet') });
    const request = String(pending['request']);
    expect(request).toMatch(/^[a-z0-9]{4}-[0-9a-f]{4}$/);
    expect(existsSync(join(env['HOME']!, 'made'))).toBe(false);
    expect(await call('shell_status', { request })).toMatchObject({ outcome: 'pending', request });

    const behind = await run('pwd');
    expect(behind).toMatchObject({ outcome: 'pending', command: 'c2', behind: request });
    const elsewhere = await run('pwd', { session_id: 'new' });
    expect(elsewhere).toMatchObject({ outcome: 'exited', session_id: expect.stringMatching(/-[0-9a-f]{16}$/) });

    const approved = await runCli(['approve', request], { env });
    expect([approved.status, approved.stderr]).toEqual([0, '']);
    expect(approved.stdout).toBe(`${request.slice(0, 4)} allowed once; running in session main.\n`);
    const done = await call('shell_status', { request, wait_ms: 5_000 });
    expect(done).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: 'done\n' });
    expect(await call('shell_status', { command: 'c2', wait_ms: 5_000 })).toMatchObject({ outcome: 'exited' });
    expect(existsSync(join(env['HOME']!, 'made'))).toBe(true);
  });

  test("a denial from elsewhere brings the person's sentence", async () => {
    const { run, call, env } = await connect({ era, args: ['--answer-wait', '0.2'] });
    const { request } = await run('touch made');
    const denied = await runCli(['deny', String(request), 'use a branch, main is frozen'], { env });
    expect(denied.stdout).toContain('test-client was told "use a branch, main is frozen"');
    expect(await call('shell_status', { request, wait_ms: 5_000 })).toMatchObject({
      outcome: 'refused',
      by: 'approver',
      feedback: 'use a branch, main is frozen',
      note: 'A person said no. Do not retry it or a variant; follow the feedback.',
    });
  });

  test('two calls at the same time: one session in order, two sessions side by side', async () => {
    const { run } = await connect({ era });
    const [first, second] = await Promise.all([run('sleep 0.3; X=1'), run('echo "$X"')]);
    expect([first!['outcome'], second!['stdout']]).toEqual(['exited', '1\n']);
    const began = performance.now();
    await Promise.all([run('sleep 2'), run('sleep 2', { session_id: 'new' })]);
    expect(performance.now() - began).toBeLessThan(3_900);
  });

  test('tells how far a command has got, when asked to', async () => {
    const { call } = await connect({ era });
    const told: { progress: number; message?: string | undefined }[] = [];
    const command = 'for i in 1 2 3 4; do echo $i; sleep 0.3; done';
    await call('run_shell', { command }, { onprogress: each => told.push(each) });
    expect(told.length).toBeGreaterThan(2);
    expect(told.at(-1)!.message).toMatch(/^running \d+ s: [34] lines, [68] bytes$/);
    const numbers = told.map(each => each.progress);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  test('a cancelled call ends its command and keeps the session', async () => {
    verifies('P7');
    const { call, run } = await connect({ era });
    await run('X=kept');
    const abort = new AbortController();
    const cancelled = call('run_shell', { command: 'sleep 30' }, { signal: abort.signal });
    await delay(400);
    abort.abort();
    await expect(cancelled).rejects.toThrow();
    expect(await call('shell_status', { command: 'c2', wait_ms: 5_000 })).toMatchObject({ outcome: 'cancelled' });
    expect(await run('echo "$X"')).toMatchObject({ outcome: 'exited', stdout: 'kept\n' });
  });

  test('a background command frees the shell; its output can be read and it can be cancelled', async () => {
    const { run, call } = await connect({ era });
    const started = await run('echo first; sleep 30', { background: true });
    expect(started).toMatchObject({ outcome: 'background', command: 'c1', deadlineMs: 3_600_000 });
    expect(await run('echo free')).toMatchObject({ stdout: 'free\n' });
    await expect.poll(() => call('shell_output', { command: 'c1' })).toMatchObject({ text: 'first\n', next: 6, end: false });
    expect(await call('shell_status', { command: 'c1' })).toMatchObject({
      outcome: expect.stringMatching(/background|running/),
    });
    expect(await call('shell_cancel', { command: 'c1' })).toMatchObject({ outcome: 'cancelled', stdout: 'first\n' });
  });

  test('5 MB of output: the reply stays small, all of it can be read', async () => {
    verifies('P8');
    const { run, call } = await connect({ era });
    const result = await run('seq 1 700000');
    expect(JSON.stringify(result).length).toBeLessThan(40_000);
    expect(result).toMatchObject({ outcome: 'exited', command: 'c1', note: 'all of it: shell_output c1' });
    const total = 4_788_895;
    expect((result['omittedBytes'] as { stdout: number }).stdout).toBeGreaterThan(total - 35_000);
    const last = await call('shell_output', { command: 'c1', from: total - 14 });
    expect(last).toMatchObject({ text: '699999\n700000\n', next: total, end: true });
  });

  test('goes on with the trace that the client began', async () => {
    const { client, env } = await connect({ era });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await client.callTool({ name: 'run_shell', arguments: { command: 'pwd' }, _meta: { traceparent } });
    await client.callTool({ name: 'run_shell', arguments: { command: 'pwd' }, _meta: { traceparent: 'nonsense' } });
    const requested = records(env).filter(record => record.type === 'command.requested');
    expect(requested.map(({ data }) => (data['origin'] as { traceparent?: string }).traceparent)).toEqual([
      traceparent,
      undefined,
    ]);
    expect(requested[0]!.data['principal']).toMatchObject({ kind: 'model', label: 'test-client', client: 'test-client 1.0' });
  });

  test('a command may own a terminal, or be given standard input', async () => {
    const { run } = await connect({ era });
    expect(await run('test -t 0 && echo yes || echo no', { tty: true })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^yes\r?\n$/),
    });
    expect(await run('cat', { stdin: 'a line\n' })).toMatchObject({ exitCode: 0, stdout: 'a line\n' });
    expect(await run('cat')).toEqual({ outcome: 'exited', exitCode: 0, cwd: expect.any(String) });
  });

  test('a deadline ends the command and says what can be done', async () => {
    const { run } = await connect({ era });
    expect(await run('echo before; sleep 30', { timeout_ms: 500 })).toMatchObject({
      outcome: 'timed-out',
      stdout: 'before\n',
      note: expect.stringContaining('timeout_ms (max 600000) or background: true'),
    });
  });

  test('a command on its terminal says when it may wait for keys, and gets those that a person allows', async () => {
    verifies('P9');
    const { run, call, env } = await connect({ era, args: ['--answer-wait', '0.3'] });
    const waiting = await run('read -p "name? " v; echo "<$v>"', { tty: true });
    expect(waiting).toMatchObject({ outcome: 'waiting', command: 'c1', screen: 'name?', screen_version: expect.any(Number) });
    const { screen_version } = await call('shell_output', { command: 'c1', stream: 'terminal' });
    expect(screen_version).toBe(waiting['screen_version']);
    const stale = await call('shell_input', { command: 'c1', text: 'y', screen_version: 0 });
    expect(stale).toMatchObject({ outcome: 'refused', code: 'STALE_SCREEN', note: 'Nothing was typed.' });
    const pending = await call('shell_input', { command: 'c1', text: 'ana\r', screen_version });
    expect(pending).toMatchObject({ outcome: 'pending', command: 'c1', note: expect.stringContaining('Not typed yet') });
    const request = String(pending['request']);
    expect((await runCli(['pending'], { env })).stdout).toContain(request.slice(0, 4));
    expect(await runCli(['approve', request], { env })).toMatchObject({ status: 0, stderr: '' });
    expect(await call('shell_status', { command: 'c1', wait_ms: 5_000 })).toMatchObject({
      outcome: 'exited',
      stdout: expect.stringContaining('<ana>'),
    });
  });

  test('input for a command without a terminal is refused and says what to do', async () => {
    const { run, call } = await connect({ era });
    await run('sleep 30', { background: true });
    const refused = await call('shell_input', { command: 'c1', text: 'y' });
    expect(refused).toMatchObject({
      outcome: 'refused',
      code: 'INPUT_UNSUPPORTED',
      reason: expect.stringContaining('stdin'),
      note: expect.stringContaining('Nothing was typed'),
    });
  });

  test('bad input is an error reply that names what is wrong', async () => {
    const { raw } = await connect({ era });
    for (const [tool, args, says] of BAD_INPUT) {
      const reply = await raw(tool, args);
      expect([reply.isError, JSON.stringify(reply.content)]).toEqual([true, expect.stringContaining(says)]);
    }
  });
});

test('output that is read piece by piece keeps its characters whole', async () => {
  const { run, call, env } = await connect();
  writeFileSync(join(env['HOME']!, 'text'), 'aé€😀'.repeat(50));
  await run('cat text');
  let text = '';
  for (let from = 0, end = false; !end; ) {
    const piece = await call('shell_output', { command: 'c1', from, max_bytes: 7 });
    text += piece['text'];
    from = Number(piece['next']);
    end = piece['end'] === true;
  }
  expect(text).toBe('aé€😀'.repeat(50));
  const past = await call('shell_output', { command: 'c1', from: 501 });
  expect(past).toMatchObject({
    outcome: 'invalid',
    code: 'OFFSET_INVALID',
    reason: expect.stringContaining('500 bytes are there'),
  });
  const mixed = await call('run_shell', { command: 'cat', tty: true, stdin: 'x' });
  expect(mixed).toMatchObject({ outcome: 'invalid', code: 'REQUEST_INVALID', reason: expect.stringContaining('without tty') });
});

test('where no answer socket can be opened, what needs an answer is refused, and it is said why', async () => {
  const env = freshHome();
  const place = join(env['HOME']!, 'longer than any socket '.repeat(4));
  mkdirSync(place, { mode: 0o700 });
  const { run, said } = await connect({ env: { ...env, XDG_RUNTIME_DIR: place } });
  expect(said()).toMatch(/^shellgate: NO_ANSWER_SOCKET .*is too long for a socket/);
  expect(await run('touch made')).toMatchObject({
    outcome: 'refused',
    by: 'nobody',
    note: expect.stringContaining('shellgate doctor'),
  });
  expect(await run('pwd')).toMatchObject({ outcome: 'exited' });
});

test('a client that settles on a protocol by itself gets the newer one', async () => {
  const env = freshHome();
  const { run, client } = await connect({ era: 'auto', env });
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  expect(await run('pwd')).toMatchObject({ outcome: 'exited' });
});

test('a client that is killed in mid-command leaves nothing behind', async () => {
  const env = freshHome();
  const marker = `sleep 4${process.pid}`;
  const fixture = join(import.meta.dirname, '../fixtures/mcp-client.mjs');
  const client = spawn(process.execPath, [fixture, MAIN, marker], { env, cwd: env['HOME'], stdio: 'ignore' });
  const left = () => processes().filter(line => line.includes(marker) || line.includes(`mcp --cwd ${env['HOME']}`));
  onTestFinished(() => void client.kill('SIGKILL'));
  await expect.poll(() => left().filter(line => line === marker).length, { timeout: 10_000 }).toBe(1);
  client.kill('SIGKILL');
  await expect.poll(left, { timeout: 8_000 }).toEqual([]);
});
