import { expect, test } from 'vitest';
import { specs } from '../../src/analysis/specs/index.js';
import { runFileDifferential } from '../fuzz/file-effects.js';
import { whyNoStrace } from '../fuzz/strace.js';
import { verifies } from '../helpers/verifies.js';

const COUNT = Number(process.env['FUZZ_FILE_LINES'] ?? 300);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const reason = whyNoStrace();

test.skipIf(reason !== undefined)(
  `the kernel sees ${COUNT} lines write and read nothing that was not said${reason === undefined ? '' : ` (${reason})`}`,
  { timeout: 60_000 + COUNT * 1000 },
  async () => {
    verifies('P3');
    const tally = await runFileDifferential({ count: COUNT, seed: SEED, specs, most: Number(process.env['FUZZ_MISSES'] ?? 10) });
    if (COUNT !== 300) console.log({ ...tally, misses: tally.misses.length });
    expect(tally.misses).toEqual([]);
    expect(tally.written + tally.read).toBeGreaterThan(COUNT);
    // An analysis that calls everything opaque would pass the rest.
    expect(tally.opaque / tally.lines).toBeLessThan(0.5);
  },
);
