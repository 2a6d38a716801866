import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshHome, jsonLines, runBatch, runCli } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

test('a session keeps its directory, variables and functions', async () => {
  verifies('S3-01', 'J01');
  const [first, second] = await runBatch([
    { command: 'cd /tmp; export A=1; f(){ echo "fn $1"; }' },
    { command: 'pwd; echo $A; f x' },
  ]);
  expect(first).toMatchObject({ id: 1, outcome: 'exited', exitCode: 0, cwd: '/tmp' });
  expect(second).toMatchObject({ id: 2, outcome: 'exited', exitCode: 0, stdout: '/tmp\n1\nfn x\n', shell: 'kept' });
});

// Each breaks a shell that is driven naively. The request after it must find the state kept, or be told of a restart.
const MEGABYTE = 'x'.repeat(1_000_000);
const BREAKERS: { command: string; exitCode: number; stdout?: string; restarted?: boolean }[] = [
  { command: 'exit 3', exitCode: 3, restarted: true },
  { command: 'set -e; echo a; false; echo b', exitCode: 1, stdout: 'a\n', restarted: true },
  { command: 'set -u; echo $nope', exitCode: 1 },
  { command: 'if then', exitCode: 2 },
  { command: "echo 'abc", exitCode: 2 },
  { command: '}; echo x; {', exitCode: 2 },
  { command: 'cat', exitCode: 0, stdout: '' },
  { command: 'read v', exitCode: 1 },
  { command: 'exec 1>/dev/null; echo a', exitCode: 0 },
  { command: 'exec 2>&1', exitCode: 0 },
  { command: 'set -x; echo traced', exitCode: 0, stdout: 'traced\n' },
  { command: "printf 'a\\n\\n\\n'", exitCode: 0, stdout: 'a\n\n\n' },
  { command: 'cat <<EOF\none $KEPT\nEOF', exitCode: 0, stdout: 'one 1\n' },
  { command: `printf %s ${MEGABYTE} | wc -c`, exitCode: 0, stdout: '1000000\n' },
  { command: 'sleep 1078 & echo started', exitCode: 0, stdout: 'started\n' },
  { command: 'yes | head -c 50000000', exitCode: 0 },
];

describe('what breaks other shells', () => {
  test.each(BREAKERS.map(each => [each.command.slice(0, 40), each] as const))('%s', async (_name, breaker) => {
    const [, result, after] = await runBatch([
      { command: 'export KEPT=1; cd /usr' },
      { command: breaker.command },
      { command: 'echo "${KEPT-gone} $PWD"' },
    ]);
    expect(result).toMatchObject({ outcome: 'exited', exitCode: breaker.exitCode });
    if (breaker.stdout !== undefined) expect(result!['stdout']).toBe(breaker.stdout);
    expect(after).toMatchObject({ outcome: 'exited', exitCode: 0, sessionRestarted: breaker.restarted ?? false });
    expect(after!['stdout']).toMatch(breaker.restarted ? /^(1|gone) \/usr\n$/ : /^1 \/usr\n$/);
  });

  test('output of 50 MB is counted whole and kept head and tail', async () => {
    const [result] = await runBatch([{ command: 'yes | head -c 50000000' }]);
    expect(result).toMatchObject({ bytes: { stdout: 50_000_000 }, omittedBytes: { stdout: 50_000_000 - 65_536 } });
    expect(result!['full']).toMatchObject({ stdout: { bytes: 50_000_000, complete: true } });
  });

  test('a late writer does not write into the next command', async () => {
    const [, next, last] = await runBatch([
      { command: '(sleep .3; echo LATE) &' },
      { command: 'sleep .6; echo own' },
      { command: 'echo again' },
    ]);
    expect(next!['stdout']).toBe('own\n');
    expect(last!['stdout']).toBe('again\n');
  });
});

