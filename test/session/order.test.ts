import { describe, expect, test } from 'vitest';
import type { Live } from '../../src/contract/execution.js';
import type { CommandResult } from '../../src/contract/result.js';
import { createLocalExecutor } from '../../src/executor/local/index.js';
import { bash } from '../../src/family/bash.js';
import { verifies } from '../helpers/verifies.js';
import { alive, type Opened, opened, quiet, requestOf, waveThrough } from './opened.js';

const never = new AbortController().signal;

test('concurrent first calls share one shell and do not mix', async () => {
  verifies('S3-22', 'J20');
  await using session = await opened();
  const [one, two] = await Promise.all([session.ran('echo $$; sleep 0.05; echo a'), session.ran('echo $$; echo b')]);
  const [pid] = one.stdout.text.split('\n');
  expect(one.stdout.text).toBe(`${pid}\na\n`);
  expect(two.stdout.text).toBe(`${pid}\nb\n`);
});

test('twenty concurrent commands run one at a time, in order', async () => {
  verifies('S3-22', 'J21');
  await using session = await opened();
  const texts = Array.from({ length: 20 }, (_, n) => `echo ${n} | tee -a order; sleep 0.0${n % 10}`);
  const results = await Promise.all(texts.map(text => session.ran(text)));
  expect(results.map(result => result.stdout.text)).toEqual(texts.map((_, n) => `${n}\n`));
  expect((await session.ran('cat order')).stdout.text).toBe(texts.map((_, n) => `${n}\n`).join(''));
});

test('a held turn holds the others back, and disposing gives it back', async () => {
  await using session = await opened();
  const turn = await session.shell.turn(requestOf('true'), never);
  if ('outcome' in turn) throw new Error(turn.reason);
  let later = false;
  const next = session.ran('echo next').then(result => {
    later = true;
    return result;
  });
  await new Promise(resolve => setTimeout(resolve, 30));
  expect(later).toBe(false);
  turn[Symbol.dispose]();
  turn[Symbol.dispose]();
  expect((await next).stdout.text).toBe('next\n');
});

test('a full queue, a cancel while waiting and a closed session are refusals', async () => {
  await using session = await opened({ queueLimit: 1 });
  const turn = await session.shell.turn(requestOf('true'), never);
  const abort = new AbortController();
  const waiting = session.shell.turn(requestOf('echo waits'), abort.signal);
  expect(await session.run('echo too many')).toMatchObject({ outcome: 'refused', by: 'session', code: 'QUEUE_FULL' });
  abort.abort('not needed any more');
  expect(await waiting).toEqual({ outcome: 'refused', by: 'caller', code: 'CANCELLED', reason: 'not needed any more' });
  const last = session.shell.turn(requestOf('echo waits'), never);
  const closed = session.shell.close();
  expect(await last).toMatchObject({ by: 'session', code: 'SESSION_CLOSED' });
  if (!('outcome' in turn)) turn[Symbol.dispose]();
  await closed;
  expect(await session.run('echo')).toMatchObject({ code: 'SESSION_CLOSED' });
});

test('closing does not wait for a turn that was not used, and nothing starts in it afterwards', async () => {
  await using session = await opened();
  const request = requestOf('echo late');
  const turn = await session.shell.turn(request, never);
  await session.shell.close();
  if ('outcome' in turn) throw new Error(turn.reason);
  expect(await turn.facts({ names: ['ls'], variables: [], paths: [], hashes: [], text: '' }, never)).toMatchObject({
    known: false,
  });
  expect(await turn.start(waveThrough(request), quiet, never)).toMatchObject({ outcome: 'refused', code: 'SESSION_CLOSED' });
});

test('a shell that died while the question was asked runs nothing and says so', async () => {
  verifies('P6');
  await using session = await opened();
  const { stdout } = await session.ran('echo $$');
  const request = requestOf('echo approved');
  const turn = await session.shell.turn(request, never);
  process.kill(Number(stdout.text), 'SIGKILL');
  await new Promise(resolve => setTimeout(resolve, 20));
  if ('outcome' in turn) throw new Error(turn.reason);
  expect(await turn.start(waveThrough(request), quiet, never)).toMatchObject({ outcome: 'refused', code: 'SHELL_UNAVAILABLE' });
  expect(await session.ran('echo next')).toMatchObject({ stdout: { text: 'next\n' }, sessionRestarted: true });
});

