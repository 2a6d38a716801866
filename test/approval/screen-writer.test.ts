import { describe, expect, test } from 'vitest';
import { createKeyReader } from '../../src/approval/prompt/key-reader.js';
import { createScreenWriter, RESET_MODES } from '../../src/approval/screen-writer.js';
import { verifies } from '../helpers/verifies.js';

function screen() {
  const written: string[] = [];
  return { written, writer: createScreenWriter({ write: text => void written.push(text) }) };
}

describe('the screen', () => {
  test('while it is held, what others write waits, and they are told when it is out', async () => {
    const { written, writer } = screen();
    const held = await writer.take();
    let out = false;
    const writing = writer.write('output').then(() => {
      out = true;
    });
    await Promise.resolve();
    expect([written, out, writer.held]).toEqual([[], false, true]);
    held.release();
    await writing;
    expect([written, writer.held]).toEqual([['output'], false]);
  });

  test('goes to one at a time, in order, with what was held in between', async () => {
    const { written, writer } = screen();
    const first = await writer.take();
    const order: string[] = [];
    const second = writer.take().then(held => {
      order.push(`second after ${written.join()}`);
      return held;
    });
    const third = writer.take().then(held => {
      order.push('third');
      return held;
    });
    void writer.write('between');
    first.release();
    first.release(); // a second release gives nobody's screen away
    (await second).release();
    (await third).release();
    expect(order).toEqual(['second after between', 'third']);
    expect(writer.held).toBe(false);
  });

  test('is taken with all modes reset, at the start of a line', async () => {
    const { writer } = screen();
    await writer.write('half a line');
    const held = await writer.take();
    expect(held.preface).toBe(`${RESET_MODES}\r\n`);
    held.release();
    await writer.write('a line\n');
    const again = await writer.take();
    expect(again.preface).toBe(RESET_MODES);
    for (const mode of ['\x1b[0m', '\x1b[r', '\x1b(B', '\x1b[?47l', '\x1b[?1000l', '\x1b[?2004l', '\x1b[>4;0m', '\x1b[?25h']) {
      expect(RESET_MODES).toContain(mode);
    }
    again.release();
  });

  test('holds no more than it has room for, and says what is missing', async () => {
    const { written, writer } = screen();
    const held = await writer.take();
    void writer.write('a'.repeat(200_000));
    void writer.write('b'.repeat(100_000));
    void writer.write('c');
    held.release();
    expect(written.join('')).toBe(
      `${'a'.repeat(200_000)}c\n[... 100000 characters of output not shown while a question was open ...]\n`,
    );
  });
});

describe('a key', () => {
  const [QUIET, ALONE] = [30, 10];
  const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
  async function armed(keys: ReturnType<typeof createKeyReader>): Promise<void> {
    while (!keys.armed) await wait(5);
  }

  async function reading(act: (keys: ReturnType<typeof createKeyReader>) => Promise<void>) {
    const heard: (string | number)[] = [];
    const keys = createKeyReader(
      { key: byte => heard.push(byte), noise: () => heard.push('noise') },
      { quietMs: QUIET, aloneMs: ALONE },
    );
    keys.drawn();
    await act(keys);
    await wait(3 * ALONE);
    await new Promise(setImmediate); // where a busy machine lets its timers come late
    keys.close();
    return heard;
  }
  const y = Buffer.from('y');

  test('counts alone, after the quiet time', async () => {
    const heard = await reading(async keys => {
      await armed(keys);
      keys.read(y);
    });
    expect(heard).toEqual([0x79]);
  });

  test.each<[string, (keys: ReturnType<typeof createKeyReader>) => Promise<void>]>([
    ['typed ahead', async keys => keys.read(y)],
    [
      'pasted in one read',
      async keys => {
        await armed(keys);
        keys.read(Buffer.from('y\n'));
      },
    ],
    [
      'pasted byte by byte',
      async keys => {
        await armed(keys);
        keys.read(y);
        keys.read(Buffer.from('\n'));
      },
    ],
    [
      'just after the question was drawn anew',
      async keys => {
        await armed(keys);
        keys.drawn();
        keys.read(y);
      },
    ],
    [
      'right after something else',
      async keys => {
        await armed(keys);
        keys.read(Buffer.from('\x1b[0;1R'));
        keys.read(y);
      },
    ],
  ])('does not count: %s', async (_name, act) => {
    verifies('P3');
    expect((await reading(act)).filter(each => each !== 'noise')).toEqual([]);
  });

  test('counts again after noise and silence', async () => {
    const heard = await reading(async keys => {
      keys.read(Buffer.from('yyyy'));
      await armed(keys);
      keys.read(y);
    });
    expect(heard).toEqual(['noise', 0x79]);
  });

  test('does not count when the process was too busy to see the paste come', async () => {
    const heard = await reading(async keys => {
      await armed(keys);
      keys.read(y);
      const until = performance.now() + 3 * ALONE;
      while (performance.now() < until);
      setImmediate(() => keys.read(Buffer.from('\n')));
    });
    expect(heard.filter(each => each === 0x79).length).toBeLessThanOrEqual(1);
  });
});
