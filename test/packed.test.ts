import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';

// The package as a stranger gets it: packed, installed in an empty project, nothing of this checkout in reach.
const ROOT = resolve(import.meta.dirname, '..');
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|network|UNABLE_TO_GET/;

interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let home: string;
let project: string;
let missing: string | undefined;

function run(program: string, args: readonly string[], cwd: string, env = process.env): Promise<Finished> {
  // A session of its own: no terminal, so nobody can be asked.
  const timeout = 60_000;
  const child = spawn(program, args, { cwd, env, timeout, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', text => {
      output[stream] += text;
    });
  }
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', status => done({ status, ...output }));
  });
}

/** A user who has never run shellgate; npm's own settings and cache stay those of this machine. */
const fresh = () => ({
  ...process.env,
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_RUNTIME_DIR: join(home, 'runtime'),
});

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'packed-'));
  project = join(home, 'project');
  mkdirSync(project);
  mkdirSync(join(home, 'runtime'), { mode: 0o700 });
  // Without scripts: `prepare` would build into the checkout while other tests read it. `npm test` has built it.
  const packed = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', home], ROOT);
  expect(packed.status, packed.stderr).toBe(0);
  writeFileSync(join(project, 'package.json'), '{"name":"stranger","private":true,"type":"module"}\n');
  const tarball = join(home, readdirSync(home).find(name => name.endsWith('.tgz'))!);
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=0', '--fetch-timeout=15000'];
  const installed = await run('npm', ['install', ...flags, tarball], project);
  if (installed.status === 0) return;
  if (installed.status !== null && !UNREACHABLE.test(installed.stderr))
    throw new Error(`npm install failed: ${installed.stderr}`);
  const why = installed.stderr.split('\n').find(line => UNREACHABLE.test(line)) ?? 'no answer in a minute';
  missing = `the registry cannot be reached: ${why}`;
}, 90_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

const needsInstall = ({ skip }: TestContext) => skip(missing !== undefined, missing);
const node = (script: string) => run(process.execPath, ['--input-type=module', '-e', script], project, fresh());

test("the README's example runs", async context => {
  needsInstall(context);
  const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))![1]!;
  const ran = await node(example.replace('/repo', project));
  // `npm test` asks, and there is nobody: a result, not an exception.
  expect([ran.stderr, ran.status]).toEqual(['', 0]);
  expect(ran.stdout).toMatch(/^refused .+/);
});

test('both adapters load and run where neither SDK is installed', async context => {
  needsInstall(context);
  const installed = readdirSync(join(project, 'node_modules'));
  expect(installed.filter(name => ['ai', '@openai', '@ai-sdk'].includes(name))).toEqual([]);
  const ran = await node(`
    import { createGate } from 'shellgate';
    import { shellTool } from 'shellgate/ai';
    import { gatedShell } from 'shellgate/openai';
    const gate = await createGate({ policy: 'read-only' });
    const session = await gate.openSession();
    const tool = shellTool(session);
    for await (const output of tool.execute({ command: 'echo hi' }, { toolCallId: '1', messages: [] }))
      if (output.status === 'finished') console.log(tool.toModelOutput({ output }).value);
    console.log(JSON.stringify((await gatedShell(session).shell.run({ commands: ['echo ho'] })).output));
    await gate.close();
  `);
  expect([ran.stderr, ran.status]).toEqual(['', 0]);
  expect(ran.stdout).toBe('hi\nexit_code: 0\n[{"stdout":"ho\\n","stderr":"","outcome":{"type":"exit","exitCode":0}}]\n');
});

test('npx shellgate doctor looks at everything, and finds nothing wrong but where it is installed', async context => {
  needsInstall(context);
  const ran = await run('npx', ['--no-install', 'shellgate', 'doctor', '--json'], project, fresh());
  const findings = ran.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { level: string; about: string; text: string });
  const wrong = findings.filter(({ level, text }) => level === 'error' && !/below the workspace|NODE_OPTIONS/.test(text));
  expect(wrong).toEqual([]);
  expect(findings.filter(({ level }) => level === 'ok').map(({ about }) => about)).toEqual(
    expect.arrayContaining(['shell', 'policy', 'log', 'answers', 'places']),
  );
});

test('the tarball holds what runs and what is read, and nothing of the tests', async context => {
  needsInstall(context);
  const top = readdirSync(join(project, 'node_modules/shellgate')).sort();
  expect(top).toEqual(expect.arrayContaining(['README.md', 'dist', 'package.json', 'policies']));
  expect(top.filter(name => ['src', 'test', 'bench', 'node_modules'].includes(name))).toEqual([]);
});
