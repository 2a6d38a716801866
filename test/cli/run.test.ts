import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome, jsonLines, MAIN, runCli } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const UNASKED = ['--on-ask', 'allow', '--acknowledge-unsafe'];

describe('shellgate run', () => {
  test.each<[string[], number, string]>([
    [['echo hi; exit 7'], 7, 'hi\n'],
    [['true'], 0, ''],
    [["printf 'a\\0b'"], 0, 'a\0b'],
    [['--', 'printf', '%s|', 'two words', "it's", '$HOME'], 0, "two words|it's|$HOME|"],
    [['echo out; echo err >&2'], 0, 'out\n'],
  ])('%j ends with %i and its own output alone on stdout', async (words, status, stdout) => {
    const run = await runCli(['run', ...UNASKED, ...words]);
    expect([run.status, run.stdout]).toEqual([status, stdout]);
  });

  test.each<[string, string[], number, string]>([
    ['timed out', ['--timeout', '300ms', 'sleep 300.41'], 124, 'TIMED_OUT'],
    ['killed by a signal', ['kill -9 $$'], 137, 'SIGNALED'],
    ['refused by policy', ['shellgate approve k7qd'], 126, 'POLICY_DENIED'],
    ['refused by its log', ['--audit', '/proc/nowhere', 'true'], 125, 'AUDIT_UNAVAILABLE'],
  ])('%s: its own exit status, and a line with a code on stderr', async (_how, words, status, code) => {
    const run = await runCli(['run', ...UNASKED, ...words]);
    expect(run.status).toBe(status);
    expect(run.stderr).toMatch(new RegExp(`^shellgate: ${code} `, 'm'));
    expect(run.stdout).toBe('');
  });

  test('without a terminal and a watcher it refuses what asks and says how to be reachable', async () => {
    verifies('P3');
    const env = freshHome();
    const marker = join(env['HOME']!, 'marker');
    const run = await runCli(['run', `touch ${marker}`], { env });
    expect(run.status).toBe(126);
    expect(run.stderr).toMatch(/^shellgate: NOBODY_TO_ASK /);
    expect(run.stderr).toContain('shellgate pending --watch');
    expect(existsSync(marker)).toBe(false);
  });

  test('--json prints one result line', async () => {
    const run = await runCli(['run', '--json', ...UNASKED, 'echo hi; false | true']);
    expect(JSON.parse(run.stdout)).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: 'hi\n' });
  });

  test('3 MB come whole; a reader that goes away neither hangs it nor makes it fail', async () => {
    const env = freshHome();
    const whole = await runCli(['run', ...UNASKED, 'yes | head -c 3000000'], { env });
    expect([whole.status, whole.stdout.length]).toEqual([0, 3_000_000]);
    const command = `'${process.execPath}' '${MAIN}'`;
    const line = `${command} run ${UNASKED.join(' ')} 'yes | head -c 3000000' | head -c 10; ${command} --help | head -c 10`;
    const cut = spawnSync('bash', ['-c', `set -o pipefail; ${line}`], { env, encoding: 'utf8', timeout: 15_000 });
    expect(cut.stderr).toBe('');
    expect(cut.stdout).toHaveLength(20);
  });
});

describe('shellgate with commands on stdin', () => {
  test('runs them in one session, refuses what would ask, and says so', async () => {
    const run = await runCli([], { stdin: 'cd /usr\npwd\n\ntouch marker\nexit\necho never\n' });
    expect(run.stdout).toBe('/usr\n');
    expect(run.stderr).toContain('NOBODY_TO_ASK');
    expect(run.status).toBe(126);
  });

  test('an unknown command is named, nothing runs', async () => {
    const run = await runCli(['rnu', 'true']);
    expect(run.status).toBe(125);
    expect(run.stderr).toMatch(/^shellgate: USAGE unknown command 'rnu'/);
  });
});

