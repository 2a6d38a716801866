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

const rowsOf = (name: string): CorpusRow[] =>
  readFileSync(join(import.meta.dirname, '../fixtures/policy-corpus', name), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map((line): CorpusRow => JSON.parse(line));
const engine = { createAnalyzer, specs, TAGS, createPolicy, combine, loadPolicy };

const HELD = 'nothing wrong is allowed, every static deny is hit, every control runs unasked';

test(`the corpus: ${HELD}`, { timeout: 120_000 }, async () => {
  const { totals, otherShells } = await judgeCorpus(rowsOf('cases.jsonl'), engine);
  expect(totals).toEqual({ cases: 356, wrongAllow: 0, denyExpected: 80, denyHit: 80, controlsAsked: 0, failing: [] });
  expect(otherShells.wrongAllow).toBe(0);
});

test(`rows that once taught something: ${HELD}`, { timeout: 240_000 }, async () => {
  const { totals } = await judgeCorpus(rowsOf('fresh.jsonl'), engine);
  expect(totals).toEqual({ cases: 669, wrongAllow: 0, denyExpected: 274, denyHit: 274, controlsAsked: 0, failing: [] });
});

test('a rule that is not understood fails its row instead of judging it by less', async () => {
  const row = { ...rowsOf('cases.jsonl')[0]!, id: 'X', rule: 'allow ls; on Tuesdays' };
  const { totals, wrong } = await judgeCorpus([row], engine);
  expect(totals.failing).toEqual(['X']);
  expect(wrong[0]?.matches[0]?.reason).toContain('"on Tuesdays" is not understood');
});

test('what a setup leaves running ends with it, and it may commit', { timeout: 60_000 }, async () => {
  const row = { ...rowsOf('fresh.jsonl')[0]!, command: 'true', rule: 'allow true', expect: 'ALLOW' };
  const left = { ...row, id: 'LEFT', setup: 'sleep 300 & git commit -q --allow-empty -m x' };
  const started = performance.now();
  const { totals } = await judgeCorpus([left], engine);
  expect(totals.failing).toEqual([]);
  expect(performance.now() - started).toBeLessThan(20_000);
});
