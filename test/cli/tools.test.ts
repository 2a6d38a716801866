import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonLines, runCli } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { declarationSchema } from '../tools/standard.js';

const fixture = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/records/tool_shell_exec.json'), 'utf8'));

test('tools --declaration prints the declaration, honest about the sandbox', async () => {
  verifies('S2-12', 'S2-14', 'H01', 'H02');
  const { status, stdout, stderr } = await runCli(['tools', '--declaration']);
  const { execution_profile, ...rest } = fixture;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const declared = JSON.parse(stdout);
  expect(declared).toMatchObject({ ...rest, execution_profile: { ...execution_profile, sandboxed: false } });
  expect(declarationSchema.safeParse(declared).success).toBe(true);
});

test('tools lists every function, one line each', async () => {
  verifies('S1-01');
  const { stdout } = await runCli(['tools', '--json']);
  const functions = jsonLines(stdout);
  expect(functions.map(({ name }) => name)).toEqual([
    'run_shell',
    'run_command',
    'run_script',
    'which',
    'get_env',
    'shell_exec',
    'list_processes',
    'check_process',
    'get_process_output',
    'kill_process',
  ]);
  for (const { inputSchema } of functions) expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  expect((await runCli(['tools'])).stdout.trimEnd().split('\n')).toHaveLength(functions.length);
});

test('probe prints the block, asks nobody and needs no terminal', async () => {
  verifies('S3-24', 'S3-25');
  const { status, stdout, stderr } = await runCli(['probe', '--tools', 'git,surely-absent', '--policy', 'ask-all']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^## Shell environment\n/);
  expect(stdout).toMatch(/Available CLIs: git \(git version .*\)\nNot installed: surely-absent\n$/);
  const bad = await runCli(['probe', '--tools', 'a;b']);
  expect(bad).toMatchObject({ status: 125, stdout: '' });
  expect(bad.stderr).toContain('TOOL_NAME_INVALID');
});
