import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startProblems } from '../../src/mcp/start-safety.js';
import { freshHome, MAIN, runCli, temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const SAFE = { programs: ['/usr/bin/node'], workspace: '/repo', env: {} };

describe('a start that must not be trusted with a gate', () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ['nothing set', {}, undefined],
    ['memory and warnings', { NODE_OPTIONS: '--max-old-space-size=4096 --no-warnings --inspect-port=0' }, undefined],
    ['--require', { NODE_OPTIONS: '--require ./x.js' }, 'NODE_OPTIONS loads code'],
    ['--require=', { NODE_OPTIONS: '--no-warnings --require=./x.js' }, 'NODE_OPTIONS loads code'],
    ['-r', { NODE_OPTIONS: '-r ./x.js' }, 'NODE_OPTIONS loads code'],
    ['--import', { NODE_OPTIONS: '--import=data:text/javascript,0' }, 'NODE_OPTIONS loads code'],
    ['a loader', { NODE_OPTIONS: '--experimental-loader ./x.mjs' }, 'NODE_OPTIONS loads code'],
    ['quoted', { NODE_OPTIONS: '"--require" "./x y.js"' }, 'NODE_OPTIONS loads code'],
    ["npm's node options", { npm_config_node_options: '--require x' }, 'npm setting npm_config_node_options'],
    ["npm's script shell", { NPM_CONFIG_SCRIPT_SHELL: '/repo/sh' }, 'npm setting npm_config_script_shell'],
    ['other npm settings', { npm_config_registry: 'https://example.test' }, undefined],
    ['NODE_PATH elsewhere', { NODE_PATH: '/usr/lib/node_modules' }, undefined],
    ['NODE_PATH in the workspace', { NODE_PATH: '/usr/lib:/repo/node_modules' }, 'NODE_PATH names /repo/node_modules'],
  ])('%s', (_what, env, says) => {
    const problems = startProblems({ ...SAFE, env });
    expect(problems).toEqual(says === undefined ? [] : [expect.stringContaining(says)]);
  });

  test('a program below the workspace, also through a link; not one beside it', () => {
    const place = temporaryDirectory();
    const workspace = join(place, 'repo');
    mkdirSync(join(workspace, 'node_modules'), { recursive: true });
    writeFileSync(join(workspace, 'node_modules/main.js'), '');
    symlinkSync(join(workspace, 'node_modules/main.js'), join(place, 'shellgate'));
    symlinkSync(workspace, join(place, 'link'));
    writeFileSync(join(place, 'repo-tools'), '');
    const found = (program: string, from = workspace) =>
      startProblems({ programs: [join(place, program)], workspace: from, env: {} }).length;
    expect([found('repo/node_modules/main.js'), found('shellgate'), found('repo-tools')]).toEqual([1, 1, 0]);
    expect(found('repo/node_modules/main.js', join(place, 'link'))).toBe(1);
  });
});

test('the server refuses to start so, says all of it, and writes nothing to stdout', async () => {
  verifies('P11');
  const env = freshHome();
  const below = await runCli(['mcp', '--cwd', join(MAIN, '../../..')], { env });
  expect([below.status, below.stdout]).toEqual([125, '']);
  expect(below.stderr).toMatch(/^shellgate: START_UNSAFE .*main\.js lies below the workspace .*npm install --global shellgate/);
  const script = join(env['HOME']!, 'inject.cjs');
  writeFileSync(script, '');
  const injected = await runCli(['mcp'], { env: { ...env, NODE_OPTIONS: `--require ${script}` } });
  expect([injected.status, injected.stdout]).toEqual([125, '']);
  expect(injected.stderr).toContain(`NODE_OPTIONS loads code into it: --require ${script}`);
});
