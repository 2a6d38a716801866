import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listGates } from '../../src/approval/socket-client.js';
import { boundTo } from '../../src/cli/give-answer.js';
import type { Question } from '../../src/contract/question.js';
import { runtimeDirectory } from '../../src/platform.js';
import { freshHome, jsonLines, runCli, temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { connect, records } from '../mcp/connect.js';

// What a person's "always" is worth: real servers, a real npm, the answer through the socket.

/** Longer than npm takes on a busy machine: what is silent must come back by itself. */
const ARGS = ['--policy', 'workspace', '--answer-wait', '40'];

async function project() {
  const env = freshHome();
  const cwd = join(temporaryDirectory(), 'project');
  mkdirSync(cwd);
  const script = (text: string) => writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts: { test: text } }));
  script('echo "the tests ran"');
  const open = () => connect({ env, cwd, args: ARGS });
  return { env, cwd, script, open };
}

/** What a person says to the next question, given through the socket as `shellgate pending --watch` would. */
async function answered(env: Record<string, string>, says: 'always' | 'no'): Promise<Question> {
  for (;;) {
    const gates = await listGates(runtimeDirectory(env));
    try {
      for (const gate of gates) {
        const [question] = await gate.pending();
        if (!question) continue;
        const offer = question.evaluation.suggestions.find(({ scope }) => scope === 'always');
        const remember = says === 'always' && offer ? { remember: { scope: 'always', rule: offer.rule } as const } : {};
        const answer =
          says === 'no'
            ? ({ ...boundTo(question), outcome: 'denied', how: 'answered' } as const)
            : ({ ...boundTo(question), outcome: 'approved', ...remember } as const);
        expect(await gate.answer(answer)).toEqual({ accepted: true });
        return question;
      }
    } finally {
      for (const gate of gates) gate.close();
    }
    await delay(50);
  }
}

test('a build asks once for a content of its script: remembered, silent in the next server too, asked again when it changes', async () => {
  verifies('P4', 'P11');
  const { env, script, open } = await project();
  const first = await open();
  const running = first.run('npm test');
  const question = await answered(env, 'always');
  expect(question.files.map(({ path }) => path)).toContainEqual(expect.stringContaining('package.json'));
  expect(await running).toMatchObject({ outcome: 'exited', stdout: expect.stringContaining('the tests ran') });
  for (const line of ['npm test', 'npm test 2>&1 | tail -3']) {
    expect(await first.run(line), line).toMatchObject({ outcome: 'exited' });
  }
  await first.close();

  const second = await open();
  expect(await second.run('npm test')).toMatchObject({ outcome: 'exited' });
  script('echo "something else"');
  const changed = second.run('npm test');
  const again = await answered(env, 'always');
  expect(again.evaluation.matches.map(({ reason }) => reason).join('; ')).toContain('has changed since it was allowed');
  expect(await changed).toMatchObject({ outcome: 'exited', stdout: expect.stringContaining('something else') });
  // Both contents are allowed now, each by an answer of its own.
  for (const text of ['echo "something else"', 'echo "the tests ran"']) {
    script(text);
    expect(await second.run('npm test'), text).toMatchObject({ outcome: 'exited' });
  }
  const { stdout } = await runCli(['grants', '--json'], { env });
  const grants = jsonLines<{ id: string }>(stdout);
  expect(grants).toHaveLength(2);
  const listed = await runCli(['grants'], { env });
  expect(listed.stdout).toMatch(
    /npm test \*\* \(while \S+package\.json keeps its content\) {2}by .*\n.*Take one back: shellgate grants revoke ID\n$/s,
  );
  expect(await runCli(['grants', 'revoke', grants[0]!.id], { env })).toMatchObject({
    status: 0,
    stdout: `${grants[0]!.id} is forgotten; what it allowed asks again.\n`,
  });
  const revoked = second.run('npm test');
  await answered(env, 'no');
  expect(await revoked).toMatchObject({ outcome: 'refused' });
}, 120_000);

test('a policy that changes and breaks while a server runs: heard on stderr, once, and in the log', async () => {
  const { env, cwd } = await project();
  const policy = join(cwd, '../policy.toml');
  const write = (text: string) => writeFileSync(policy, text, { mode: 0o600 });
  write("[[rule]]\nid = 'no'\ndecision = 'deny'\ncommand = 'ls **'\n");
  const server = await connect({ env, cwd, args: ['--policy', policy] });
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