test('closing a session cancels what runs and leaves no process', async () => {
  verifies('S3-03', 'P7');
  await using session = await opened();
  let close: Promise<unknown> | undefined;
  const watch = { started: () => void setTimeout(() => (close = session.shell.close()), 30) };
  expect(await session.run('sleep 1006.51', {}, { watch })).toMatchObject({ outcome: 'cancelled' });
  expect(await close).toEqual([]);
  expect(session.events.at(-1)?.type).toBe('session.closed');
});

test('a session that nobody uses closes itself, and not before', async () => {
  await using session = await opened({ idleTimeoutMs: 150 });
  for (let round = 0; round < 4; round++) {
    await new Promise(resolve => setTimeout(resolve, 60));
    expect(await session.ran('sleep 0.2; echo used')).toMatchObject({ stdout: { text: 'used\n' } });
  }
  await expect.poll(() => session.events.map(event => event.type)).toContain('session.closed');
  expect(await session.run('echo')).toMatchObject({ outcome: 'refused', code: 'SESSION_CLOSED' });
});

test('a shell that died while idle is replaced, and only the next result says so', async () => {
  await using session = await opened();
  const { stdout } = await session.ran('cd /tmp; echo $$');
  process.kill(Number(stdout.text), 'SIGKILL');
  await new Promise(resolve => setTimeout(resolve, 20)); // the kernel's time to let it die, less than its streams need
  const turn = await session.shell.turn(requestOf('refused by policy'), never);
  expect(turn).toMatchObject({ state: { generation: 2, cwd: '/tmp' } });
  if (!('outcome' in turn)) turn[Symbol.dispose]();
  expect(await session.ran('pwd')).toMatchObject({ stdout: { text: '/tmp\n' }, sessionRestarted: true });
  expect(await session.ran('pwd')).toMatchObject({ sessionRestarted: false });
});

test('a fresh shell starts where the session began when its directory is gone', async () => {
  await using session = await opened();
  await session.ran('mkdir sub; cd sub');
  await session.ran('rmdir ../sub; exit 1');
  expect((await session.ran('basename "$PWD"')).stdout.text).toMatch(/^session-test-/);
});

test('stateless commands share nothing', async () => {
  verifies('S3-02', 'J02');
  await using session = await opened({ mode: 'stateless' });
  await session.ran('cd /tmp; export A=1; f(){ echo fn; }');
  const result = await session.ran('echo "A=$A"; pwd; f');
  expect(result.stdout.text).toBe(`A=\n${session.shell.cwd}\n`);
  expect(result).toMatchObject({ exitCode: 127, sessionRestarted: false, shell: 'kept' });
  expect(await session.ran('pwd; echo $B', { cwd: '/usr', env: { B: '2' } })).toMatchObject({ stdout: { text: '/usr\n2\n' } });
  expect(await session.ran('sleep 1006.52 & echo started')).toMatchObject({ outcome: 'exited', stdout: { text: 'started\n' } });
});

/** What a turn is refused with; undefined: it is given, and given back. */
async function refusalOf(session: Opened) {
  const turn = await session.shell.turn(requestOf('true'), never);
  if ('outcome' in turn) return turn;
  turn[Symbol.dispose]();
  return undefined;
}

async function stateOf(session: Opened) {
  const turn = await session.shell.turn(requestOf('true'), never);
  if ('outcome' in turn) throw new Error(turn.reason);
  using held = turn;
  return held.state;
}

test('a refused stateless command leaves no shell', async () => {
  await using session = await opened({ mode: 'stateless', pty: 'off' });
  expect(await session.run('true', { tty: true })).toMatchObject({ outcome: 'refused', code: 'TTY_UNAVAILABLE' });
  const turn = await session.shell.turn(requestOf('true'), never);
  if (!('outcome' in turn)) turn[Symbol.dispose]();
  expect(await session.run('true', { background: true })).toMatchObject({ outcome: 'exited', exitCode: 0 });
});

