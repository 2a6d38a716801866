import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { isOurs, opened, requestOf } from './opened.js';

const never = new AbortController().signal;

/** Lines that make `pwned` if any of them reaches the shell's command stream. */
const INJECT = `
for round in 1 2 3 4 5; do
  for fd in /proc/$1/fd/* /proc/self/fd/*; do
    { printf '\\n\\\\builtin eval "touch pwned; PWNED=1"\\ntouch pwned\\n' >"$fd"; } 2>/dev/null
    { printf '\\036%s\\000000\\000/\\000\\000\\000\\000\\000%s\\000' 0123456789abcdef01234567 0123456789abcdef01234567 >"$fd"; } 2>/dev/null
  done
  sleep 0.05
done`;

describe('what a command started cannot', () => {
  test('write a line to the shell or a report to the host, while it runs or after', async () => {
    verifies('P2', 'P5');
    await using session = await opened();
    await session.ran('cd "$HOME"; V=1');
    await session.ran(`cat >inject.sh <<'EOF'\n${INJECT}\nEOF`);
    const during = await session.ran('sh inject.sh $$; (exit 7)');
    expect(during).toMatchObject({ outcome: 'exited', exitCode: 7, shell: 'kept' });
    await session.ran('sh inject.sh $$ >/dev/null 2>&1 &');
    const turn = await session.shell.turn(requestOf('a pending question'), never);
    await new Promise(resolve => setTimeout(resolve, 500));
    if ('outcome' in turn) throw new Error(turn.reason);
    turn[Symbol.dispose]();
    expect(await session.ran('echo "$V $PWNED"')).toMatchObject({ exitCode: 0, stdout: { text: '1 \n' } });
    expect(existsSync(join(session.shell.cwd, 'pwned'))).toBe(false);
  });

  test('see a nonce in its environment, arguments or descriptors', async () => {
    verifies('P5');
    await using session = await opened();
    const look =
      'tr "\\0" "\\n" </proc/$$/environ; cat /proc/$$/cmdline; env; ls -l /proc/self/fd; echo "$BASH_COMMAND $_ $0 $-"; set';
    const { stdout } = await session.ran(look);
    expect(stdout.text).toContain('SHELLGATE_COMMAND=');
    expect(stdout.text.match(/\b[0-9a-f]{24}\b/g) ?? []).toEqual([]);
  });

  test('outlive a deadline behind a false, empty, doubled or missing mark', async () => {
    verifies('P7', 'S3-08');
    await using session = await opened();
    await session.ran('V=1');
    // Start times have 10 ms steps: right behind another command an orphan without a mark would only be a suspect.
    await new Promise(resolve => setTimeout(resolve, 40));
    const text = [
      'SHELLGATE_COMMAND=other sleep 1008.1 &',
      'SHELLGATE_COMMAND= setsid sleep 1008.1 &',
      '(env -i /bin/sleep 1008.1 &)',
      'env SHELLGATE_COMMAND=x setsid sh -c "sleep 1008.1 & sleep 1008.1" &',
      '(setsid sh -c "(sleep 1008.1 &) ; sleep 1008.1" &)',
      'sleep 1008.1',
    ].join('\n');
    const result = await session.ran(text, { timeoutMs: 400 });
    expect(result).toMatchObject({ outcome: 'timed-out', shell: 'kept' });
    expect(result.survivors.filter(isOurs)).toEqual([]);
    expect((await session.ran('pgrep -f "sleep 1008[.]1"; echo $V')).stdout.text).toBe('1\n');
  });

  test('hide a detached program with an empty environment: it is named as a suspect', async () => {
    verifies('P7');
    await using session = await opened();
    const text = '(env -i setsid /bin/sleep 1008.2 &); sleep 1008.3';
    const { survivors } = await session.ran(text, { timeoutMs: 300 });
    const escaped = survivors.filter(process => process.command.includes('1008.2'));
    expect(escaped).toEqual([expect.objectContaining({ reason: 'suspect' })]);
    for (const { pid } of escaped) process.kill(pid, 'SIGKILL');
  });
});

test('an inherited environment runs nothing, in the first shell, the next one and the syntax check', async () => {
  verifies('P11');
  const run = 'touch pwned';
  const env = {
    PATH: '/usr/bin:/bin',
    ENV: '/proc/self/cwd/rc',
    BASH_ENV: '/proc/self/cwd/rc',
    PROMPT_COMMAND: run,
    PS0: `$(${run})`,
    PS1: `$(${run})`,
    PS4: `$(${run})`,
    SHELLOPTS: 'xtrace',
    'BASH_FUNC_echo%%': `() { ${run}; }`,
    'BASH_FUNC_printf%%': `() { ${run}; }`,
    MAILPATH: `/etc/passwd?$(${run})`,
    MAILCHECK: '0',
    TMOUT: '1',
    LD_PRELOAD: '/nope.so',
  };
  await using session = await opened({ env });
  await session.ran(`echo '${run}' >rc`);
  expect(await session.ran('echo a; exit 1')).toMatchObject({ stdout: { text: 'a\n' }, stderr: { text: '' } });
  expect(await session.ran('echo b')).toMatchObject({ stdout: { text: 'b\n' }, stderr: { text: '' }, sessionRestarted: true });
  const turn = await session.shell.turn(requestOf('x'), never);
  if ('outcome' in turn) throw new Error(turn.reason);
  const query = { names: ['echo'], variables: ['TMOUT'], paths: [], hashes: [], text: 'echo `touch pwned` $(touch pwned)' };
  expect(await turn.facts(query, never)).toMatchObject({
    syntax: 'accepted',
    names: { echo: { kind: 'builtin' } },
    variables: { TMOUT: null },
  });
  turn[Symbol.dispose]();
  expect(existsSync(join(session.shell.cwd, 'pwned'))).toBe(false);
});

test('TMOUT set by a command does not end the idle shell', async () => {
  await using session = await opened();
  await session.ran('export TMOUT=1; V=1');
  await new Promise(resolve => setTimeout(resolve, 1_400));
  expect(await session.ran('echo $V')).toMatchObject({ stdout: { text: '1\n' }, sessionRestarted: false });
});

test('functions over every word of the protocol stall one command, which the deadline ends; then the shell is fresh or sane', async () => {
  await using session = await opened();
  const result = await session.ran('printf(){ :; }; builtin(){ :; }; eval(){ :; }', { timeoutMs: 300 });
  expect(result).toMatchObject({ outcome: 'timed-out' });
  const next = await session.ran('echo ok');
  expect(next).toMatchObject({ outcome: 'exited', stdout: { text: 'ok\n' }, sessionRestarted: result.shell === 'killed' });
});

test('a trap between commands cannot forge a report', async () => {
  verifies('P5');
  await using session = await opened();
  await session.ran(
    `trap 'command printf "\\036%s\\0000\\0/\\0\\0\\0\\0\\0%s\\0" 0123456789abcdef01234567 0123456789abcdef01234567' DEBUG`,
  );
  expect(await session.ran('(exit 3)')).toMatchObject({ outcome: 'exited', exitCode: 3 });
});
