import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { offer, question } from './fixture.js';
import { atTerminal } from './terminal-harness.js';

describe('what is on the screen', () => {
  test('an override and an escape sequence in the command can be seen and do nothing', async () => {
    verifies('P4');
    const terminal = atTerminal([question('cat \u202egpj.exe\x1b[2J\x1b]0;title\x07')]);
    await terminal.shows('$ cat <U+202E>gpj.exe<U+001B>[2J<U+001B>]0;title<U+0007>');
    await terminal.shows('! 1 hidden character: <U+202E> at 4');
    expect(terminal.raw).not.toMatch(/\u202e|\x1b\[2J|\x1b\]0/);
    await terminal.press('\r');
    await terminal.answers;
  });

  test('a resize draws it anew, once, and keys count again only after the quiet time', async () => {
    verifies('P3');
    const terminal = atTerminal([question('npm ci && npm test -- --grep "login flow"')]);
    await terminal.press('');
    terminal.resize(50, 20);
    terminal.send('y');
    await sleep(150);
    expect(terminal.asking).toBe(true);
    await terminal.press('y');
    expect(await terminal.answers).toMatchObject([{ outcome: 'approved' }]);
    await terminal.shows('└ → allowed once');
    expect(terminal.screen().match(/└ → allowed once/g)).toHaveLength(1);
  });

  test('of a long text, a yes counts after the last page', async () => {
    verifies('P4');
    const long = Array.from({ length: 40 }, (_, n) => `echo line ${n}`).join('\n');
    const terminal = atTerminal([question(long)], { rows: 16 });
    await terminal.shows(/page 1 of \d/);
    await terminal.press('y');
    await terminal.shows('there is more: space shows the next page');
    expect(terminal.asking).toBe(true);
    await terminal.press('>');
    await terminal.shows('echo line 39');
    await terminal.press('<', 'y');
    expect(await terminal.answers).toMatchObject([{ outcome: 'approved' }]);
  });

  test('explain is looked at on the way: y is nothing there, Enter leads back', async () => {
    const terminal = atTerminal([question()]);
    await terminal.press('x');
    await terminal.shows(`digest ${question().evaluation.digest.slice(0, 16)}`);
    await terminal.press('y');
    expect(terminal.asking).toBe(true);
    await terminal.press('\r');
    await terminal.shows('y once');
    await terminal.press('y');
    expect(await terminal.answers).toMatchObject([{ outcome: 'approved' }]);
  });

  test('others’ output waits while a question is open, and follows it', async () => {
    verifies('P3');
    const terminal = atTerminal([question()], { output: 'OUTPUT OF ANOTHER\r\n' });
    await terminal.press('');
    terminal.signal();
    await sleep(200);
    expect(terminal.raw).not.toContain('OUTPUT');
    await terminal.press('\r');
    await terminal.answers;
    await terminal.shows('OUTPUT OF ANOTHER');
    expect(terminal.raw.indexOf('OUTPUT')).toBeGreaterThan(terminal.raw.indexOf('→ denied'));
  });
});