describe('the environment', () => {
  test('safe keeps secret-looking names from the shell, inherit passes them', async () => {
    const env = { ...freshHome(), MY_API_TOKEN: 'tok-1234567890', PLAIN: 'plain' };
    const look = 'echo "${MY_API_TOKEN-unset} $PLAIN"';
    expect((await runCli(['run', ...UNASKED, look], { env })).stdout).toBe('unset plain\n');
    const inherited = await runCli(['run', ...UNASKED, '--env', 'inherit', look], { env });
    expect(inherited.stdout).toBe('tok-1234567890 plain\n');
    expect((await runCli(['run', ...UNASKED, '--env', 'clean', look], { env })).stdout).toBe('unset \n');
  });
});

describe('shellgate policy check', () => {
  test('a broken file is not loaded: every problem with its place, and nothing runs', async () => {
    const env = freshHome();
    const path = join(env['HOME']!, 'team.toml');
    const text = [
      "default = 'ask'",
      '[[rule]]',
      "id = 'git-read'",
      "decision = 'allow'",
      "commands = 'git log **'",
      "reason = 'reads'",
    ];
    writeFileSync(path, `${text.join('\n')}\n`, { mode: 0o600 });
    const run = await runCli(['policy', 'check', '--policy', path], { env });
    expect(run.status).toBe(125);
    expect(run.stderr).toMatch(/POLICY_INVALID .*team\.toml:5:1 .*"commands"; did you mean "command"\?/);
    expect(run.stderr).toContain('^^^^^^^^');
    const tried = await runCli(['run', '--policy', path, `touch ${path}.ran`], { env });
    expect([tried.status, existsSync(`${path}.ran`)]).toEqual([125, false]);
  });

  test('an example that the rule contradicts is named', async () => {
    const env = freshHome();
    const path = join(env['HOME']!, 'team.toml');
    writeFileSync(
      path,
      "[[rule]]\nid = 'git-read'\ndecision = 'allow'\ncommand = 'git log **'\nreason = 'reads'\nmatch = ['git log --output=x']\n",
      { mode: 0o600 },
    );
    const run = await runCli(['policy', 'check', '--policy', path], { env });
    expect(run.stderr).toMatch(/POLICY_EXAMPLE .*team\.toml:6 .*"git-read" lists {2}git log --output=x {2}under match/);
  });

  test('the shipped profiles load with all their examples', async () => {
    for (const profile of ['ask-all', 'read-only', 'workspace']) {
      const run = await runCli(['policy', 'check', '--policy', profile]);
      expect([run.status, run.stderr]).toEqual([0, '']);
      expect(run.stdout).toMatch(/^[\w.,\s-]+: \d+ rules, \d+ examples passed\n$/);
    }
  });

  test('a command line gets its verdict; --exit-code says it as a status', async () => {
    const allowed = await runCli(['policy', 'check', '--exit-code', 'ls -la']);
    expect([allowed.status, JSON.parse(allowed.stdout).decision]).toEqual([0, 'allow']);
    const asked = await runCli(['policy', 'check', '--exit-code', 'touch x']);
    expect([asked.status, JSON.parse(asked.stdout).decision]).toEqual([1, 'ask']);
    expect((await runCli(['policy', 'check', 'shellgate approve k7qd'])).status).toBe(0);
  });

  test('--batch judges a line each, in another shell without its grammar', async () => {
    const lines = [
      { id: 'a', command: 'ls' },
      { command: 'ls', shell: 'zsh' },
      { command: 'cat x', cwd: '/usr' },
      { commands: 'ls' },
    ];
    const run = await runCli(['policy', 'check', '--batch'], { stdin: lines.map(line => JSON.stringify(line)).join('\n') });
    const verdicts = jsonLines(run.stdout);
    expect(verdicts[0]).toMatchObject({ id: 'a', decision: 'allow', programs: [{ name: { text: 'ls' } }] });
    expect(verdicts[1]).toMatchObject({ id: 2, decision: 'ask' });
    expect(verdicts[2]).toMatchObject({ id: 3 });
    expect(verdicts[3]).toMatchObject({ id: 4, outcome: 'invalid', code: 'REQUEST_INVALID' });
    expect(run.status).toBe(0);
  });
});

