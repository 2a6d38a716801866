import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { after } from '../../src/session/clock.js';
import { createLateness, type LateOutput } from '../../src/session/late.js';
import { nonce } from '../../src/session/nonce.js';
import { createTurnQueue } from '../../src/session/turn.js';

test('one holder at a time, in the order of asking, whoever cancels', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async leaves => {
      const queue = createTurnQueue(100);
      const order: number[] = [];
      let holders = 0;
      const all = leaves.map(async (leave, index) => {
        const abort = new AbortController();
        const turn = queue.take(abort.signal);
        if (leave && index > 0) abort.abort();
        const release = await turn;
        if ('outcome' in release) return;
        holders += 1;
        expect(holders).toBe(1);
        order.push(index);
        await Promise.resolve();
        holders -= 1;
        release();
        release();
      });
      await Promise.all(all);
      expect(order).toEqual(leaves.flatMap((leave, index) => (leave && index > 0 ? [] : [index])));
      expect(queue.busy).toBe(false);
    }),
  );
});

test('a timer longer than Node can hold fires once, at its time', () => {
  vi.useFakeTimers();
  try {
    const long = 2 ** 31 - 1 + 5_000;
    const act = vi.fn();
    after(long, act);
    const never = vi.fn();
    const cancel = after(2 ** 33, never);
    vi.advanceTimersByTime(long - 1);
    expect(act).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(act).toHaveBeenCalledOnce();
    cancel();
    vi.advanceTimersByTime(2 ** 34);
    expect(act).toHaveBeenCalledOnce();
    expect(never).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});

test('nonces are 24 hex digits and never repeat', () => {
  const seen = new Set(Array.from({ length: 2_000 }, nonce));
  expect(seen.size).toBe(2_000);
  for (const each of seen) expect(each).toMatch(/^[0-9a-f]{24}$/);
});

test('late output is told at its first word, then once a second, and every byte in the end', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(900), fc.integer({ min: 1, max: 50 })), { maxLength: 40 }), pieces => {
      const told: (LateOutput & { at: number })[] = [];
      let at = 0;
      const late = createLateness(
        output => void told.push({ ...output, at }),
        () => at,
      );
      for (const [pause, bytes] of pieces) {
        at += pause;
        late.came('c', 'stdout', bytes);
      }
      for (const [index, { at: when }] of told.entries()) {
        if (index > 0) expect(when - told[index - 1]!.at).toBeGreaterThanOrEqual(1_000);
      }
      late.flush();
      late.flush();
      const sum = pieces.reduce((total, [, bytes]) => total + bytes, 0);
      expect(told.reduce((total, { bytes }) => total + bytes, 0)).toBe(sum);
    }),
  );
});
