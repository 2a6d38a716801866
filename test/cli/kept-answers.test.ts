import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listGates } from '../../src/approval/socket-client.js';
import { boundTo } from '../../src/cli/give-answer.js';
import type { Question } from '../../src/contract/question.js';
import { runtimeDirectory } from '../../src/platform.js';
import { freshHome, runCli, temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { connect, records } from '../mcp/connect.js';

// What a person's "always" is worth: real servers, a real npm, the answer through the socket.

const ARGS = ['--policy', 'workspace', '--answer-wait', '0.2'];

async function project() {
  const env = freshHome();
  const cwd = join(temporaryDirectory(), 'project');
  mkdirSync(cwd);
  const script = (text: string) => writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts: { test: text } }));
  script('echo "the tests ran"');
  const open = () => connect({ env, cwd, args: ARGS });
  return { env, cwd, script, open };
}

/** The one question that waits, answered yes and for always, as `shellgate pending --watch` would. */
async function alwaysAllow(env: Record<string, string>): Promise<Question> {
  const gates = await listGates(runtimeDirectory(env));
  try {
    const waiting = (
      await Promise.all(gates.map(async gate => (await gate.pending()).map(question => ({ gate, question }))))
    ).flat();
    expect(waiting).toHaveLength(1);
    const { gate, question } = waiting[0]!;
    const offer = question.evaluation.suggestions.find(({ scope }) => scope === 'always')!;
    const remember = { scope: 'always', rule: offer.rule } as const;
    expect(await gate.answer({ ...boundTo(question), outcome: 'approved', remember })).toEqual({ accepted: true });
    return question;
  } finally {
    for (const gate of gates) gate.close();
  }
}

test('a build asks once for a content of its script: remembered, silent in the next server too, asked again when it changes', async () => {
  verifies('P4', 'P11');
  const { env, script, open } = await project();
  const first = await open();
  const asked = await first.run('npm test');
  expect(asked).toMatchObject({ outcome: 'pending' });
  const question = await alwaysAllow(env);
  expect(question.files.map(({ path }) => path)).toContainEqual(expect.stringContaining('package.json'));
  const ran = await first.call('shell_status', { request: String(asked['request']), wait_ms: 20_000 });
  expect(ran).toMatchObject({ outcome: 'exited', stdout: expect.stringContaining('the tests ran') });
  for (const line of ['npm test', 'npm test 2>&1 | tail -3']) {
    expect(await first.run(line), line).toMatchObject({ outcome: 'exited' });
  }
  await first.close();

  const second = await open();
  expect(await second.run('npm test')).toMatchObject({ outcome: 'exited' });
  script('echo "something else"');
  const changed = await second.run('npm test');
  expect(changed).toMatchObject({ outcome: 'pending' });
  const again = await alwaysAllow(env);
  await second.call('shell_status', { request: String(changed['request']), wait_ms: 20_000 });
  expect(again.evaluation.matches.map(({ reason }) => reason).join('; ')).toContain('has changed since it was allowed');
  // Both contents are allowed now, each by an answer of its own.
  for (const text of ['echo "something else"', 'echo "the tests ran"']) {
    script(text);
    expect(await second.run('npm test'), text).toMatchObject({ outcome: 'exited' });
  }
  const { stdout } = await runCli(['grants', '--json'], { env });
  const [grant, other] = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { id: string });
  expect(other).toBeDefined();
  expect((await runCli(['grants', 'revoke', grant!.id], { env })).status).toBe(0);
  expect(await second.run('npm test')).toMatchObject({ outcome: 'pending' });
}, 60_000);

test('a policy that changes and breaks while a server runs: heard on stderr, once, and in the log', async () => {
  const { env, cwd } = await project();
  const policy = join(cwd, '../policy.toml');
  const write = (text: string) => writeFileSync(policy, text, { mode: 0o600 });
  write("[[rule]]\nid = 'no'\ndecision = 'deny'\ncommand = 'ls **'\n");
  const server = await connect({ env, cwd, args: ['--policy', policy, '--answer-wait', '0.2'] });
  expect(await server.run('ls')).toMatchObject({ outcome: 'refused' });
  write("[[rule]]\nid = 'yes'\ndecision = 'allow'\ncomand = 'ls **'\n");
  for (let round = 0; round < 2; round++) expect(await server.run('ls')).toMatchObject({ outcome: 'refused' });
  expect(server.said().match(/did you mean "command"\?/g)).toHaveLength(1);
  expect(server.said()).toMatch(/^shellgate: POLICY_INVALID .*policy\.toml:4:1 .* The rules loaded before stay in force\.$/m);
  write("[[rule]]\nid = 'yes'\ndecision = 'allow'\ncommand = 'ls **'\n");
  expect(await server.run('ls')).toMatchObject({ outcome: 'exited' });
  expect(server.said()).toMatch(/^shellgate: POLICY_LOADED .*policy\.toml: changed on disk, and in force as it is now/m);
  expect(records(env).flatMap(({ type }) => (type.startsWith('policy.') ? [type] : []))).toEqual([
    'policy.loaded',
    'policy.kept',
    'policy.loaded',
  ]);
}, 30_000);