describe('more than yes and no', () => {
  test('n and a sentence', async () => {
    const terminal = atTerminal([question()]);
    await terminal.press('n');
    await terminal.shows('tell the assistant why');
    await terminal.press('use a branch, main is frozen', '\r');
    expect(await terminal.answers).toMatchObject([
      { outcome: 'denied', how: 'answered', feedback: 'use a branch, main is frozen' },
    ]);
  });

  test('a paste with a line feed goes into the sentence and does not end it', async () => {
    verifies('P3');
    const terminal = atTerminal([question()]);
    await terminal.press('n', '\none\ntwo');
    expect(terminal.asking).toBe(true);
    await terminal.press('\r');
    expect(await terminal.answers).toMatchObject([{ outcome: 'denied', feedback: 'one\ntwo' }]);
  });

  test('e edits the command; Esc leads back to the question', async () => {
    const terminal = atTerminal([question('npm ci')]);
    await terminal.press('e');
    await terminal.shows('run instead: npm ci');
    await terminal.press('\x1b');
    await terminal.shows('y once');
    await terminal.press('e', ' --ignore-scripts', '\r');
    expect(await terminal.answers).toMatchObject([{ outcome: 'edited', text: 'npm ci --ignore-scripts' }]);
  });

  test('an edit keeps the characters that cannot be seen, and shows a sign for each', async () => {
    const terminal = atTerminal([question('echo a\u200bb\nls')]);
    await terminal.press('e');
    await terminal.shows('echo a␦b⏎ls');
    await terminal.press('!', '\r');
    expect(await terminal.answers).toMatchObject([{ outcome: 'edited', text: 'echo a\u200bb\nls!' }]);
  });

  test('s remembers the one rule that is offered for the session', async () => {
    const suggestion = offer('session', 'npm test **');
    const terminal = atTerminal([question('npm test', { evaluation: { suggestions: [suggestion] } })]);
    await terminal.shows('s session: npm test **');
    await terminal.press('s');
    expect(await terminal.answers).toMatchObject([
      { outcome: 'approved', remember: { scope: 'session', rule: suggestion.rule } },
    ]);
  });

  test('s remembers a rule for each part where several ask, and shows them all', async () => {
    const suggestion = { ...offer('session', 'npm ci'), also: [offer('session', 'npm test **').rule] };
    const terminal = atTerminal([question('npm ci && npm test', { evaluation: { suggestions: [suggestion] } })]);
    await terminal.shows('s session: npm ci, npm test **');
    await terminal.press('s');
    const { rule, also } = suggestion;
    expect(await terminal.answers).toMatchObject([{ outcome: 'approved', remember: { scope: 'session', rule, also } }]);
  });

  test('a shows the rule first; y there remembers it always', async () => {
    const terminal = atTerminal([question('npm test', { evaluation: { suggestions: [offer('always', 'npm test **')] } })]);
    await terminal.press('a');
    await terminal.shows('would also allow: npm test -u');
    expect(terminal.asking).toBe(true);
    await terminal.press('y');
    expect(await terminal.answers).toMatchObject([
      { outcome: 'approved', remember: { scope: 'always', rule: { command: 'npm test **' } } },
    ]);
  });
});

describe('a question that ends elsewhere', () => {
  test('says by whom and gives the terminal back', async () => {
    const terminal = atTerminal([question()], { sentence: 'allowed once by ana (web) at 21:04:12' });
    await terminal.press('');
    terminal.signal();
    expect(await terminal.answers).toEqual([{ outcome: 'unavailable', reason: 'allowed once by ana (web) at 21:04:12' }]);
    await terminal.shows('└ → allowed once by ana (web) at 21:04:12');
  });

  test('in the middle of an edit ends that too', async () => {
    const terminal = atTerminal([question()], { sentence: 'nobody answered in time' });
    await terminal.press('e');
    await terminal.shows('run instead');
    terminal.signal();
    expect(await terminal.answers).toMatchObject([{ outcome: 'unavailable' }]);
    await terminal.shows('└ → nobody answered in time');
  });

  test('counts down the last minute', async () => {
    const terminal = atTerminal([question('ls', { expiryMs: 30_000 })]);
    await terminal.shows(/\d\d s left/);
    await terminal.press('\r');
    expect(await terminal.answers).toMatchObject([{ outcome: 'denied' }]);
  });
});

test('a job in the background of its terminal cannot ask there, and is not stopped by trying', async () => {
  verifies('S3-06');
  const terminal = atTerminal([question()], { background: true });
  expect(await terminal.answers).toEqual([
    { outcome: 'unavailable', reason: 'the process runs in the background of its terminal' },
  ]);
});

test('several are asked one after the other, and each is told how many wait', async () => {
  const all = ['one', 'two', 'three'].map((text, n) => question(text, { id: `q${n}aa` }));
  const terminal = atTerminal(all);
  await terminal.shows('2 more waiting');
  await terminal.press('y');
  await terminal.shows('$ two');
  await terminal.press('\r');
  await terminal.shows('$ three');
  await terminal.press('y');
  expect(await terminal.answers).toMatchObject([
    { outcome: 'approved', questionId: 'q0aa' },
    { outcome: 'denied', questionId: 'q1aa' },
    { outcome: 'approved', questionId: 'q2aa' },
  ]);
});
