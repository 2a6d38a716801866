import { expect, test } from 'vitest';
import { specs } from '../../src/analysis/specs/index.js';
import { runDifferential } from '../fuzz/differential.js';
import { LineGrammar } from '../fuzz/grammar.js';
import { Soup } from '../fuzz/soup.js';
import { verifies } from '../helpers/verifies.js';

const COUNT = Number(process.env['FUZZ_LINES'] ?? 1000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

test(`real bash starts nothing that ${COUNT} analysed lines did not name`, { timeout: 60_000 + COUNT * 200 }, async () => {
  verifies('P3');
  const tally = await runDifferential({ count: COUNT, lines: new LineGrammar(SEED), specs });
  expect(tally.misses).toEqual([]);
  expect(tally.started).toBeGreaterThan(COUNT / 2);
  // An analysis that calls everything opaque would pass the rest.
  expect(tally.opaque / tally.lines).toBeLessThan(0.7);
  if (COUNT !== 1000) console.log({ lines: tally.lines, started: tally.started, opaque: tally.opaque });
});

test(`nor ${COUNT} lines that no grammar made`, { timeout: 60_000 + COUNT * 200 }, async () => {
  verifies('P3');
  const tally = await runDifferential({ count: COUNT, lines: new Soup(SEED), specs });
  expect(tally.misses).toEqual([]);
  // Most of it is no valid line; what is left has to run something.
  expect(tally.started).toBeGreaterThan(COUNT / 10);
});
