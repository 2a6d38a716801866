import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { freshHome, runCli } from '../helpers/cli.js';
import type { Assistant } from './assistants.js';

export interface User {
  readonly env: Record<string, string>;
  /** Where the assistant works. */
  readonly workspace: string;
}

/** A user whose assistant has exactly the configuration that `shellgate setup` prints. */
export async function userOf(assistant: Assistant, policy: string): Promise<User> {
  const env = freshHome();
  const workspace = join(env['HOME']!, 'project');
  mkdirSync(workspace);
  write(join(env['XDG_CONFIG_HOME']!, 'shellgate/policy.toml'), policy);
  const { status, stdout, stderr } = await runCli(['setup', assistant.name], { env, cwd: workspace });
  expect([status, stderr]).toEqual([0, '']);
  const blocks = [...stdout.matchAll(/^# .+: add to (\S+)\n\n([\s\S]+?\n)\n(?=# )/gm)];
  expect(blocks).not.toEqual([]);
  for (const [, path, text] of blocks) write(path!.replace(/^~/, env['HOME']!), text!);
  return { env, workspace };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Nothing but loopback can be reached: whatever else is asked for goes to a proxy that nobody runs. */
const OFFLINE = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map(name => [name, 'http://127.0.0.1:9']),
);
const LOOPBACK = { no_proxy: '127.0.0.1,localhost', NO_PROXY: '127.0.0.1,localhost' };

export interface Ended {
  readonly status: number | null;
  /** What it showed its person, stdout and stderr. */
  readonly screen: string;
}

/** Start an assistant without a terminal; it is gone, with its servers, after the test. */
export function start(assistant: Assistant, { env, workspace }: User, modelUrl: string): { readonly ended: Promise<Ended> } {
  const { program, args, env: own } = assistant.command(modelUrl);
  const scratch = join(env['HOME']!, 'tmp');
  mkdirSync(scratch);
  const child = spawn(program, args, {
    cwd: workspace,
    env: { ...env, ...OFFLINE, ...LOOPBACK, ...own, TMPDIR: scratch },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let screen = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', text => {
      screen += text;
    });
  }
  const closed = once(child, 'close');
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await closed;
  });
  return { ended: closed.then(([status]) => ({ status: status as number | null, screen })) };
}

/** The question about a command, once it is asked. The error tells what the assistant showed when it ended before. */
export async function questionAbout(command: string, { env }: User, ended: Promise<Ended>): Promise<string> {
  let last: Ended | undefined;
  void ended.then(end => {
    last = end;
  });
  while (!last) {
    const { stdout } = await runCli(['pending', '--json'], { env });
    const waiting = stdout
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as { id: string; command: string });
    const found = waiting.find(question => question.command === command);
    if (found) return found.id;
    await delay(100);
  }
  throw new Error(`${command} was not asked about; it ended with ${last.status}:\n${last.screen}`);
}
