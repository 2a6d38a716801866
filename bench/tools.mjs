// What a call through the tools costs in process, for each wire, beside the command itself; and the environment probe.
import { join } from 'node:path';
import { createGate, createTools, ShellEnvironmentProvider } from '../dist/index.js';
import { interleave, table } from './measure.mjs';

export async function tools({ directory, rounds }) {
  const gate = await createGate({
    policy: 'read-only',
    audit: join(directory, 'tools-audit'),
    cwd: directory,
  });
  const session = await gate.openSession();
  const bound = createTools(gate, { session });
  const stateless = await gate.openSession({ mode: 'stateless' });
  const calls = await interleave(
    {
      'session.run': () => session.run('true'),
      'run_shell (003)': () => bound.call('run_shell', { command: 'true' }),
      'shell_exec (002)': () => bound.call('shell_exec', { command: 'true' }),
      'stateless session.run': () => stateless.run('true'),
      'run_command (001)': () => bound.call('run_command', { command: 'true' }),
      'run_script (001)': () => bound.call('run_script', { script: 'true' }),
      'which (001)': () => bound.call('which', { command: 'sh' }),
    },
    Math.min(100, rounds),
  );
  console.log(`\n${table('tool call in process, `true`', calls, 'session.run')}`);

  const provider = new ShellEnvironmentProvider(gate, { session });
  const probes = await interleave(
    { 'probe, cached': () => provider.snapshot(), 'probe, cold (4 programs)': () => provider.refresh() },
    Math.min(20, rounds),
    2,
  );
  console.log(`\n${table('environment probe', probes, 'probe, cached')}`);
  await bound.close();
  await gate.close();
}
