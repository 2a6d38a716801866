import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome, jsonLines, MAIN, runBatch, runCli, temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const YES = ['--on-ask', 'allow', '--acknowledge-unsafe'];

describe('batch', () => {
  test('a line names the field, what it must be, and the nearest there is', async () => {
    const lines = ['{"comand":"ls"}', '{"command":"ls","timeout_ms":5}', '{"command":"ls","timeoutMs":0}', '[]', '{"command":5}'];
    const { status, stdout } = await runCli(['batch', ...YES], { stdin: lines.join('\n') });
    expect(status).toBe(0);
    expect(jsonLines(stdout).map(({ reason }) => reason)).toEqual([
      'line 1: has no field "comand"; did you mean "command"?',
      'line 2: has no field "timeout_ms"; did you mean "timeoutMs"?',
      'line 3: timeoutMs must be above 0',
      'line 4: must be an object, not a list',
      'line 5: command must be a string, not a number',
    ]);
  });

  test('stdin beside a terminal, and more of it than memory should hold, is refused at once', async () => {
    const lines = [
      { command: 'cat', tty: true, stdin: 'x' },
      { command: 'cat', stdin: 'x'.repeat(64 * 1024 * 1024 + 1) },
    ];
    const results = await runBatch([...lines, { command: 'echo on' }]);
    expect(results).toMatchObject([
      {
        id: 1,
        outcome: 'invalid',
        code: 'REQUEST_INVALID',
        reason: expect.stringContaining('stdin is for commands without tty'),
      },
      { id: 2, outcome: 'invalid', code: 'REQUEST_INVALID', reason: expect.stringContaining('write it to a file') },
      { id: 3, outcome: 'exited', stdout: 'on\n' },
    ]);
  });

  test('a byte order mark, CRLF and a missing last newline are no mistakes', async () => {
    const stdin = '\ufeff{"command":"echo 1"}\r\n\r\n{"command":"echo 2"}';
    const { stdout } = await runCli(['batch', ...YES], { stdin });
    expect(jsonLines(stdout)).toMatchObject([
      { id: 1, stdout: '1\n' },
      { id: 3, stdout: '2\n' },
    ]);
  });

  test('a session that cannot be opened refuses its own lines, the others go on', async () => {
    const sessions = Array.from({ length: 66 }, (_, index) => ({ session: `s${index}`, command: 'echo $((1+1))' }));
    const results = await runBatch([...sessions, { session: 's0', command: 'echo again' }], ['--stateless']);
    const open = { outcome: 'exited', stdout: '2\n' };
    const full = { outcome: 'refused', by: 'session', code: 'TOO_MANY_SESSIONS' };
    expect(results.slice(0, 64)).toMatchObject(Array(64).fill(open));
    expect(results.slice(64)).toMatchObject([full, full, { outcome: 'exited', stdout: 'again\n' }]);
  });

  test('cancelAfterMs beyond the longest timer cancels nothing', async () => {
    const [result] = await runBatch([{ command: 'sleep 0.2; echo done', cancelAfterMs: 2 ** 31 }]);
    expect(result).toMatchObject({ outcome: 'exited', stdout: 'done\n' });
  });

  test('every result of a command that ran says where the session is, also when its shell ended', async () => {
    verifies('J11');
    const cwd = temporaryDirectory();
    const results = await runBatch([{ command: 'exit 3' }, { command: 'kill -9 $$' }, { command: 'cd /' }], [], { cwd });
    expect(results.map(result => result['cwd'])).toEqual([cwd, cwd, '/']);
  });

  test('a shell may be named without its path', async () => {
    verifies('J22');
    const [result] = await runBatch([{ command: 'echo "${BASH_VERSION-none}"; echo $0' }], ['--shell', 'sh']);
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 });
    const none = await runCli(['run', '--shell', '/bin/true', 'true']);
    expect(none).toMatchObject({ status: 125, stderr: expect.stringMatching(/^shellgate: SHELL_UNSUPPORTED .*known: bash/) });
    const missing = await runCli(['run', '--shell', 'no-such-shell', 'true']);
    expect(missing).toMatchObject({
      status: 125,
      stderr: 'shellgate: SHELL_MISSING --shell  no-such-shell was not found on PATH; name its path\n',
    });
  });
});