describe('state', () => {
  test('says where the shell is, which one it is and how it is set', async () => {
    await using session = await opened();
    await session.ran('mkdir -p real; ln -s real link; cd link; set -u');
    const state = await stateOf(session);
    expect(state).toMatchObject({ generation: 1, family: 'bash', executor: 'local', lineage: 'clean' });
    expect(state.cwd).toMatch(/\/real$/);
    expect(state.cwdId).toMatch(/^\d+:\d+$/);
    expect(state.options).toContain('u');
    expect(state.user).toMatch(/^\S+\(\d+\)$/);
    expect(Object.isFrozen(state)).toBe(true);
  });

  test.each([
    ['a function named like a builtin', 'cd(){ builtin cd "$@"; }', /named cd/],
    ['a function named like a path', 'function /bin/ls { :; }', /named \/bin\/ls/],
    ['a DEBUG trap', 'trap : DEBUG', /trap is set on DEBUG/],
    ['an ERR trap', 'trap "echo x\ny" ERR', /trap is set on ERR/],
    ['an EXIT trap', 'trap : EXIT', /trap is set on EXIT/],
    ['a CHLD trap', 'trap : CHLD', /trap is set on SIGCHLD/],
    ['a disabled builtin', 'enable -n echo', /disabled \(echo\)/],
    ['an alias in force', 'shopt -s expand_aliases; alias ls=true', /aliases/],
    ['extdebug', 'shopt -s extdebug', /extdebug/],
    ['posix mode', 'set -o posix', /posix/],
    ['keyword assignments', 'set -k', /keyword/],
    ['a reference to another variable', 'declare -n x=PATH', /stands for another variable/],
    ['a function for every unknown name', 'command_not_found_handle(){ :; }', /named command_not_found_handle/],
    ['a readonly protocol name', 'readonly PROMPT_COMMAND=x', /PROMPT_COMMAND is readonly/],
  ])('%s taints until the shell is fresh', async (_name, text, reason) => {
    await using session = await opened();
    expect(await session.ran('f(){ :; }; alias x=y; trap "" HUP')).toMatchObject({ exitCode: 0 });
    expect(await stateOf(session)).toMatchObject({ lineage: 'clean' });
    await session.ran(text);
    expect(await stateOf(session)).toMatchObject({ lineage: 'tainted', taint: expect.stringMatching(reason) });
    await session.ran('kill -9 $$');
    expect(await stateOf(session)).toMatchObject({ lineage: 'clean', generation: 2 });
  });

  test('text that nobody saw taints, whatever the shell says of itself, until the shell is fresh', async () => {
    await using session = await opened();
    const request = requestOf('eval "$X"');
    const { signal } = new AbortController();
    const turn = await session.shell.turn(request, signal);
    if ('outcome' in turn) throw new Error('refused');
    await turn.start(waveThrough(request, { taints: 'nobody saw it' }), quiet, signal);
    await session.ran('true');
    expect(await stateOf(session)).toMatchObject({ lineage: 'tainted', taint: 'nobody saw it' });
    await session.ran('exit');
    expect(await stateOf(session)).toMatchObject({ lineage: 'clean' });
  });
});

describe('background', () => {
  test('a job is said to be left running, and its late output stays out of later results', async () => {
    await using session = await opened();
    const first = await session.ran('(sleep 0.2; echo LATE) & echo started');
    expect(first).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: { text: 'started\n' }, survivors: [] });
    expect(first.leftRunning).not.toEqual([]);
    const second = await session.ran('sleep 0.4; echo second');
    expect(second).toMatchObject({ stdout: { text: 'second\n' }, leftRunning: [] });
    const late = session.events.filter(event => event.type === 'output.late');
    expect(late).toEqual([{ type: 'output.late', data: { command: expect.any(String), stream: 'stdout', bytes: 5 } }]);
  });

  test('a detached job is said to be left running', async () => {
    await using session = await opened();
    const { leftRunning } = await session.ran('setsid sleep 1006.53 >/dev/null 2>&1 & sleep 0.1');
    expect(leftRunning).toEqual([
      expect.objectContaining({ command: expect.stringContaining('sleep 1006.53'), reason: 'left running' }),
    ]);
  });
});

