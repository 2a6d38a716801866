import { expect, test } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { connect, ERAS } from './connect.js';

const names = (tools: readonly { name: string }[]): string[] => tools.map(tool => tool.name).sort();
const CORE = ['run_shell', 'shell_cancel', 'shell_input', 'shell_output', 'shell_status'];
const SUPYAGENT = ['get_env', 'run_command', 'run_script', 'which'];
const AGENTTOOL = ['check_process', 'get_process_output', 'kill_process', 'list_processes', 'shell_exec'];

test.each(ERAS)('the tools of other systems are served when asked for, behind the same gate (%s)', async era => {
  verifies('S1-01', 'G01', 'G21', 'H03');
  const plain = await connect({ era });
  expect(names((await plain.client.listTools()).tools)).toEqual(CORE);

  const { client, raw, call } = await connect({ era, args: ['--tools', 'supyagent,agenttool', '--on-ask', 'deny'] });
  expect(names((await client.listTools()).tools)).toEqual([...CORE, ...SUPYAGENT, ...AGENTTOOL].sort());
  expect(await call('run_command', { command: 'echo hello' })).toEqual({
    ok: true,
    stdout: 'hello\n',
    stderr: '',
    exit_code: 0,
    command: 'echo hello',
  });
  expect(await call('which', { command: 'bash' })).toMatchObject({ ok: true, path: expect.stringMatching(/^\/.*bash$/) });
  const asks = await call('run_command', { command: 'touch x' });
  expect(asks).toMatchObject({ ok: false });
  // The wire's own error, with class and field; nothing ran.
  const wrong = await raw('shell_exec', { command: 'true', timeout_ms: 999 });
  expect(JSON.stringify(wrong)).toContain('schema_validation_failed');
});

test('an unknown set is named', async () => {
  const run = await runCli(['mcp', '--tools', 'others']);
  expect([run.status, run.stderr]).toEqual([125, expect.stringMatching(/OPTION_INVALID .*"others" is no tool set/)]);
});

test('the environment is a resource: which shell, which programs', async () => {
  verifies('S3-25', 'K07');
  const { client } = await connect();
  expect((await client.listResources()).resources).toMatchObject([{ uri: 'shellgate://environment' }]);
  const { contents } = await client.readResource({ uri: 'shellgate://environment' });
  expect(contents[0]).toMatchObject({ text: expect.stringMatching(/^## Shell environment[\s\S]*POSIX[\s\S]*Available CLIs:/) });
});