test('policy check: a line with a bad directory is answered, with its own id, and the rest goes on', async () => {
  const lines = ['{"id":"a","command":"ls","cwd":"/nonexistent"}', '{"id":"b","command":5}', '{"id":"c","command":"ls"}'];
  const { status, stdout } = await runCli(['policy', 'check', '--batch', '--exit-code'], { stdin: lines.join('\n') });
  expect(jsonLines(stdout)).toMatchObject([
    { id: 'a', outcome: 'invalid', code: 'DIRECTORY_MISSING' },
    { id: 'b', outcome: 'invalid', code: 'REQUEST_INVALID', reason: 'line 2: command must be a string, not a number' },
    { id: 'c', decision: 'allow' },
  ]);
  expect(status).toBe(1);
});

test.each([
  [['run', '--tiemout', '5', 'ls'], "unknown option '--tiemout'; did you mean --timeout? See shellgate run --help"],
  [['ru', 'ls'], "unknown command 'ru'; did you mean run? See shellgate --help"],
  [['zzzzzzzz'], "unknown command 'zzzzzzzz'. See shellgate --help"],
  [['audit', 'shwo'], "unknown command 'shwo'; did you mean show? See shellgate audit --help"],
  [['batch', 'x'], "too many arguments for 'batch'. Expected 0 arguments but got 1. See shellgate batch --help"],
])('%j is one line that says what to do', async (args, sentence) => {
  expect(await runCli(args)).toEqual({ status: 125, stdout: '', stderr: `shellgate: USAGE ${sentence}\n` });
});

test('help is no mistake; a group without a command is one', async () => {
  expect(await runCli(['help', 'run'])).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Usage: shellgate run /),
  });
  expect(await runCli(['audit', '--help'])).toMatchObject({ status: 0, stderr: '' });
  const { status, stdout, stderr } = await runCli(['audit']);
  expect({ status, stdout }).toEqual({ status: 125, stdout: '' });
  expect(stderr).toMatch(/^Usage: shellgate audit [\s\S]*\nshellgate: USAGE this needs one of the commands above\n$/);
});

test("a project's file that is named like a profile is not taken for it", async () => {
  verifies('P11');
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'read-only'), "default = 'allow'\n");
  const check = async (...args: string[]) => JSON.parse((await runCli(['policy', 'check', ...args, 'touch x'], { cwd })).stdout);
  expect(await check()).toMatchObject({ decision: 'ask' });
  expect(await check('--policy', 'read-only')).toMatchObject({ decision: 'ask' });
  expect(await check('--policy', './read-only')).toMatchObject({ decision: 'allow' });
  const misspelled = await runCli(['policy', 'check', '--policy', 'raed-only'], { cwd });
  expect(misspelled.stderr).toContain('POLICY_UNREADABLE raed-only  does not exist; did you mean read-only?');
});