test('a deadline ends everything the command started and keeps the shell', async () => {
  verifies('S3-08', 'S3-23', 'J08', 'P7');
  const tree = [
    'setsid sleep 1077.1 &',
    "(trap '' INT TERM; exec sleep 1077.2) &",
    'nohup sleep 1077.3 &',
    "sh -c 'sleep 1077.4 & sleep 1077.5 & wait'",
  ].join(' ');
  const [, timedOut, after] = await runBatch([
    { command: 'export KEPT=1; cd /usr' },
    { command: tree, timeoutMs: 1_000 },
    { command: 'echo $KEPT $PWD; pgrep -f "sleep 1077[.][1-5]" | wc -l' },
  ]);
  expect(timedOut).toMatchObject({ outcome: 'timed-out', survivors: [], shell: 'kept' });
  expect(timedOut).not.toHaveProperty('exitCode');
  expect(after).toMatchObject({ outcome: 'exited', stdout: '1 /usr\n0\n', sessionRestarted: false });
});

test('sessions run in parallel, one session in order', async () => {
  verifies('S3-22', 'J21');
  const requests = Array.from({ length: 20 }, (_, index) => ({
    command: `echo ${index}; sleep 0.0${index % 5}`,
    session: `s${index % 2}`,
  }));
  const results = await runBatch(requests);
  expect(results.map(result => result['stdout'])).toEqual(requests.map((_, index) => `${index}\n`));
});

test('stateless sessions keep nothing', async () => {
  verifies('S3-02', 'J02');
  const [, second] = await runBatch(
    [{ command: 'cd /tmp; export A=1' }, { command: 'echo "${A-unset}"; [ "$PWD" = /tmp ] || echo elsewhere' }],
    ['--stateless'],
  );
  expect(second).toMatchObject({ outcome: 'exited', stdout: 'unset\nelsewhere\n' });
});

describe('bad input', () => {
  test('a line that is no request is answered and the rest goes on', async () => {
    const lines = [
      '{"command":"echo 1"}',
      'nonsense',
      '{"cmd":"x","id":"mine"}',
      '{"command":"a\\u0000b"}',
      '{"command":"echo 2"}',
    ];
    const run = await runCli(['batch', '--on-ask', 'allow', '--acknowledge-unsafe'], { stdin: lines.join('\n') });
    expect(run.status).toBe(0);
    const byId = new Map(jsonLines(run.stdout).map(line => [line.id, line]));
    expect(byId.get(1)).toMatchObject({ outcome: 'exited', stdout: '1\n' });
    expect(byId.get(2)).toMatchObject({ outcome: 'invalid', code: 'NOT_JSON' });
    const reason = expect.stringContaining('command');
    expect(byId.get('mine')).toMatchObject({ outcome: 'invalid', code: 'REQUEST_INVALID', reason });
    expect(byId.get(4)).toMatchObject({ outcome: 'invalid', reason: expect.stringContaining('NUL') });
    expect(byId.get(5)).toMatchObject({ outcome: 'exited', stdout: '2\n' });
  });

  test.each([
    [['batch', '--no-such-option'], 'USAGE'],
    [['batch', '--on-ask', 'allow'], 'CONFIG_INVALID'],
    [['batch', '--policy', '/nonexistent/policy.toml'], 'POLICY_'],
    [['batch', '--shell', '/nonexistent/shell'], 'SHELL_'],
    [['batch', '--cwd', '/nonexistent'], 'DIRECTORY_MISSING'],
    [['batch', '--timeout', 'soon'], 'OPTION_INVALID'],
  ])('%j says %s and runs nothing', async (args, code) => {
    const env = freshHome();
    const marker = join(env['HOME']!, 'marker');
    const run = await runCli([...args], { env, stdin: `${JSON.stringify({ command: `touch ${marker}` })}\n` });
    expect(run.status).toBe(125);
    expect(run.stderr).toMatch(new RegExp(`^shellgate: ${code}`));
    expect(existsSync(marker)).toBe(false);
  });

  test('an unwritable log refuses each line', async () => {
    verifies('P1');
    const env = freshHome();
    const marker = join(env['HOME']!, 'marker');
    const run = await runCli(['batch', '--on-ask', 'allow', '--acknowledge-unsafe', '--audit', '/proc/nowhere'], {
      env,
      stdin: `{"command":"touch ${marker}"}\n{"command":"touch ${marker}"}\n`,
    });
    const answers = jsonLines(run.stdout);
    expect(run.status).toBe(0);
    expect(answers).toEqual(Array(2).fill(expect.objectContaining({ outcome: 'refused', code: 'AUDIT_UNAVAILABLE' })));
    expect(existsSync(marker)).toBe(false);
  });
});
