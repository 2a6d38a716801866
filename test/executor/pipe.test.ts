import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Pipe } from '../../src/executor/local/pipe.js';
import { PipePool, sweepPipes } from '../../src/executor/local/pipe-pool.js';
import { StdinFile } from '../../src/executor/local/stdin-file.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

function pool(names?: 'none' | 'kept'): { pool: PipePool; place: string } {
  const place = join(temporaryDirectory(), 'run');
  const made = new PipePool(place, names);
  onTestFinished(() => made.close());
  return { pool: made, place };
}

/** Every pipe that lies ready; the pool refills itself meanwhile, so this is a moment's view. */
function ready(from: PipePool): Pipe[] {
  const pipes: Pipe[] = [];
  for (let pipe = from.takeReady(); pipe; pipe = from.takeReady()) pipes.push(pipe);
  onTestFinished(() => pipes.forEach(pipe => void pipe.close()));
  return pipes;
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

function write(path: string, text: string): void {
  const fd = openSync(path, O_WRONLY | O_NONBLOCK);
  writeSync(fd, text);
  closeSync(fd);
}

describe('the pool', () => {
  test('gives pipes that have no name, and leaves nothing in its directory', async () => {
    const { pool: pipes, place } = pool();
    const pipe = await pipes.take();
    expect(pipe.path).toMatch(new RegExp(`^/proc/${process.pid}/fd/\\d+$`));
    expect(pipe.reusable).toBe(true);
    expect(readdirSync(place)).toEqual([]);
    pipe.close();
  });

  test('drains what was written and says whether a writer is left', async () => {
    const { pool: pipes } = pool();
    const pipe = await pipes.take();
    const writer = openSync(pipe.path, O_WRONLY | O_NONBLOCK);
    writeSync(writer, 'abc');
    const seen: string[] = [];
    const drain = (bound = 1_000_000) => pipe.drain(bytes => void seen.push(Buffer.from(bytes).toString()), bound);
    expect(drain()).toBe('held');
    writeSync(writer, 'def');
    closeSync(writer);
    expect(drain()).toBe('ended');
    expect(seen).toEqual(['abc', 'def']);
    pipe.close();
  });

  test('a writer that never stops does not keep the host reading', async () => {
    const { pool: pipes } = pool();
    const pipe = await pipes.take();
    const writer = openSync(pipe.path, O_WRONLY | O_NONBLOCK);
    let read = 0;
    const flood = Buffer.alloc(60_000);
    writeSync(writer, flood);
    const state = pipe.drain(bytes => {
      read += bytes.length;
      writeSync(writer, flood); // as fast as it is read
    }, 1_000_000);
    expect([state, read < 1_100_000]).toEqual(['held', true]);
    closeSync(writer);
    pipe.close();
  });

  test.each([
    ['has a foreign writer', (path: string) => openSync(path, O_WRONLY | O_NONBLOCK)],
    [
      'was filled by a stranger who left again',
      (path: string) => {
        write(path, 'foreign');
        return undefined;
      },
    ],
  ])('gives nobody a pipe that %s', async (_, strange) => {
    verifies('P5');
    const { pool: pipes } = pool();
    (await pipes.take()).close();
    const [first, ...others] = ready(pipes);
    expect(others.length).toBeGreaterThan(3);
    const strangers = others.map(pipe => strange(pipe.path));
    expect(others.map(pipe => pipe.isUntouched())).toEqual(others.map(() => false));
    expect(first!.isUntouched()).toBe(true);
    for (const fd of strangers) if (fd !== undefined) closeSync(fd);
  });

  test('takes the next one when a stranger sits in the first', async () => {
    verifies('P5');
    const { pool: pipes } = pool();
    const pipe = await pipes.take();
    pipes.giveBack(pipe); // now it is the one that is given next
    await nextTurn();
    const stranger = openSync(pipe.path, O_WRONLY | O_NONBLOCK);
    const next = await pipes.take();
    expect(next.isUntouched()).toBe(true);
    expect(next).not.toBe(pipe);
    closeSync(stranger);
    next.close();
  });

  test('does not reuse a pipe that a stranger reads: it would steal a later output', async () => {
    verifies('P5', 'P8');
    const { pool: pipes } = pool();
    const [pipe, clean] = (await pipes.takeSome(2)) as [Pipe, Pipe];
    const stranger = openSync(pipe.path, O_RDONLY | O_NONBLOCK);
    expect(pipe.recycle()).toBe(false);
    expect(clean.recycle()).toBe(true);
    const writer = openSync(clean.path, O_WRONLY | O_NONBLOCK);
    writeSync(writer, 'mine');
    closeSync(writer);
    const seen: string[] = [];
    expect(clean.drain(bytes => void seen.push(Buffer.from(bytes).toString()), 100)).toBe('ended');
    expect(seen).toEqual(['mine']); // nothing of the byte that tried it
    closeSync(stranger);
    clean.close();
  });

  test('serves again what came back, without making new ones', async () => {
    const { pool: pipes, place } = pool();
    const first = await pipes.take();
    pipes.giveBack(first);
    for (let round = 0; round < 200; round += 1) {
      await nextTurn();
      const pipe = pipes.takeReady();
      expect(pipe).toBe(first);
      pipes.giveBack(pipe!);
    }
    await nextTurn();
    expect(readdirSync(place)).toEqual([]);
  });

  test('a pipe with a name serves one command only and its name goes with it', async () => {
    verifies('P5');
    const { pool: pipes, place } = pool('kept');
    const pipe = await pipes.take();
    expect(pipe.path.startsWith(place)).toBe(true);
    expect(pipe.reusable).toBe(false);
    pipes.giveBack(pipe);
    await nextTurn();
    expect(existsSync(pipe.path)).toBe(false);
    await pipes.close();
    expect(readdirSync(place)).toEqual([]);
  });

  test('says why there are no pipes, and gives none after its end', async () => {
    const { pool: pipes } = pool();
    await pipes.close();
    await expect(pipes.take()).rejects.toMatchObject({ code: 'EXECUTOR_CLOSED' });
    const nowhere = new PipePool('/proc/no-such-place');
    await expect(nowhere.take()).rejects.toMatchObject({ code: 'PLACE_UNAVAILABLE' });
    await expect(nowhere.takeSome(2)).rejects.toMatchObject({ code: 'PLACE_UNAVAILABLE' });
  });

  test('names a machine without mkfifo', async () => {
    vi.resetModules();
    vi.doMock('../../src/platform.js', async load => ({
      ...(await load<object>()),
      realLookup: { isExecutable: (path: string) => !path.endsWith('mkfifo') },
    }));
    onTestFinished(() => {
      vi.doUnmock('../../src/platform.js');
      vi.resetModules();
    });
    const { PipePool: Without } = await import('../../src/executor/local/pipe-pool.js');
    const pipes = new Without(join(temporaryDirectory(), 'run'));
    await expect(pipes.take()).rejects.toMatchObject({ code: 'PIPES_UNAVAILABLE', message: expect.stringContaining('mkfifo') });
  });
});

test('only old pipe directories of dead hosts are swept away', async () => {
  const place = temporaryDirectory();
  const dead = await deadPid();
  const old = new Date(Date.now() - 120_000);
  const names = {
    gone: `pipes-${dead}-abcdef`,
    fresh: `pipes-${dead}-fresh1`,
    living: `pipes-${process.pid}-abcdef`,
    other: `shells`,
  };
  for (const name of Object.values(names)) mkdirSync(join(place, name));
  for (const name of [names.gone, names.living, names.other]) utimesSync(join(place, name), old, old);
  sweepPipes(place);
  expect(readdirSync(place).sort()).toEqual([names.fresh, names.living, names.other].sort());
  sweepPipes('/no/such/place'); // nothing there is nothing to do
});

async function deadPid(): Promise<number> {
  const child = spawn('/bin/true');
  await new Promise(resolve => child.once('exit', resolve));
  return child.pid!;
}

describe('the stdin of a command', () => {
  const read = (path: string): string => {
    const fd = openSync(path, O_RDONLY);
    const bytes = Buffer.alloc(100);
    const length = readSync(fd, bytes);
    closeSync(fd);
    return bytes.toString('utf8', 0, length);
  };

  test('is a file without a name that can be opened more than once, each time from its beginning', () => {
    verifies('P10');
    const place = temporaryDirectory();
    const file = new StdinFile(Buffer.from('typed'), { directory: place, named: false });
    expect([read(file.path), read(file.path)]).toEqual(['typed', 'typed']);
    expect(readdirSync(place)).toEqual([]);
    expect(readlinkSync(file.path)).toMatch(/shellgate-stdin-.* \(deleted\)$/);
    file.opened();
    expect(() => read(file.path)).toThrow();
    file.release(); // again: nothing happens
  });

  test('keeps a name until its command is over where nobody can open a nameless one', () => {
    const place = temporaryDirectory();
    const file = new StdinFile(Buffer.from('typed'), { directory: place, named: true });
    expect(read(file.path)).toBe('typed');
    expect(readdirSync(place)).toHaveLength(1);
    file.release();
    expect(readdirSync(place)).toEqual([]);
  });

  test('says what is wrong when there is no room for it', () => {
    expect(() => new StdinFile(Buffer.from('x'), { directory: '/no/such/place', named: true })).toThrow('ENOENT');
  });
});
