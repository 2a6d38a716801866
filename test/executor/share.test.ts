import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Share, Traffic } from '../../src/executor/local/share.js';
import { verifies } from '../helpers/verifies.js';

const PIECE = Buffer.alloc(16 * 1024);

/** A stream that never ends by itself, read for `ms`. */
async function readFor(ms: number, beside: () => boolean): Promise<{ bytes: number; mostOfARound: number }> {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 });
  const share = new Share(stream, beside);
  let [bytes, round, mostOfARound] = [0, 0, 0];
  stream.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (round === 0)
      setImmediate(() => {
        round = 0;
      });
    round += piece.length;
    mostOfARound = Math.max(mostOfARound, round);
    share.took(piece.length);
  });
  for (const end = performance.now() + ms; performance.now() < end; await sleep(0)) while (stream.write(PIECE));
  stream.destroy();
  return { bytes, mostOfARound };
}

test('a shell is at work beside another for a while after it was spoken to, and never beside itself', async () => {
  const traffic = new Traffic();
  const [one, other] = [{}, {}];
  expect(traffic.isBeside(one)).toBe(false);
  traffic.spokenTo(one);
  expect([traffic.isBeside(one), traffic.isBeside(other)]).toEqual([false, true]);
  traffic.spokenTo(other);
  traffic.spokenTo(other);
  expect([traffic.isBeside(one), traffic.isBeside(other)]).toEqual([true, true]);
  await sleep(220);
  expect([traffic.isBeside(one), traffic.isBeside(other)]).toEqual([false, false]);
});

test('a flood has its share of each round, and rests between rounds while others work', async () => {
  verifies('P8');
  const alone = await readFor(200, () => false);
  const beside = await readFor(200, () => true);
  expect(alone.mostOfARound).toBe(64 * 1024);
  expect(beside.mostOfARound).toBe(64 * 1024);
  // One round in 2 ms at most; a busy machine has fewer.
  expect(beside.bytes).toBeLessThanOrEqual((200 / 2 + 2) * 64 * 1024);
  expect(beside.bytes).toBeGreaterThan(0);
  expect(alone.bytes).toBeGreaterThan(2 * beside.bytes);
});

test('it goes on by itself when the others have done', async () => {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 });
  let busy = true;
  const share = new Share(stream, () => busy);
  let bytes = 0;
  stream.on('data', (piece: Buffer) => {
    bytes += piece.length;
    share.took(piece.length);
  });
  for (let n = 0; n < 32; n += 1) stream.write(PIECE);
  await sleep(1);
  expect(bytes).toBeLessThan(32 * PIECE.length);
  busy = false;
  await sleep(50);
  expect(bytes).toBe(32 * PIECE.length);
});
