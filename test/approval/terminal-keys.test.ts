import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { shownId } from '../../src/contract/question.js';
import { verifies } from '../helpers/verifies.js';
import { question } from './fixture.js';
import { atTerminal } from './terminal-harness.js';

const high = { evaluation: { risk: 'high', riskReason: 'rewrites published history' } } as const;

test('y, pressed alone, approves: once, this question, by whoever sits there', async () => {
  verifies('S3-06', 'P3');
  const asked = question('npm ci');
  const terminal = atTerminal([asked]);
  await terminal.press('y');
  expect(await terminal.answers).toEqual([
    {
      outcome: 'approved',
      questionId: asked.id,
      digest: asked.evaluation.digest,
      approver: { kind: 'person', id: `uid ${process.getuid!()}`, label: expect.any(String) },
      channel: 'terminal',
      level: 'same-user',
    },
  ]);
  await terminal.shows('└ → allowed once');
});

test('where a rule wants a signature no key is a yes, and the question says how to give one', async () => {
  verifies('P3');
  const asked = question('npm publish', { evaluation: { level: 'keyed', suggestions: [] } });
  const terminal = atTerminal([asked]);
  await terminal.shows(`a yes needs a signature: shellgate approve ${shownId(asked)} --key FILE`);
  for (const key of ['y', 's', 'a', 'e']) await terminal.press(key);
  expect(terminal.asking).toBe(true);
  await terminal.press('\r');
  expect(await terminal.answers).toMatchObject([{ outcome: 'denied', how: 'enter' }]);
});

describe('no key but y is a yes', () => {
  test.each([
    ['Enter', '\r', 'enter'],
    ['a line feed', '\n', 'enter'],
    ['Esc', '\x1b', 'escape'],
    ['Ctrl-C', '\x03', 'interrupt'],
    ['Ctrl-D', '\x04', 'eof'],
  ])('%s is a no', async (_name, key, how) => {
    verifies('S3-06', 'P3');
    const terminal = atTerminal([question()]);
    await terminal.press(key);
    expect(await terminal.answers).toMatchObject([{ outcome: 'denied', how }]);
    await terminal.shows('└ → denied');
  });

  test('Y, o and an arrow are nothing', async () => {
    const terminal = atTerminal([question()]);
    for (const key of ['Y', 'o', '\x1b[A']) await terminal.press(key);
    expect(terminal.asking).toBe(true);
    await terminal.press('\r');
    expect(await terminal.answers).toMatchObject([{ outcome: 'denied' }]);
  });

  test('a terminal that goes away is a no that nobody said', async () => {
    verifies('P3');
    const terminal = atTerminal([question()]);
    await terminal.shows('y once');
    terminal.hangUp();
    expect(await terminal.answers).toMatchObject([{ outcome: 'denied', how: 'closed' }]);
  });
});

describe('what was not pressed at the question never answers it', () => {
  const TYPED: readonly [string, readonly string[]][] = [
    ['typed ahead and pasted', ['y', 'y\n', '\x1b[200~y\n\x1b[201~']],
    ['the terminal’s own answers', ['\x1b[0n', '\x1b[12;40R', '\x1b[?1;2c', '\x1b]11;rgb:0/0/0\x07', '\x1b[I', '\x1b[M !!y']],
    ['keys of other protocols', ['\x1b[121u', '\x1b[27;1;121~', 'yy', '\u00ff']],
  ];
  test.each(TYPED)('%s', async (_name, reads) => {
    verifies('S3-06', 'P3');
    const terminal = atTerminal([question()]);
    terminal.send('y');
    terminal.send('y\n');
    await terminal.shows('y once');
    for (const read of reads) {
      terminal.send(read); // within the quiet time
      await sleep(120);
    }
    for (const read of reads.filter(each => each.length > 1)) await terminal.press(read); // and after it
    expect(terminal.asking).toBe(true);
    await terminal.press('y');
    expect(await terminal.answers).toMatchObject([{ outcome: 'approved' }]);
  });

  test('a paste that comes byte by byte', async () => {
    verifies('P3');
    const terminal = atTerminal([question()]);
    await terminal.press('');
    for (const byte of 'y\ny\ny\n') {
      terminal.send(byte);
      await sleep(5);
    }
    await sleep(100);
    expect(terminal.asking).toBe(true);
    await terminal.press('\x1b');
    expect(await terminal.answers).toMatchObject([{ outcome: 'denied', how: 'escape' }]);
  });
});

describe('high risk', () => {
  test('y, y and Enter is a no; it offers nothing to remember', async () => {
    verifies('P3');
    const terminal = atTerminal([question('git push --force', high)]);
    await terminal.shows('type yes to run it once');
    await terminal.press('y');
    expect(terminal.asking).toBe(true);
    await terminal.press('y', '\r');
    expect(await terminal.answers).toMatchObject([{ outcome: 'denied', how: 'enter' }]);
  });

  test('yes, letter by letter, then Enter', async () => {
    verifies('P3');
    const terminal = atTerminal([question('git push --force', high)]);
    await terminal.press('y', 'e', 's');
    await terminal.shows('typed: yes');
    expect(terminal.asking).toBe(true);
    await terminal.press('\r');
    expect(await terminal.answers).toMatchObject([{ outcome: 'approved' }]);
  });

  test('yes in one go is a paste', async () => {
    verifies('P3');
    const terminal = atTerminal([question('git push --force', high)]);
    await terminal.press('yes', 'yes\r', '\r');
    expect(await terminal.answers).toMatchObject([{ outcome: 'denied', how: 'enter' }]);
  });
});
