import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Capture, type CaptureOptions } from '../../src/executor/local/capture.js';
import type { Pipe } from '../../src/executor/local/pipe.js';
import { PipePool } from '../../src/executor/local/pipe-pool.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const ROUND = 64 * 1024;

/** A capture whose writer is the test itself. */
async function captured(options: Pick<CaptureOptions, 'beside'> = {}) {
  const pool = new PipePool(join(temporaryDirectory(), 'run'));
  const [out, err] = (await pool.takeSome(2)) as [Pipe, Pipe];
  let settled = 0;
  const settle = (): void => {
    settled += 1;
  };
  const capture = new Capture(pool, { out, err }, { settled: settle, ...options });
  const writer = openSync(capture.out.path, constants.O_WRONLY | constants.O_NONBLOCK);
  let open = true;
  const close = (): void => {
    if (open) closeSync(writer);
    open = false;
  };
  onTestFinished(async () => {
    close();
    capture.release();
    await pool.close();
  });
  return { capture, close, settled: () => settled, write: (bytes: Uint8Array) => writeSync(writer, bytes) };
}

test('a stream has its share of a round, and what it had read beyond when the report came is delivered in its place', async () => {
  verifies('P8');
  const { capture, write, close } = await captured();
  const chunks: Uint8Array[] = [];
  capture.out.onData(bytes => {
    if (chunks.push(bytes) === 1) write(Buffer.alloc(ROUND, 'b')); // read in the same go, and held back
  });
  await sleep(20); // it is a stream by now
  let firstRound = 0;
  const finished = new Promise<readonly string[]>(resolve => {
    setTimeout(() => {
      write(Buffer.alloc(ROUND, 'a'));
      // After the reads of this round of the event loop, before the stream is let on.
      setImmediate(() => {
        firstRound = chunks.length;
        write(Buffer.from('c'));
        close();
        void capture.finish(() => {}).then(({ held }) => resolve(held));
      });
    });
  });
  expect(await finished).toEqual([]);
  expect(firstRound).toBe(1);
  expect(Buffer.concat(chunks).toString()).toBe(`${'a'.repeat(ROUND)}${'b'.repeat(ROUND)}c`);
});

test('a short command is read in one go at its end, with no stream before', async () => {
  const { capture, write, close, settled } = await captured();
  const heard: string[] = [];
  capture.out.onData(bytes => void heard.push(Buffer.from(bytes).toString()));
  capture.out.onEnd(() => void heard.push('end'));
  write(Buffer.from('all of it'));
  close();
  expect(await capture.finish(() => {})).toEqual({ held: [] });
  expect(heard).toEqual(['all of it', 'end']);
  expect(settled()).toBe(1);
});

test('a writer that stays is told, its later bytes are late ones, and its end is told too', async () => {
  const { capture, write, close, settled } = await captured();
  const [heard, late]: [string[], string[]] = [[], []];
  capture.out.onData(bytes => void heard.push(Buffer.from(bytes).toString()));
  capture.out.onEnd(() => void late.push('end'));
  write(Buffer.from('now'));
  const { held } = await capture.finish((stream, bytes) => void late.push(`${stream} ${Buffer.from(bytes)}`));
  write(Buffer.from('later'));
  await expect.poll(() => late).toEqual(['out later']);
  close();
  await expect.poll(() => late).toEqual(['out later', 'end']);
  expect([held, heard, settled()]).toEqual([['out'], ['now'], 1]);
});

test('a capture asks whether another session waits, and delivers all of it when the report comes', async () => {
  let asked = 0;
  const beside = (): boolean => {
    asked += 1;
    return true;
  };
  const { capture, write, close } = await captured({ beside });
  const chunks: Uint8Array[] = [];
  capture.out.onData(bytes => void chunks.push(bytes));
  await sleep(20);
  write(Buffer.alloc(ROUND, 'a'));
  while (asked === 0) await sleep(0);
  write(Buffer.alloc(ROUND, 'b'));
  close();
  expect(await capture.finish(() => {})).toEqual({ held: [] });
  expect(Buffer.concat(chunks).toString()).toBe(`${'a'.repeat(ROUND)}${'b'.repeat(ROUND)}`);
});
