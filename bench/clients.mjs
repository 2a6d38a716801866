// What an assistant waits for: a call over MCP on stdio for each wire, and the time from a question to its answered result.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { callback, createGate } from '../dist/index.js';
import { interleave, table } from './measure.mjs';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

export async function clients({ directory, rounds }) {
  const few = Math.min(100, rounds);
  const client = new Client({ name: 'bench', version: '1' });
  const args = [MAIN, 'mcp', '--tools', 'supyagent,agenttool', '--audit', join(directory, 'mcp-audit')];
  const env = { PATH: process.env.PATH, HOME: directory, XDG_STATE_HOME: directory };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: directory, stderr: 'ignore' }));
  const over = (name, input) => () => client.callTool({ name, arguments: input });

  const gate = await createGate({
    policy: 'ask-all',
    audit: join(directory, 'asked'),
    cwd: directory,
    approver: callback(() => 'approved'),
  });
  const asking = await gate.openSession();
  const allowing = await createGate({ policy: 'read-only', audit: join(directory, 'allowed'), cwd: directory });
  const allowed = await allowing.openSession();
  const calls = await interleave(
    {
      'session.run': () => allowed.run('true'),
      'run_shell over MCP': over('run_shell', { command: 'true' }),
      'shell_exec (002) over MCP': over('shell_exec', { command: 'true' }),
      'run_command (001) over MCP': over('run_command', { command: 'true' }),
      'asked, answered at once': () => asking.run('true'),
    },
    few,
  );
  console.log(`\n${table('as an assistant has it, `true`', calls, 'session.run')}`);
  await client.close();
  await gate.close();
  await allowing.close();
}
