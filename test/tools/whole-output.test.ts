import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Execution } from '../../src/contract/execution.js';
import { createCollector } from '../../src/output/collector.js';
import { truncateStreams } from '../../src/output/truncation.js';
import { limitedOutput, type RanResult } from '../../src/tools/whole-output.js';
import { verifies } from '../helpers/verifies.js';

const MARKER = /\n\[\.\.\. truncated (\d+) bytes \.\.\.\]\n/;

/** A finished command that printed this, of which its session kept `limitBytes` a stream. */
async function finished(printed: { stdout: string; stderr: string }, limitBytes: number) {
  const whole = { stdout: Buffer.from(printed.stdout), stderr: Buffer.from(printed.stderr) };
  const captured = async (bytes: Buffer) => {
    const collector = createCollector({ limitBytes });
    collector.write(bytes);
    collector.end();
    return collector.captured();
  };
  const execution = {
    output: async (stream: 'stdout' | 'stderr', from: number, max: number) => {
      // In pieces of any size, as a stream comes.
      const bytes = whole[stream].subarray(from, from + Math.min(max, 7));
      return { bytes, next: from + bytes.length, end: from + bytes.length >= whole[stream].length };
    },
  } as unknown as Execution;
  const result = { outcome: 'exited', exitCode: 0, stdout: await captured(whole.stdout), stderr: await captured(whole.stderr) };
  return { execution, result: result as unknown as RanResult, whole };
}

const output = fc
  .array(fc.constantFrom('line\n', 'error: no\n', 'panic', '😀', 'é', 'x', '\n', 'Traceback (most recent call last):\n'), {
    maxLength: 60,
  })
  .map(parts => parts.join(''));

test('both streams under one limit: what the whole gives, whatever the session kept', async () => {
  verifies('S1-02', 'S1-12', 'S1-13');
  await fc.assert(
    fc.asyncProperty(
      output,
      output,
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 2, max: 400 }),
      async (stdout, stderr, limit, kept) => {
        const { execution, result, whole } = await finished({ stdout, stderr }, kept);
        const shown = await limitedOutput(execution, result, limit);
        const expected = truncateStreams(whole, { strategy: 'head_tail_errors', limitBytes: limit });
        expect(shown).toEqual({ stdout: expected.stdout.text, stderr: expected.stderr.text });
        let keptBytes = 0;
        for (const [text, all] of [
          [shown.stdout, whole.stdout],
          [shown.stderr, whole.stderr],
        ] as const) {
          const omitted = Number(MARKER.exec(text)?.[1] ?? 0);
          const left = Buffer.byteLength(text.replace(MARKER, ''));
          expect(left + omitted).toBe(all.length);
          expect(text).not.toContain('\uFFFD');
          keptBytes += left;
        }
        expect(keptBytes).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 200 },
  );
});

test('no limit gives everything', async () => {
  verifies('S1-12');
  await fc.assert(
    fc.asyncProperty(output, output, fc.integer({ min: 2, max: 400 }), async (stdout, stderr, kept) => {
      const { execution, result } = await finished({ stdout, stderr }, kept);
      expect(await limitedOutput(execution, result, 0)).toEqual({ stdout, stderr });
    }),
  );
});

test('a spool that its quota cut gives the head and tail there is, under the limit', async () => {
  const { execution, result } = await finished({ stdout: 'x'.repeat(1_000), stderr: '' }, 100);
  const cut = { ...execution, output: async () => ({ bytes: new Uint8Array(0), next: 0, end: true }) } as unknown as Execution;
  const { stdout } = await limitedOutput(cut, result, 50);
  expect(stdout.replace(MARKER, '').length).toBeLessThanOrEqual(50);
});
