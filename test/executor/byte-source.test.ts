import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Feed } from '../../src/executor/local/byte-source.js';

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

test('what was said before somebody listened is heard first, in order, and on a later tick', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ minLength: 1 })), fc.array(fc.string({ minLength: 1 })), async (early, late) => {
      const feed = new Feed();
      const heard: string[] = [];
      for (const text of early) feed.push(bytesOf(text));
      feed.onData(bytes => void heard.push(Buffer.from(bytes).toString()));
      expect(heard).toEqual([]);
      for (const text of late) feed.push(bytesOf(text));
      await Promise.resolve();
      expect(heard).toEqual([...early, ...late]);
    }),
  );
});

test('the end comes after everything, once, and nothing comes after it', async () => {
  const feed = new Feed();
  const heard: string[] = [];
  feed.push(bytesOf('a'));
  feed.end();
  feed.end();
  feed.push(bytesOf('b'));
  feed.onData(bytes => void heard.push(Buffer.from(bytes).toString()));
  feed.onEnd(() => void heard.push('end'));
  await Promise.resolve();
  await Promise.resolve();
  expect(heard).toEqual(['a', 'end']);
  expect(feed.ended).toBe(true);
});

test('a feed that nobody hears keeps 64 KiB and no more', async () => {
  const feed = new Feed();
  for (let count = 0; count < 1_000; count += 1) feed.push(new Uint8Array(1_024));
  let heard = 0;
  feed.onData(bytes => {
    heard += bytes.length;
  });
  await Promise.resolve();
  expect(heard).toBe(64 * 1_024);
});
