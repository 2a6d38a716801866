import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { callbackApprover } from '../../src/approval/callback.js';
import type { Principal } from '../../src/contract/principal.js';
import { createGate } from '../../src/create-gate.js';
import { freshHome, runCli, temporaryDirectory } from '../helpers/cli.js';

const PERSON: Principal = { kind: 'person', id: 'uid 1', label: 'ana' };

/** Run lines in a gate whose person says no to what names `secret`, and yes to the rest. */
async function history(audit: string, cwd: string, lines: readonly string[], approver: Principal = PERSON) {
  const answer = callbackApprover(({ request }) => (request.text.includes('secret') ? 'denied' : 'approved'), {
    approver,
  });
  await using gate = await createGate({ audit, cwd, approver: answer, denialsToPause: Number.POSITIVE_INFINITY });
  await using session = await gate.openSession();
  for (const line of lines) await session.run(line);
}

describe('shellgate policy suggest', () => {
  let audit: string;
  let cwd: string;
  let env: Record<string, string>;
  beforeEach(() => {
    env = freshHome();
  });

  test('says what rules would have answered, and gives them as a policy file', async () => {
    audit = join(temporaryDirectory(), 'audit');
    cwd = temporaryDirectory();
    await history(audit, cwd, ['touch a', 'touch a', 'ls', 'touch secret', 'touch a', 'mkdir -p out && touch a', 'touch once']);
    const { status, stdout, stderr } = await runCli(['policy', 'suggest', '--audit', audit, '--cwd', cwd], { env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^# 1 rule would have answered 3 of your 5 yeses and none of your 1 no\n/);
    expect(stdout).toContain(`command = "touch a"`);
    expect(stdout).not.toContain('secret');
    const file = join(cwd, 'suggested.toml');
    writeFileSync(file, stdout, { mode: 0o600 });
    expect(await runCli(['policy', 'check', '--policy', file], { env })).toMatchObject({ status: 0, stderr: '' });
    const judged = await runCli(['policy', 'check', '--policy', 'read-only', '--policy', file, '--cwd', cwd, 'touch a'], { env });
    expect(JSON.parse(judged.stdout)).toMatchObject({ decision: 'allow' });
    const json = await runCli(['policy', 'suggest', '--audit', audit, '--cwd', cwd, '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({
      answered: 3,
      yeses: 5,
      noes: 1,
      already: 0,
      notJudged: 0,
      rules: [{ answers: 3, rule: { command: 'touch a', decision: 'allow', effects: { write: [join(cwd, 'a')] } } }],
    });
  });

  test('what a program answered is nobody’s yes; an empty log has nothing to say', async () => {
    audit = join(temporaryDirectory(), 'audit');
    cwd = temporaryDirectory();
    await history(audit, cwd, ['touch a', 'touch a', 'touch a'], { kind: 'program', id: 'bot', label: 'a bot' });
    const nothing = /^# 0 rules would have answered 0 of your 0 yeses and none of your 0 noes\n$/;
    expect((await runCli(['policy', 'suggest', '--audit', audit], { env })).stdout).toMatch(nothing);
    const empty = await runCli(['policy', 'suggest', '--audit', temporaryDirectory()], { env });
    expect(empty.stdout).toMatch(nothing);
  });
});