describe('background: true', () => {
  const beside = { background: true } as const;

  test('runs with the state of the shell, keeps none of its own, and frees the turn', async () => {
    await using session = await opened();
    await session.ran('cd /tmp; V=1; f(){ echo "f $1"; }');
    const task = session.ran('f "$V"; pwd; V=2; cd /; sleep 0.3; echo "end $V"; echo e >&2; (exit 5)', beside);
    expect(await session.ran('echo "V=$V"; pwd')).toMatchObject({ stdout: { text: 'V=1\n/tmp\n' }, sessionRestarted: false });
    expect(await stateOf(session)).toMatchObject({ lineage: 'clean' });
    expect(await task).toMatchObject({
      outcome: 'exited',
      exitCode: 5,
      stdout: { text: 'f 1\n/tmp\nend 2\n' },
      stderr: { text: 'e\n' },
      shell: 'kept',
      leftRunning: [],
    });
  });

  test('many run at the same time, each with its own result, stdin and status', async () => {
    await using session = await opened();
    const tasks = Array.from({ length: 8 }, (_, n) => session.ran(`sleep 0.1; cat; exit ${n}`, { ...beside, stdin: `in ${n}` }));
    const results = await Promise.all(tasks);
    expect(results.map(result => [result.exitCode, result.stdout.text])).toEqual(tasks.map((_, n) => [n, `in ${n}`]));
  });

  test('its text has none of the streams of the protocol', async () => {
    await using session = await opened();
    const { stdout } = await session.ran('for fd in /proc/$BASHPID/fd/*; do readlink "$fd"; done', beside);
    expect(stdout.text).toMatch(/pipe|fifo|\/null/);
    expect(stdout.text).not.toMatch(/socket/);
  });

  test.each(['cancelled', 'timed-out'])('one that is %s ends alone', async outcome => {
    await using session = await opened();
    const abort = new AbortController();
    const text = 'sleep 1006.61 & setsid sleep 1006.62 & sh -c \'trap "" TERM; sleep 1006.63\'';
    const on = { signal: abort.signal };
    const task = session.run(text, { ...beside, ...(outcome === 'timed-out' && { timeoutMs: 300 }) }, on);
    const other = session.run('sleep 0.9; echo other', beside);
    await session.ran('sleep 1006.64 & true');
    const foreground = session.ran('sleep 1.2; echo foreground');
    if (outcome === 'cancelled') setTimeout(() => abort.abort(), 300);
    expect(await task).toMatchObject({ outcome, shell: 'kept', survivors: [] });
    expect(alive('1006.6')).toEqual([expect.stringContaining('1006.64')]);
    expect(await other).toMatchObject({ stdout: { text: 'other\n' } });
    expect(await foreground).toMatchObject({ stdout: { text: 'foreground\n' } });
  });

  test('a deadline of the foreground spares it, closing the session does not', async () => {
    await using session = await opened();
    const task = session.run('sleep 1006.65; echo no', beside);
    await session.ran('sleep 1006.66', { timeoutMs: 100 });
    expect(alive('1006.6')).toEqual([expect.stringContaining('1006.65')]);
    await session.shell.close();
    expect(await task).toMatchObject({ outcome: 'cancelled' });
    expect(alive('1006.6')).toEqual([]);
  });

  test.each(['auto', 'off'] as const)('it is lost with the shell, and cannot own the terminal (pty %s)', async pty => {
    await using session = await opened({ pty });
    const task = session.run('sleep 1006.67', beside);
    await session.ran('kill -9 $$');
    expect(await task).toMatchObject({ outcome: 'session-lost', survivors: [] });
    expect(alive('1006.67')).toEqual([]);
    expect(await session.run('true', { ...beside, tty: true })).toMatchObject({ outcome: 'refused', code: 'TTY_UNAVAILABLE' });
  });
});

describe('to the background', () => {
  const promoted = async (session: Opened, text: string, options = {}) => {
    let result!: Promise<CommandResult>;
    const live = await new Promise<Live>(started => {
      result = session.run(text, options, { watch: { started } });
    });
    return { live, result };
  };

  test('a command takes its shell along and the session goes on in a fresh one', async () => {
    await using session = await opened();
    await session.ran('cd /tmp; V=1');
    const { live, result } = await promoted(session, 'echo begun; sleep 0.5; echo "end $V"; exit 4');
    live.toBackground();
    live.toBackground();
    expect(await session.ran('pwd; echo "V=$V"')).toMatchObject({ stdout: { text: '/tmp\nV=\n' }, sessionRestarted: true });
    expect(await session.ran('pwd')).toMatchObject({ sessionRestarted: false });
    expect(await result).toMatchObject({ outcome: 'exited', exitCode: 4, stdout: { text: 'begun\nend 1\n' }, shell: 'ended' });
    live.toBackground();
    expect(session.shell.cwd).toBe('/tmp');
  });

  test('the fresh shell begins with what was exported when the command started', async () => {
    await using session = await opened();
    await session.ran("export A='one\ntwo' PATH=/opt/x:$PATH B=gone; OWN=no; export -n HOME; export C=$'\\351'");
    const request = requestOf('export B=changed; echo begun; sleep 0.5');
    const turn = await session.shell.turn(request, never);
    if ('outcome' in turn) throw new Error(turn.reason);
    await turn.facts({ names: ['sleep'], variables: [], paths: [], hashes: [], text: '' }, never);
    const live = await new Promise<Live>(started => void turn.start(waveThrough(request), { ...quiet, started }, never));
    live.toBackground();
    const seen = 'printf "%s|" "$A" "$B" "$PATH" "${OWN-unset}" "${HOME-unset}" "${C-unset}"';
    expect(await session.ran(seen)).toMatchObject({
      stdout: { text: 'one\ntwo|gone|/opt/x:/usr/local/bin:/usr/bin:/bin|unset|unset|unset|' },
      sessionRestarted: true,
    });
    // Only that one: a shell that is lost takes its environment with it.
    await session.ran('exit');
    expect((await session.ran(seen)).stdout.text).toMatch(/^\|\|\/usr\/local/);
  });

  test('but with nothing of a tainted one', async () => {
    await using session = await opened();
    await session.ran('export A=1 LD_PRELOAD=/x.so');
    const request = requestOf('sleep 0.5');
    const turn = await session.shell.turn(request, never);
    if ('outcome' in turn) throw new Error(turn.reason);
    await turn.facts({ names: ['sleep'], variables: [], paths: [], hashes: [], text: '' }, never);
    const live = await new Promise<Live>(started => void turn.start(waveThrough(request), { ...quiet, started }, never));
    live.toBackground();
    expect((await session.ran('echo "$A$LD_PRELOAD"')).stdout.text).toBe('\n');
  });

  test('a deadline may send it there instead of ending it', async () => {
    await using session = await opened();
    const { result } = await promoted(session, 'sleep 0.4; echo done', { timeoutMs: 50, onTimeout: 'background' });
    expect(await session.ran('echo meanwhile')).toMatchObject({ stdout: { text: 'meanwhile\n' } });
    expect(await result).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: { text: 'done\n' } });
  });

  test('closing the session ends it too', async () => {
    await using session = await opened();
    const { live, result } = await promoted(session, 'sleep 1006.54');
    live.toBackground();
    await session.shell.close();
    expect(await result).toMatchObject({ outcome: 'cancelled' });
  });
});

