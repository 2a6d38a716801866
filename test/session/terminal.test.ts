import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Live, Screen } from '../../src/contract/execution.js';
import type { CommandResult } from '../../src/contract/result.js';
import { createMarkFilter } from '../../src/session/mark.js';
import { isOurs, type Opened, opened } from './opened.js';

const tty = { tty: true } as const;

/** Starts a tty command and hands out its running side. */
async function begin(session: Opened, text: string, fields = {}): Promise<{ live: Live; result: Promise<CommandResult> }> {
  let result!: Promise<CommandResult>;
  const live = await new Promise<Live>(started => {
    result = session.run(text, { ...tty, ...fields }, { watch: { started } });
  });
  return { live, result };
}

const type = (live: Live, text: string) => live.type?.(Buffer.from(text));
const until = (live: Live, seen: (screen: Screen) => boolean) =>
  expect.poll(async () => seen((await live.screen())!), { timeout: 5_000 }).toBe(true);

test('a terminal command runs in the same shell and its output is exact', async () => {
  await using session = await opened();
  await session.ran('cd /tmp; V=1');
  const result = await session.ran('test -t 0 && test -t 1 && test -t 2 && echo "tty $V $PWD"; W=2; (exit 4)', tty);
  expect(result).toMatchObject({ outcome: 'exited', exitCode: 4, stdout: { text: 'tty 1 /tmp\r\n' }, stderr: { text: '' } });
  expect((await session.ran('echo $W $?')).stdout.text).toBe('2 4\n');
});

test('empty, endless-line and large output end where they end', async () => {
  await using session = await opened();
  expect((await session.ran('true', tty)).stdout.text).toBe('');
  expect((await session.ran('printf x', tty)).stdout.text).toBe('x');
  const { stdout } = await session.ran('head -c 1400000 /dev/zero | tr "\\0" y; echo end', tty);
  expect(stdout.bytes).toBe(1_400_005);
  expect(stdout.text).toMatch(/yend\r\n$/);
  expect((await session.ran('echo next', tty)).stdout.text).toBe('next\r\n');
});

test('typed text reaches the program, and what it left unread reaches nobody', async () => {
  await using session = await opened();
  const { live, result } = await begin(session, 'read -p "name? " v; echo "<$v>"');
  await until(live, screen => screen.lines[0]!.includes('name?'));
  type(live, 'ana\necho unread\n');
  expect(await result).toMatchObject({ outcome: 'exited', stdout: { text: expect.stringContaining('<ana>') } });
  const next = await session.ran('read -t 0.2 v; echo "left:$v"', tty);
  expect(next.stdout.text).toContain('left:\r\n');
});

test('the screen shows a full-screen program, and a resize reaches it', async () => {
  await using session = await opened();
  const text = 'printf "\\033[?1049h\\033[2;3Hhere"; stty size; read v; stty size; read v; printf "\\033[?1049l"; stty size';
  const { live, result } = await begin(session, text);
  await until(live, screen => screen.lines[1]!.includes('here') && screen.alternate);
  const before = (await live.screen())!;
  expect(before).toMatchObject({ cols: 80, rows: 24 });
  live.resize(100, 30);
  type(live, '\n');
  await until(live, screen => screen.lines.join().includes('30 100'));
  expect((await live.screen())!.version).toBeGreaterThan(before.version);
  type(live, '\n');
  expect(await result).toMatchObject({ outcome: 'exited', exitCode: 0 });
  expect((await session.ran('stty size', tty)).stdout.text).toBe('30 100\r\n');
});

test('raw mode left behind is gone with its command', async () => {
  await using session = await opened();
  await session.ran('stty raw -echo', tty);
  expect((await session.ran('stty -a; echo', tty)).stdout.text).toMatch(/ icanon[^-]* iexten echo /);
});

