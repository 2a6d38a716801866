import { describe, expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { opened } from './opened.js';

const timeoutMs = 10_000;

describe('nobody types at the terminal of a captured command: who reads it finds its end', () => {
  test.each([
    ['the shell itself', 'read -s x </dev/tty; echo "$? [$x]"', '1 []\n'],
    ['a program', 'head -c 3 /dev/tty | wc -c; echo done', '0\ndone\n'],
    ['one that asks again', 'for i in 1 2 3; do read x </dev/tty; echo "$i $?"; done', '1 1\n2 1\n3 1\n'],
    ['a job of it', '{ read x </dev/tty; echo "job $?"; } & wait', 'job 1\n'],
  ])('%s', async (_who, text, stdout) => {
    verifies('P7');
    await using session = await opened();
    expect(await session.ran(text, { timeoutMs })).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: { text: stdout } });
  });

  test('a stateless command', async () => {
    await using session = await opened({ mode: 'stateless' });
    expect(await session.ran('read x </dev/tty; echo $?', { timeoutMs })).toMatchObject({ stdout: { text: '1\n' } });
  });

  test('a command in the background', async () => {
    await using session = await opened();
    expect(await session.ran('read x </dev/tty; echo $?', { timeoutMs, background: true })).toMatchObject({
      stdout: { text: '1\n' },
    });
  });
});

test('a command that reads nothing is not disturbed, and a later one on the terminal finds no end that was meant for another', async () => {
  await using session = await opened();
  expect((await session.ran('sleep 1.2; echo on')).stdout.text).toBe('on\n');
  // It stops reading for a while, so that an end may come when nobody takes it.
  await session.ran('read x </dev/tty; sleep 0.7; true');
  const { stdout } = await session.ran('read -t 0.3 x; echo $?', { tty: true });
  expect(stdout.text).toBe('142\r\n');
});

test('without a terminal there is nothing to wait at', async () => {
  await using session = await opened({ pty: 'off' });
  const result = await session.ran('read x </dev/tty; echo $?', { timeoutMs });
  expect(result.stdout.text).toBe('1\n');
  expect(result.durationMs).toBeLessThan(timeoutMs);
});