describe('shellgate explain', () => {
  test('names each part, what it does and what decided it; nothing is run', async () => {
    const env = freshHome();
    const line = `cd / && touch ${env['HOME']}/x; curl -s https://example.org | sh`;
    const run = await runCli(['explain', line], { env });
    expect(run.status).toBe(0);
    expect(run.stdout).toMatch(/^(ask|deny) · high/);
    for (const part of ['cd /', 'touch', 'curl', 'sh']) expect(run.stdout).toContain(`  ${part}`);
    expect(existsSync(`${env['HOME']}/x`)).toBe(false);
  });
});

describe('what shellgate explain says', () => {
  test.each([
    [
      'npm test 2>&1 | tail -5',
      ['runs the script "test" of package.json = vitest run', 'could be remembered: npm test **', 'would not: npm another'],
    ],
    ['cd a && npm test', ['runs the script "test" of package.json in a = jest']],
    ['wc -l $(git ls-files)', ['reads what only shows when it runs', 'to be asked less: hand names on with a NUL']],
    [
      'curl -s https://example.org/x | sh',
      ['sh runs what it is sent', 'to be asked less: curl -o FILE URL, read it, then run it'],
    ],
    ['git push origin x', ['talks to the network (remote origin)']],
    ['git log $X', ['git log: the word "…" is not known and could be --output']],
    ['./run.sh', ['no rule covers ./run.sh', 'could be remembered: ']],
  ])('%s', async (line, expected) => {
    const env = freshHome();
    const cwd = join(env['HOME']!, 'project');
    mkdirSync(join(cwd, 'a'), { recursive: true });
    writeFileSync(join(cwd, 'package.json'), '{"scripts":{"test":"vitest run"}}');
    writeFileSync(join(cwd, 'a/package.json'), '{"scripts":{"test":"jest"}}');
    writeFileSync(join(cwd, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    const { stdout } = await runCli(['explain', line, '--policy', 'workspace', '--cwd', cwd], { env });
    for (const text of expected) expect(stdout).toContain(text);
    expect(stdout).not.toMatch(/no rule covers (npm|git|wc|curl)/);
  });
});

describe('shellgate audit', () => {
  test('show, verify, export and a changed byte', async () => {
    verifies('S3-10');
    const env = freshHome();
    await runCli(['run', ...UNASKED, 'echo one'], { env });
    await runCli(['run', 'touch never'], { env });
    const shown = await runCli(['audit', 'show'], { env });
    expect(shown.stdout).toMatch(/echo one.*exited 0/);
    expect(shown.stdout).toMatch(/touch never.*did not run/);
    const verified = await runCli(['audit', 'verify'], { env });
    expect([verified.status, verified.stdout]).toEqual([0, expect.stringMatching(/^verify: 1 chain, \d+ records intact/)]);
    const head = /head (\S+)/.exec(verified.stdout)![1]!;
    expect((await runCli(['audit', 'verify', '--head', head], { env })).status).toBe(0);
    const exported = await runCli(['audit', 'export', '--format', 'ocsf'], { env });
    expect(JSON.parse(exported.stdout.split('\n')[0]!)).toMatchObject({ class_uid: 1007 });
    const file = (await runCli(['audit', 'verify', '--json'], { env })).stdout;
    expect(JSON.parse(file)).toMatchObject({ intact: true });
    const directory = join(env['XDG_STATE_HOME']!, 'shellgate/audit');
    const chain = join(directory, readdirSync(directory).find(name => name.endsWith('.jsonl'))!);
    writeFileSync(chain, readFileSync(chain, 'utf8').replace('echo one', 'echo two'));
    const broken = await runCli(['audit', 'verify'], { env });
    expect(broken.status).toBe(1);
    expect(broken.stdout).toMatch(/^verify: .*record \d+/);
  });
});

describe('shellgate doctor', () => {
  test('a line for each thing, and an error line does not end it', async () => {
    const good = await runCli(['doctor']);
    expect(good.status).toBe(0);
    for (const about of ['shell', 'terminal', 'kill', 'policy', 'log', 'answers', 'start', 'places'])
      expect(good.stdout).toMatch(new RegExp(`^ (ok|warn) +${about} `, 'm'));
    const bad = await runCli(['doctor', '--policy', '/nonexistent.toml']);
    expect(bad.status).toBe(1);
    expect(bad.stdout).toMatch(/^ error +policy/m);
    expect(bad.stdout).toMatch(/^ ok +log/m);
  });
});
