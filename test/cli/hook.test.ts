import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome, runCli } from '../helpers/cli.js';
import { records } from '../mcp/connect.js';

/** Nothing dangerous has to be sent to see a denial. */
const DENIES = `[[rule]]
id = 'no-forbidden'
decision = 'deny'
command = 'touch forbidden'
reason = 'that name is taken'
tell = true
match = ['touch forbidden']
not_match = ['touch other']

[[rule]]
id = 'secret-reason'
decision = 'deny'
command = 'touch silent'
reason = 'an internal matter'
match = ['touch silent']
not_match = ['touch other']
`;

async function hook(input: unknown, args: readonly string[] = [], env = freshHome()) {
  const policy = join(env['HOME']!, 'deny.toml');
  writeFileSync(policy, DENIES);
  const stdin = typeof input === 'string' ? input : JSON.stringify(input);
  const run = await runCli(['hook', '--policy', policy, '--policy', 'read-only', ...args], { env, stdin });
  return { ...run, env, said: run.stdout === '' ? undefined : (JSON.parse(run.stdout) as Record<string, unknown>) };
}

const claudeCode = (command: string, more: object = {}) => ({
  session_id: 'abc',
  transcript_path: '/nowhere',
  cwd: '/',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command, description: 'to look around' },
  tool_use_id: 'toolu_1',
  ...more,
});

describe('the form of Claude Code', () => {
  test.each([
    ['ls', 'allow', /^shellgate: /],
    ['touch made', 'ask', /^shellgate: .*no rule covers/],
    ['echo "$(', 'ask', /^shellgate: /],
    ['touch forbidden', 'deny', /^shellgate: that name is taken$/],
    ['touch silent', 'deny', /^shellgate: a policy rule forbids it$/],
  ])('%s: %s', async (command, decision, reason) => {
    const { status, stderr, said } = await hook(claudeCode(command));
    expect([status, stderr]).toEqual([0, '']);
    expect(said).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: decision,
        permissionDecisionReason: expect.stringMatching(reason),
      },
    });
  });

  test('has no opinion on tools that run no command line', async () => {
    const { status, stdout, stderr } = await hook(claudeCode('', { tool_name: 'Read', tool_input: { file_path: '/x' } }));
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });
});

test('the plain form', async () => {
  expect((await hook({ command: 'ls' })).said).toMatchObject({ decision: 'allow', risk: 'low' });
  expect((await hook({ command: 'touch forbidden', cwd: '/' })).said).toMatchObject({
    decision: 'deny',
    reason: 'that name is taken',
  });
});

test('judges where the host says that it is', async () => {
  const env = freshHome();
  mkdirSync(join(env['HOME']!, 'sub'));
  writeFileSync(join(env['HOME']!, 'sub/file'), '');
  const { said } = await hook({ command: 'cat file', cwd: join(env['HOME']!, 'sub') }, [], env);
  expect(said).toMatchObject({ decision: 'allow' });
});

test('writes down what it judged, for whom, and that a denial did not run', async () => {
  const { env } = await hook(claudeCode('touch forbidden'));
  const written = records(env).filter(({ type }) => type.startsWith('command.'));
  expect(written.map(({ type }) => type)).toEqual(['command.requested', 'command.evaluated', 'command.refused']);
  expect(written[0]!.data).toMatchObject({
    text: 'touch forbidden',
    description: 'to look around',
    principal: { kind: 'model', label: 'claude-code' },
    origin: { toolCallId: 'toolu_1' },
  });
});

describe('what it cannot judge or record must not run: exit status 2, or a denial', () => {
  test.each([
    ['no JSON', 'nope', 'HOOK_INPUT'],
    ['nothing', '', 'HOOK_INPUT'],
    ['no command', {}, 'HOOK_INPUT'],
    ['an unknown field', { command: 'ls', comand: 'x' }, 'HOOK_INPUT'],
    ['a shell tool without a command', claudeCode('x', { tool_input: {} }), 'HOOK_INPUT'],
    ['another event', claudeCode('x', { hook_event_name: 'PostToolUse' }), 'HOOK_INPUT'],
    ['a directory that is not there', { command: 'ls', cwd: '/not/there' }, 'DIRECTORY_MISSING'],
    ['a NUL', { command: 'a\0b' }, 'HOOK_INPUT'],
  ])('%s', async (_what, input, code) => {
    const { status, stdout, stderr } = await hook(input);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`shellgate: ${code} `);
  });

  test.each([['--polciy', 'x'], ['extra']])('a mistake in its own arguments: %s', async (...args) => {
    const { status, stdout, stderr } = await hook({ command: 'ls' }, args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`shellgate: USAGE what is "${args.join(' ')}"?`);
  });

  test('a log that cannot be written', async () => {
    const { said } = await hook({ command: 'ls' }, ['--audit', '/proc/nowhere']);
    expect(said).toMatchObject({ decision: 'deny', reason: expect.stringContaining('/proc/nowhere') });
  });
});

test('its help says what it cannot do', async () => {
  const { stdout } = await runCli(['hook', '--help']);
  expect(stdout).toContain('What it cannot do: the host runs the command, not shellgate.');
});