test('typed ^C interrupts the program, typed ^D ends its input', async () => {
  await using session = await opened();
  await session.ran('V=1');
  const sleeping = await begin(session, 'echo ready; sleep 1007.71; echo more');
  await until(sleeping.live, screen => screen.lines[0] === 'ready');
  type(sleeping.live, '\x03');
  expect(await sleeping.result).toMatchObject({ outcome: 'exited', exitCode: 130, shell: 'kept' });
  const reading = await begin(session, 'cat; echo "end $V"');
  type(reading.live, 'a\n\x04');
  expect(await reading.result).toMatchObject({ exitCode: 0, stdout: { text: expect.stringContaining('end 1\r\n') } });
});

test('a second ^C does not hit the command behind', async () => {
  await using session = await opened();
  for (let round = 0; round < 5; round++) {
    const { live, result } = await begin(session, 'echo ready; sleep 1007.74');
    await until(live, screen => screen.lines[0] === 'ready');
    type(live, '\x03');
    type(live, '\x03\x03');
    expect(await result).toMatchObject({ outcome: 'exited', exitCode: 130, shell: 'kept' });
    const next = round % 2 ? tty : {};
    expect(await session.ran('sleep 0.05; printf whole', next)).toMatchObject({ exitCode: 0, stdout: { text: 'whole' } });
  }
});

test.each([
  ['a sleep', 'sleep 1007.72; echo more'],
  ['a reader', 'cat'],
  ['a silent reader', 'read -s v'],
  ['a raw program', 'stty raw -echo isig; cat'],
  ['a program that ignores INT', 'sh -c \'trap "" INT TERM HUP; sleep 1007.73\''],
  ['much output', 'yes'],
])('a deadline ends %s on the terminal and keeps the shell', async (_name, text) => {
  await using session = await opened();
  await session.ran('V=1');
  const result = await session.ran(text, { ...tty, timeoutMs: 200 });
  expect(result).toMatchObject({ outcome: 'timed-out', shell: 'kept' });
  expect(result.survivors.filter(isOurs)).toEqual([]);
  expect(result.stdout.text).not.toContain('more');
  expect((await session.ran('echo "V=$V"', tty)).stdout.text).toBe('V=1\r\n');
  expect((await session.ran('echo "V=$V"')).stdout.text).toBe('V=1\n');
});

test('exit on the terminal ends the shell and the next one has a terminal again', async () => {
  await using session = await opened();
  expect(await session.ran('echo bye; exit 3', tty)).toMatchObject({ outcome: 'exited', exitCode: 3, shell: 'ended' });
  expect(await session.ran('echo ok', tty)).toMatchObject({ stdout: { text: 'ok\r\n' }, sessionRestarted: true });
});

test('a session on pipes has no terminal and says so', async () => {
  await using session = await opened({ pty: 'off' });
  expect(await session.run('true', tty)).toMatchObject({ outcome: 'refused', by: 'session', code: 'TTY_UNAVAILABLE' });
});

test('the mark is taken out wherever the chunks are cut', () => {
  const mark = 'f'.repeat(24);
  const whole = `\x1b]5379;${mark}\x07`;
  const piece = fc.constantFrom('a', '\x1b', ']', '\x1b]5379;', `\x1b]5379;${mark}`, '\x07', whole.slice(0, 9));
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 6 }),
      fc.array(piece, { maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      (before, behind, size) => {
        const plain = before.join('').replaceAll(whole, '');
        const bytes = Buffer.from(`${plain}${whole}${behind.join('').replaceAll(whole, '')}`);
        let text = '';
        let marks = 0;
        const filter = createMarkFilter(mark, {
          write: chunk => {
            text += Buffer.from(chunk).toString();
          },
          marked: () => void marks++,
        });
        for (let at = 0; at < bytes.length; at += size) filter.write(bytes.subarray(at, at + size));
        filter.flush();
        const expected = bytes.toString().replaceAll(whole, '');
        expect(text).toBe(expected);
        expect(marks).toBeGreaterThanOrEqual(1);
      },
    ),
  );
});
