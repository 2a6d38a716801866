import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome, runCli } from './helpers/cli.js';

const ROOT = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const example = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;

/** Inside the package, so that `import 'shellgate'` means this package as it is published. */
function scratch(): string {
  const folder = join(import.meta.dirname, '.scratch');
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the README's example passes the type checker and runs", () => {
  const folder = scratch();
  const env = freshHome();
  writeFileSync(join(folder, 'example.ts'), `${example}\nexport {};\n`);
  const tsconfig = {
    extends: join(ROOT, 'tsconfig.json'),
    include: ['example.ts'],
    compilerOptions: { noEmit: false, outDir: 'out' },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });
  const compiled = join(folder, 'out/example.js');
  writeFileSync(compiled, readFileSync(compiled, 'utf8').replace('/repo', env['HOME']!));
  // `npm test` must be asked about, and nobody can be: a result, not an exception.
  const run = spawnSync('setsid', ['-w', process.execPath, compiled], { encoding: 'utf8', env, timeout: 15_000 });
  expect([run.stderr, run.status]).toEqual(['', 0]);
  expect(run.stdout).toMatch(/^refused .+/);
});

test('the README, --help and messages name only commands that exist', async () => {
  const help = (await runCli(['--help'])).stdout;
  const commands = 'run batch mcp setup hook pending approve deny explain policy grants audit doctor'.split(' ');
  for (const [, name] of readme.matchAll(/`shellgate ([a-z]+)/g)) expect(commands).toContain(name);
  for (const name of commands) expect(help).toMatch(new RegExp(`\\b${name}\\b`));
  for (const later of ['serve', 'sessions', 'attach', 'close', 'cancel']) expect(help).not.toMatch(new RegExp(`\\b${later}\\b`));
});
