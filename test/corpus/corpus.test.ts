import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAnalyzer } from '../../src/analysis/analyzer.js';
import { specs } from '../../src/analysis/specs/index.js';
import { TAGS } from '../../src/analysis/tags.js';
import { createPolicy } from '../../src/policy/create-policy.js';
import { combine } from '../../src/policy/layers.js';
import { loadPolicy } from '../../src/policy/load.js';
import { type CorpusRow, judgeCorpus } from './judge.mjs';

const file = join(import.meta.dirname, '../fixtures/policy-corpus/cases.jsonl');
const cases = readFileSync(file, 'utf8')
  .split('\n')
  .filter(line => line !== '')
  .map((line): CorpusRow => JSON.parse(line));

test('the corpus: nothing wrong is allowed, every static deny is hit, every control runs unasked', {
  timeout: 120_000,
}, async () => {
  const engine = { createAnalyzer, specs, TAGS, createPolicy, combine, loadPolicy };
  const { totals, otherShells } = await judgeCorpus(cases, engine);
  expect(totals).toEqual({ cases: 356, wrongAllow: 0, denyExpected: 80, denyHit: 80, controlsAsked: 0, failing: [] });
  expect(otherShells.wrongAllow).toBe(0);
});