test('a fork of the shell that keeps its streams taints while it lives, and one that reads them stops the session', async () => {
  verifies('P5');
  await using session = await opened();
  await session.ran('sleep 0.3 & (sleep 0.3; :) & disown');
  expect(await stateOf(session)).toMatchObject({ lineage: 'tainted', taint: expect.stringContaining('fork of the shell') });
  await expect.poll(async () => (await stateOf(session)).lineage).toBe('clean');
  const reader = '(exec >/dev/null 2>&1 </dev/null; while read -r -u 10 line; do :; done) & echo $!; disown';
  const { stdout } = await session.ran(reader);
  // Nothing is sent before the fork is seen reading: it would swallow the command.
  await expect.poll(() => refusalOf(session)).toMatchObject({ by: 'session', code: 'SHELL_UNAVAILABLE' });
  expect(await session.run('echo swallowed')).toMatchObject({ outcome: 'refused', code: 'SHELL_UNAVAILABLE' });
  process.kill(Number(stdout.text), 'SIGKILL');
  await expect.poll(() => session.run('echo again'), { timeout: 4_000 }).toMatchObject({ stdout: { text: 'again\n' } });
});

test('a directory or environment that a persistent shell would ignore is refused', async () => {
  await using session = await opened();
  for (const fields of [{ cwd: '/usr' }, { env: { A: '1' } }]) {
    expect(await session.run('pwd', fields)).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('stateless') });
  }
});

test.each([{}, { background: true }])('a text that cannot be sent is refused and costs nothing (%j)', async fields => {
  await using session = await opened();
  expect(await session.run('echo a\0b', fields)).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('NUL') });
  expect(await session.ran('echo ok')).toMatchObject({ stdout: { text: 'ok\n' } });
});

test('a session that cannot be opened says why', async () => {
  await expect(opened({ cwd: '/nope' })).rejects.toMatchObject({ code: 'SHELL_UNAVAILABLE' });
  const old = { ...bash, minimumVersion: '99.0' };
  await expect(opened({ family: old })).rejects.toMatchObject({
    code: 'SHELL_TOO_OLD',
    message: expect.stringContaining('99.0'),
  });
});

test('a shell that cannot be started again is a refusal, not an exception', async () => {
  const executor = createLocalExecutor({});
  await using session = await opened({ executor });
  await session.ran('exit 0');
  await executor.close();
  expect(await session.run('echo')).toMatchObject({ outcome: 'refused', by: 'session', code: 'SHELL_UNAVAILABLE' });
});

test('a command in the background that is over at once is heard, also while the shell gives its account', async () => {
  verifies('P5');
  await using session = await opened();
  // A long account takes several writes, and leaves the report more places to come between.
  await session.ran('for n in {1..2000}; do eval "f$n() { :; }"; done');
  const texts: string[] = [];
  for (let n = 0; n < 150; n += 1) {
    const { outcome, stdout } = await session.ran('echo over', { background: true, timeoutMs: 1_000 });
    texts.push(`${outcome} ${stdout.text}`);
  }
  expect(texts.filter(text => text !== 'exited over\n')).toEqual([]);
});
