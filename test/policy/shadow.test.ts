import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditRecords } from '../../src/audit/read.js';
import type { AuditRecord } from '../../src/contract/audit.js';
import { createGate, type GateOptions } from '../../src/create-gate.js';
import { freshHome, runCli, temporaryDirectory } from '../helpers/cli.js';

async function recordsIn(directory: string): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of auditRecords(directory)) records.push(record);
  return records;
}

function ruleFile(directory: string, decision: string, command: string): string {
  const path = join(directory, `${decision}.toml`);
  writeFileSync(path, `[[rule]]\nid = 'only'\ndecision = '${decision}'\ncommand = '${command}'\nreason = 'tried out'\n`, {
    mode: 0o600,
  });
  return path;
}

async function ranWith(options: GateOptions, text: string) {
  const cwd = temporaryDirectory();
  const audit = join(temporaryDirectory(), 'audit');
  await using gate = await createGate({ ...options, audit, cwd });
  await using session = await gate.openSession();
  const checked = await session.check(text);
  const result = await session.run(text);
  const records = await recordsIn(audit);
  return { cwd, checked, result, records, shadowed: records.filter(({ type }) => type === 'policy.shadowed') };
}

test('a stricter second policy is heard in the log and stops nothing', async () => {
  const file = ruleFile(temporaryDirectory(), 'deny', 'ls **');
  const { result, shadowed, records } = await ranWith({ policy: 'read-only', shadow: file }, 'ls -a');
  expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 });
  const evaluated = records.find(({ type }) => type === 'command.evaluated')!;
  const { digest } = evaluated.data as { digest: string };
  // One, and of the command: what was only checked is no request.
  expect(shadowed).toHaveLength(1);
  expect(shadowed[0]).toMatchObject({
    command: evaluated.command,
    data: {
      decided: 'allow',
      evaluation: digest,
      decision: 'deny',
      matches: [{ rule: 'only', reason: 'tried out' }, { source: 'default' }],
    },
  });
  expect((shadowed[0]!.data as { digest: string }).digest).not.toBe(digest);
  expect(records.find(({ type }) => type === 'policy.loaded')?.data).toMatchObject({
    policies: ['read-only.toml'],
    shadow: { policies: [file] },
  });
});

test('a looser second policy lets nothing through', async () => {
  const directory = temporaryDirectory();
  const file = ruleFile(directory, 'allow', 'touch *');
  writeFileSync(file, `[[rule]]\nid = 'only'\ndecision = 'allow'\ncommand = 'touch *'\neffects = { write = ['**'] }\n`);
  const { cwd, checked, result, shadowed } = await ranWith({ policy: 'read-only', shadow: [file] }, 'touch made');
  expect(checked.evaluation.decision).toBe('ask');
  expect(result).toMatchObject({ outcome: 'refused', code: 'NOBODY_TO_ASK' });
  expect(existsSync(join(cwd, 'made'))).toBe(false);
  expect(shadowed).toMatchObject([{ data: { decided: 'ask', decision: 'allow', matches: [] } }]);
});

test('without one nothing is recorded of it', async () => {
  const { result, shadowed } = await ranWith({ policy: 'read-only' }, 'ls');
  expect(result.outcome).toBe('exited');
  expect(shadowed).toEqual([]);
});

test('a second policy that is not right is an error, not none', async () => {
  const path = join(temporaryDirectory(), 'broken.toml');
  writeFileSync(path, 'rules = 1', { mode: 0o600 });
  await expect(createGate({ shadow: path })).rejects.toMatchObject({ code: 'POLICY_INVALID' });
});

test.each([
  ['run', ['run', 'ls'], ''],
  ['batch', ['batch'], '{"command":"ls"}\n'],
])('shellgate %s --shadow', async (_, [command, ...rest], stdin) => {
  const audit = join(temporaryDirectory(), 'audit');
  const { status } = await runCli([command!, '--shadow', 'ask-all', '--audit', audit, ...rest], { env: freshHome(), stdin });
  expect(status).toBe(0);
  const shadowed = (await recordsIn(audit)).filter(({ type }) => type === 'policy.shadowed');
  expect(shadowed).toMatchObject([{ data: { decided: 'allow', decision: 'ask' } }]);
});
