import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

export const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');

export interface CliRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory that is gone after the test; its name is one that the leak check looks for. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Environment of a user that has never run shellgate. */
export function freshHome(): Record<string, string> {
  const home = temporaryDirectory();
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    TMPDIR: tmpdir(),
    LANG: 'C.UTF-8',
  };
}

interface CliOptions {
  readonly stdin?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

/** Run the built command line to its end, without a terminal. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const env = options.env ?? freshHome();
  const child = spawn(process.execPath, [MAIN, ...args], {
    env,
    cwd: options.cwd ?? env['HOME']!,
    detached: true, // no controlling terminal: nobody can be asked
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.signal && { signal: options.signal }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', status => done({ status, stdout, stderr }));
  });
}

export interface BatchLine {
  readonly id: string | number;
  readonly outcome: string;
  readonly [field: string]: unknown;
}

/** What `--json` and `batch` print: one value a line. */
export const jsonLines = <Line = Record<string, unknown>>(stdout: string): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

/** Requests through `shellgate batch` with everything approved; results by id. */
export async function runBatch(
  requests: readonly object[],
  args: readonly string[] = [],
  options: CliOptions = {},
): Promise<BatchLine[]> {
  const stdin = `${requests.map(request => JSON.stringify(request)).join('\n')}\n`;
  const run = await runCli(['batch', '--on-ask', 'allow', '--acknowledge-unsafe', ...args], { ...options, stdin });
  if (run.status !== 0) throw new Error(`batch ended with ${run.status}: ${run.stderr}`);
  return jsonLines<BatchLine>(run.stdout).sort((a, b) => Number(a.id) - Number(b.id));
}
