import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, MAIN } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

/** Starts a command whose stdin stays open, sends the signal once it runs, and tells how the program ended. */
async function interrupted(args: readonly string[], line: (command: string) => string, signal: NodeJS.Signals) {
  const env = freshHome();
  const marker = join(env['HOME']!, 'started');
  const argv = [MAIN, ...args, '--on-ask', 'allow', '--acknowledge-unsafe'];
  const child = spawn(process.execPath, argv, { env, cwd: env['HOME']!, detached: true });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', text => {
    stdout += text;
  });
  child.stderr.on('data', text => {
    stderr += text;
  });
  const ended = new Promise(resolve => child.on('close', (status, by) => resolve([status, by])));
  child.stdin.write(`${line(`touch ${marker}; sleep 300.417`)}\n`);
  await expect.poll(() => existsSync(marker), { timeout: 20_000 }).toBe(true);
  child.kill(signal);
  return { ended: await ended, stdout, stderr };
}

const batchLine = (command: string) => JSON.stringify({ id: 'x', command });

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('batch: %s ends what runs in order, and its result is told', async signal => {
  verifies('P6', 'P7');
  const { ended, stdout, stderr } = await interrupted(['batch'], batchLine, signal);
  expect({ ended, stderr }).toEqual({ ended: [130, null], stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ id: 'x', outcome: 'cancelled', shell: 'kept' });
});

test.each(['SIGINT', 'SIGTERM'] as const)('commands from a pipe: %s ends them all', async signal => {
  const { ended, stderr } = await interrupted([], command => `${command}\necho never`, signal);
  expect(ended).toEqual([130, null]);
  expect(stderr).toMatch(/^cancelled after /);
});
