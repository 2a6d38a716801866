import { describe, expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { alive, footings, isOurs, type Opened, opened } from './opened.js';

const SETUP = 'cd /tmp; export K=1; k(){ echo "K=$K $PWD"; }';
const stateKept = async (session: Opened) => {
  expect(await session.ran('k')).toMatchObject({ stdout: { text: 'K=1 /tmp\n' }, stderr: { text: '' }, sessionRestarted: false });
};

/** Shapes of commands that do not end by themselves, and the most ms after the deadline until their result. */
const SHAPES: readonly [name: string, text: string, slackMs: number][] = [
  ['a program', 'sleep 1000.21; echo more', 300],
  ['a loop', 'while :; do :; done; echo more', 300],
  ['a loop of programs', 'while :; do /bin/true; done', 400],
  ['a pipeline', 'sleep 1000.22 | cat | cat', 300],
  ['a subshell', '(sleep 1000.23; echo more); echo more', 300],
  ['a substitution', 'x=$(sleep 1000.24); echo more', 300],
  ['a function', 'f(){ sleep 1000.25; }; f; echo more', 300],
  ['wait', 'sleep 1000.26 & wait; echo more', 400],
  ['a shell script', "sh -c 'sleep 1000.27; echo more'", 300],
  ['a group in the background', '(sleep 1000.28; sleep 1000.28) & (sleep 1000.28) & sleep 1000.28', 400],
  ['read from a FIFO', 'mkfifo "$HOME/p" && read x <"$HOME/p"', 300],
  ['INT ignored by the program', 'sh -c \'trap "" INT; sleep 1000.29\'', 900],
  ['INT and TERM ignored by the program', 'sh -c \'trap "" INT TERM; sleep 1000.30; sleep 1000.30\'', 1_500],
  ['INT ignored by the shell', "trap '' INT; sleep 1000.31; echo more", 1_000],
  ['an INT trap in the shell', "trap 'echo caught' INT; sleep 1000.32; sleep 1000.32; sleep 1000.32", 1_000],
  ['a stopped program', "sh -c 'kill -STOP $$; sleep 1000.33'", 1_000],
  ['the shell stopped', 'kill -STOP $$; sleep 1000.34', 1_000],
  ['much output', 'yes', 500],
  ['much output to a pipe', 'yes | cat', 500],
  ['set -e on', 'set -e; sleep 1000.35; echo more', 400],
];

describe.each(footings.filter(footing => footing.mode === 'persistent'))('a deadline on $name', footing => {
  test.each(SHAPES)('ends %s and keeps the shell', async (_name, text, slackMs) => {
    await using session = await opened(footing);
    await session.ran(SETUP);
    const began = performance.now();
    const result = await session.ran(text, { timeoutMs: 150 });
    expect(performance.now() - began).toBeLessThan(150 + slackMs + 500); // half a second for a busy machine
    expect(result).toMatchObject({ outcome: 'timed-out', shell: 'kept' });
    expect(result.survivors.filter(isOurs)).toEqual([]);
    expect(result).not.toHaveProperty('exitCode');
    expect(result.stdout.text).not.toContain('more');
    expect(alive('1000.')).toEqual([]);
    await stateKept(session);
  });

  test('leaves nothing of a line that detaches in four ways', async () => {
    verifies('S3-08', 'S3-23', 'J08', 'P7');
    await using session = await opened(footing);
    await session.ran(SETUP);
    const text =
      "setsid sleep 1000.1 & (trap '' INT TERM; exec sleep 1000.2) & nohup sleep 1000.3 & " +
      "sh -c 'sleep 1000.4 & sleep 1000.5 & wait'";
    const began = performance.now();
    const result = await session.ran(text, { timeoutMs: 400 });
    expect(performance.now() - began).toBeLessThan(400 + 2_000);
    expect(result).toMatchObject({ outcome: 'timed-out', shell: 'kept' });
    expect(result.survivors.filter(isOurs)).toEqual([]);
    expect(alive('1000.')).toEqual([]);
    await stateKept(session);
  });

  test('spares the jobs of earlier commands', async () => {
    await using session = await opened(footing);
    expect(await session.ran('sleep 1001.1 & echo started')).toMatchObject({ stdout: { text: 'started\n' } });
    await expect.poll(() => alive('1001.1')).toHaveLength(1); // the fork has yet to become sleep
    await session.ran('sleep 1001.2', { timeoutMs: 100 });
    expect(alive('1001.2')).toEqual([]);
    expect(alive('1001.1')).toHaveLength(1);
    await session.shell.close();
    expect(alive('1001.')).toEqual([]);
  });
});

test('a shell that can only be killed is killed, said so, and replaced', async () => {
  verifies('S3-23', 'J10', 'P7');
  await using session = await opened();
  await session.ran('cd /tmp; export K=1');
  const result = await session.ran("trap - RTMIN+7; trap '' INT; sleep 1002.1", { timeoutMs: 100 });
  expect(result).toMatchObject({ outcome: 'timed-out', shell: 'killed' });
  expect(result.survivors.filter(isOurs)).toEqual([]);
  expect(alive('1002.1')).toEqual([]);
  expect(await session.ran('echo K=$K; pwd')).toMatchObject({ stdout: { text: 'K=\n/tmp\n' }, sessionRestarted: true });
  expect(session.events.map(event => event.type)).toEqual(['session.opened', 'session.lost', 'session.opened']);
});

test('what the timed-out command wrote is kept', async () => {
  await using session = await opened();
  const result = await session.ran('echo part; echo err >&2; sleep 1003.1', { timeoutMs: 100 });
  expect(result).toMatchObject({ outcome: 'timed-out', stdout: { text: 'part\n' }, stderr: { text: 'err\n' } });
});

test('an abort cancels the command and keeps the session', async () => {
  verifies('S3-05', 'J27');
  await using session = await opened();
  await session.ran(SETUP);
  const abort = new AbortController();
  const watch = { started: () => void setTimeout(() => abort.abort('changed my mind'), 50) };
  const result = await session.run('sleep 1004.1; echo more', {}, { signal: abort.signal, watch });
  expect(result).toMatchObject({ outcome: 'cancelled', shell: 'kept', stdout: { text: '' } });
  expect(result).not.toHaveProperty('exitCode');
  await stateKept(session);
});

test('a cancel at any moment of a short command leaves a shell that answers', async () => {
  await using session = await opened();
  await session.ran(SETUP);
  for (let round = 0; round < 60; round++) {
    const abort = new AbortController();
    const after = (round % 12) / 2;
    const watch = { started: () => void setTimeout(() => abort.abort(), after) };
    const result = await session.run(round % 2 ? 'sleep 0.002' : ': ; :', {}, { signal: abort.signal, watch });
    expect(['cancelled', 'exited']).toContain(result.outcome);
    expect(result).toMatchObject({ shell: 'kept' });
  }
  await stateKept(session);
});

test('a cancel while the shell still reads a long line runs no part of it', async () => {
  await using session = await opened();
  await session.ran(SETUP);
  for (let round = 0; round < 6; round++) {
    const abort = new AbortController();
    const text = `: '${'touch ~/torn\n'.repeat(40_000)}'; sleep 1005.1`;
    const watch = { started: () => void setTimeout(() => abort.abort(), round * 3) };
    const result = await session.run(text, {}, { signal: abort.signal, watch });
    expect(result).toMatchObject({ outcome: 'cancelled', shell: 'kept' });
  }
  await stateKept(session);
  expect(await session.ran('ls ~/torn')).toMatchObject({ exitCode: 2 });
});
