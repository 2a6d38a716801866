import { spawn } from '@lydell/node-pty';
import { expect, test } from 'vitest';
import { freshHome, MAIN, runCli } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const ARGS = ['run', '--on-ask', 'allow', '--acknowledge-unsafe'];
const HOSTILE = String.raw`printf 'a\033]0;title\007b \033[31mred\033[0m\033[2J\033[6n c\033]52;c;eA==\007 é\n'`;

/** What a terminal gets of a run. */
function onTerminal(command: string): Promise<string> {
  const env = freshHome();
  const pty = spawn(process.execPath, [MAIN, ...ARGS, command], { cwd: env['HOME']!, env, cols: 80, rows: 24 });
  let raw = '';
  pty.onData(data => {
    raw += data;
  });
  return new Promise(resolve => {
    pty.onExit(() => resolve(raw));
  });
}

test("a command's output can colour a person's terminal, and do nothing else to it", async () => {
  verifies('P11');
  expect(await onTerminal(HOSTILE)).toContain('ab \u001b[31mred\u001b[0m c é\r\n');
});

test('a pipe gets every byte', async () => {
  const { stdout } = await runCli([...ARGS, HOSTILE]);
  expect(stdout).toBe('a\u001b]0;title\u0007b \u001b[31mred\u001b[0m\u001b[2J\u001b[6n c\u001b]52;c;eA==\u0007 é\n');
});