describe("the user's config.toml fails closed", () => {
  const rows: [string, (file: string) => void, string][] = [
    ['is a directory', file => mkdirSync(file), 'CONFIG_UNREADABLE'],
    ['is a link that leads nowhere', file => symlinkSync('/nonexistent/x', file), 'CONFIG_UNREADABLE'],
    ['is a link to itself', file => symlinkSync(file, file), 'CONFIG_UNREADABLE'],
    ['can be written by others', writeOpen, 'CONFIG_UNREADABLE'],
    ['is no TOML', file => writeFileSync(file, 'x ='), 'CONFIG_INVALID'],
    ['is no UTF-8', file => writeFileSync(file, Buffer.from([0xff, 0xfe])), 'CONFIG_INVALID'],
    ['has a field there is not', file => writeFileSync(file, 'trusted_client = []'), 'CONFIG_INVALID'],
  ];
  test.each(rows)('%s', async (_what, make, code) => {
    const env = freshHome();
    const directory = join(env['XDG_CONFIG_HOME']!, 'shellgate');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    make(join(directory, 'config.toml'));
    const { status, stdout, stderr } = await runCli(['mcp'], { env });
    expect({ status, stdout }).toEqual({ status: 125, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^shellgate: ${code} .*config\\.toml  \\S`));
    expect(stderr).not.toContain('    at ');
  });
});

describe('audit, where the log is not what it should be', () => {
  const ALL = [['show'], ['show', '--json'], ['verify'], ['export'], ['tail']];
  const aFile = () => {
    const path = join(temporaryDirectory(), 'file');
    writeFileSync(path, '');
    return path;
  };
  test.each(ALL)('%s %s: no directory, no such directory', async (...args) => {
    const missing = await runCli(['audit', ...args, '--audit', '/nonexistent']);
    const sentence = 'shellgate: AUDIT_MISSING /nonexistent  there is no log here; a gate begins one with its first command\n';
    expect(missing).toEqual({ status: 125, stdout: '', stderr: sentence });
    const file = await runCli(['audit', ...args, '--audit', aFile()]);
    expect(file).toMatchObject({ status: 125, stdout: '' });
    expect(file.stderr).toMatch(/^shellgate: AUDIT_UNREADABLE \S+ {2}cannot be read as a log: ENOTDIR[^\n]*\n$/);
  });

  test('a directory, a link and garbage under chains\u2019 names: what can be read is shown, the rest is counted', async () => {
    const env = freshHome();
    const audit = join(env['HOME']!, 'log');
    await runCli(['run', '--audit', audit, 'echo hi'], { env });
    mkdirSync(join(audit, '2025-01-01-aaaa1111.jsonl'));
    symlinkSync('/nonexistent', join(audit, '2025-01-01-bbbb2222.jsonl'));
    writeFileSync(join(audit, '2025-01-01-cccc3333.jsonl'), 'no record\n');
    const shown = await runCli(['audit', 'show', '--audit', audit]);
    const exported = await runCli(['audit', 'export', '--format', 'ecs', '--audit', audit]);
    expect(shown.stdout).toMatch(/ main .* echo hi .* exited 0 /);
    expect(exported.stdout).toContain('"echo hi"');
    const stderr = 'shellgate: AUDIT_DAMAGED 3 records or files cannot be read; the rest is above. See shellgate audit verify\n';
    expect([shown, exported]).toMatchObject([
      { status: 125, stderr },
      { status: 125, stderr },
    ]);
    expect((await runCli(['audit', 'verify', '--audit', audit])).status).toBe(1);
  });

  test('a session is named by its label; nothing in a name moves the cursor', async () => {
    const env = freshHome();
    const audit = join(env['HOME']!, 'log');
    const stdin = ['a\u001b[31mb', 'main'].map(session => JSON.stringify({ session, command: 'echo hi' })).join('\n');
    await runCli(['batch', '--audit', audit], { env, stdin });
    const all = await runCli(['audit', 'show', '--audit', audit]);
    expect(all.stdout).not.toContain('\u001b');
    expect(all.stdout).toContain('a<U+001B>[31mb');
    const one = await runCli(['audit', 'show', '--audit', audit, '--session', 'main']);
    expect(one.stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('a strange place to start in', () => {
  const GONE = 'the current directory is gone; go to another, or name one with --cwd';
  /** In a directory that is removed before the program starts. */
  function runNowhere(args: readonly string[]) {
    const env = freshHome();
    const script = 'mkdir "$HOME/gone" && cd "$HOME/gone" && rmdir "$HOME/gone" && exec "$@"';
    const argv = ['-c', script, 'sh', process.execPath, MAIN, ...args];
    return spawnSync('/bin/sh', argv, { env, encoding: 'utf8', input: '{"command":"ls"}', timeout: 30_000 });
  }

  test.each([['run', 'ls'], ['batch'], ['explain', 'ls'], ['mcp'], ['probe'], ['policy', 'trust']])(
    '%s: the current directory is gone',
    (...args) => {
      expect(runNowhere(args)).toMatchObject({ status: 125, stdout: '', stderr: `shellgate: DIRECTORY_MISSING ${GONE}\n` });
    },
  );

  test('what needs no directory works without one, and doctor says which part does not', () => {
    expect(runNowhere(['run', '--cwd', '/tmp', 'pwd'])).toMatchObject({ status: 0, stdout: '/tmp\n' });
    expect(runNowhere(['policy', 'check'])).toMatchObject({ status: 0, stderr: '' });
    const { status, stdout } = runNowhere(['doctor']);
    expect(status).toBe(1);
    expect(stdout).toContain(` error shell     DIRECTORY_MISSING ${GONE}\n ok    terminal`);
  });

  test.each(['', 'relative'])('a HOME that is no absolute path (%j) is not taken for one', async HOME => {
    const { status, stdout, stderr } = await runCli(['run', 'echo hi'], { env: { ...freshHome(), HOME }, cwd: '/' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'hi\n', stderr: '' });
  });

  test('AGENT_FRAMEWORK_SHELL is named where it is wrong', async () => {
    verifies('J22');
    const { stderr } = await runCli(['run', 'ls'], { env: { ...freshHome(), AGENT_FRAMEWORK_SHELL: '' } });
    expect(stderr).toMatch(/^shellgate: SHELL_INVALID AGENT_FRAMEWORK_SHELL /);
  });

  test('trusting a policy that is not there', async () => {
    const { status, stderr } = await runCli(['policy', 'trust']);
    expect(status).toBe(125);
    expect(stderr).toMatch(/^shellgate: POLICY_UNREADABLE \S+policy\.toml {2}does not exist; name the policy file to trust\n$/);
  });
});

describe('trusting a policy of the project', () => {
  test('says what is trusted, and trusts nothing that cannot be loaded', async () => {
    verifies('P11');
    const env = freshHome();
    const file = join(env['HOME']!, 'policy.toml');
    const write = (text: string) => writeFileSync(file, text, { mode: 0o600 });
    write(
      "[[rule]]\nid = 'p'\ndecision = 'allow'\ncommand = 'npm test'\n[[rule]]\nid = 'q'\ndecision = 'deny'\ntags = ['delete']\n",
    );
    const trusted = await runCli(['policy', 'trust', file], { env });
    expect(trusted).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/\n {2}allow {2}p {2}npm test\n {2}deny {3}q {2}delete\n$/),
    });
    expect((await runCli(['policy', 'trust', '--revoke', file], { env })).stdout).toContain('is trusted no longer');
    expect((await runCli(['policy', 'trust', '--revoke', file], { env })).stderr).toContain('NOT_TRUSTED');
    write("[[rule]]\nid = 'p'\ndecision = 'allow'\ncomand = 'npm test'\n");
    const refused = await runCli(['policy', 'trust', file], { env });
    expect(refused).toMatchObject({ status: 125, stdout: '', stderr: expect.stringContaining('did you mean "command"?') });
    expect(refused.stderr).toMatch(/Nothing is trusted: what cannot be loaded cannot count\.\n$/);
    expect((await runCli(['policy', 'trust', '--revoke', file], { env })).stderr).toContain('NOT_TRUSTED');
  });

  test('a policy that is there already is left alone', async () => {
    const env = freshHome();
    expect((await runCli(['policy', 'init'], { env })).status).toBe(0);
    const { status, stderr } = await runCli(['policy', 'init', 'workspace'], { env });
    expect({ status, stderr }).toMatchObject({
      status: 125,
      stderr: expect.stringMatching(/^shellgate: POLICY_EXISTS \S+ {2}is there already; nothing was changed/),
    });
  });
});

function writeOpen(file: string): void {
  writeFileSync(file, '');
  chmodSync(file, 0o666);
}

describe('text from anybody on the screen of a person', () => {
  const HOSTILE = 'touch "a\u001b[2J\u202eb\n  forged  allow"';

  test('explain shows what would move the cursor or begin a line', async () => {
    verifies('P4');
    const { stdout } = await runCli(['explain', HOSTILE]);
    expect(stdout).toContain('a<U+001B>[2J<U+202E>b<U+000A>  forged  allow');
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    expect(stdout).not.toMatch(/^ *forged/m);
  });

  test.each([
    [['run', '--cwd', '/no\u001b[2J', 'ls'], 'DIRECTORY_MISSING'],
    [['run', '--policy', 'x\u001b[2J', 'ls'], 'POLICY_UNREADABLE'],
    [['audit', 'show', '--audit', '/x\u001b[2J'], 'AUDIT_MISSING'],
    [['x\u001b[2J'], 'USAGE'],
    [['approve', '\u001b[2J'], 'OPTION_INVALID'],
  ])('messages do: %j', async (args, code) => {
    const { stderr } = await runCli(args);
    expect(stderr).toMatch(new RegExp(`^shellgate: ${code} `));
    expect(stderr).toContain('<U+001B>[2J');
    expect(stderr).not.toContain('\u001b');
  });

  test('JSON keeps the bytes', async () => {
    const { stdout } = await runCli(['explain', '--json', HOSTILE]);
    expect(JSON.parse(stdout).programs[0].argv[1].text).toBe('a\u001b[2J\u202eb\n  forged  allow');
  });
});
