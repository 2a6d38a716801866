import { expect, onTestFinished, test } from 'vitest';
import { createScreen, type TerminalScreen } from '../../src/output/screen.js';
import { verifies } from '../helpers/verifies.js';

function opened(cols = 20, rows = 4): TerminalScreen & { type(text: string): void } {
  const screen = createScreen(cols, rows);
  onTestFinished(() => screen.dispose());
  return Object.assign(screen, { type: (text: string) => screen.write(Buffer.from(text)) });
}

test('it shows what a terminal would show', async () => {
  const screen = opened();
  screen.type('one\r\ntwo\u001b[31m red\u001b[0m\r\n\u001b[1;1HO\u001b[4;5H');
  expect(await screen.screen()).toEqual({
    version: 1,
    cols: 20,
    rows: 4,
    lines: ['One', 'two red', '', ''],
    cursor: { x: 4, y: 3 },
    alternate: false,
  });
});

test('each picture is as of everything written before it, and its version says so', async () => {
  verifies('P9');
  const screen = opened();
  expect(await screen.screen()).toMatchObject({ version: 0, lines: ['', '', '', ''] });
  screen.type('a');
  const first = screen.screen();
  screen.type('b');
  const second = screen.screen();
  screen.write(new Uint8Array(0)); // nothing: no new picture
  expect(await first).toMatchObject({ version: 1, lines: ['a', '', '', ''] });
  expect(await second).toMatchObject({ version: 2, lines: ['ab', '', '', ''] });
  expect(await screen.screen()).toMatchObject({ version: 2 });
});

test('what scrolled by is gone, and a full-screen program has a screen of its own', async () => {
  const screen = opened();
  screen.type(Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\r\n'));
  expect((await screen.screen()).lines).toEqual(['line 46', 'line 47', 'line 48', 'line 49']);
  screen.type('\u001b[?1049h\u001b[H~editor');
  expect(await screen.screen()).toMatchObject({ alternate: true, lines: ['~editor', '', '', ''] });
  screen.type('\u001b[?1049l');
  expect(await screen.screen()).toMatchObject({ alternate: false, lines: ['line 46', 'line 47', 'line 48', 'line 49'] });
});

test('a new size counts from its place in the stream', async () => {
  const screen = opened(10, 4);
  screen.type('0123456789abc');
  screen.resize(5, 3);
  screen.type('\r\n');
  const seen = await screen.screen();
  expect([seen.cols, seen.rows, seen.version]).toEqual([5, 3, 3]);
});

test('bytes come in any pieces, and the caller may use its own again', async () => {
  const screen = opened();
  const bytes = Buffer.from('\u001b[2;3H😀é');
  for (const byte of bytes) {
    const one = Uint8Array.of(byte);
    screen.write(one);
    one.fill(0x78);
  }
  expect((await screen.screen()).lines[1]).toBe('  😀é');
});

test.each([
  [5, true],
  [30, false],
])('of a flood of %i MB at most the last 8 MiB wait to be parsed', async (megabytes, kept) => {
  verifies('P8');
  const screen = opened();
  const flood = (count: number): void => {
    for (let n = 0; n < count * 10; n += 1) screen.write(Buffer.from(`${'y'.repeat(18)}\r\n`.repeat(5_000)));
  };
  flood(2);
  screen.type('\u001b[?1049h');
  flood(megabytes - 2);
  screen.type('\u001b[2J\u001b[Hthe end');
  // Nobody could parse meanwhile: a mode that was set before the last 8 MiB is lost with what scrolled by.
  expect(await screen.screen()).toMatchObject({ alternate: kept, lines: ['the end', '', '', ''] });
});

test('after its end it takes nothing more', async () => {
  const screen = createScreen(10, 2);
  screen.write(Buffer.from('a'));
  await screen.screen();
  screen.dispose();
  screen.write(Buffer.from('b'));
  screen.resize(3, 3);
  expect(await screen.screen()).toMatchObject({ version: 1, cols: 10 });
});
