#!/usr/bin/env node
// Judges a policy corpus: `npm run corpus [-- FILE]`. Prints what came out wrong, by group, and one line of JSON.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createAnalyzer } from '../../dist/analysis/analyzer.js';
import { specs } from '../../dist/analysis/specs/index.js';
import { TAGS } from '../../dist/analysis/tags.js';
import { createPolicy } from '../../dist/policy/create-policy.js';
import { combine } from '../../dist/policy/layers.js';
import { loadPolicy } from '../../dist/policy/load.js';
import { judgeCorpus } from './judge.mjs';

const file = resolve(process.argv[2] ?? new URL('../fixtures/policy-corpus/cases.jsonl', import.meta.url).pathname);
const cases = readFileSync(file, 'utf8')
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => JSON.parse(line));

const engine = { createAnalyzer, specs, TAGS, createPolicy, combine, loadPolicy };
const { wrong, stricter, otherShells, sessions, totals } = await judgeCorpus(cases, engine);

let group = '';
for (const { row, decision, matches } of wrong) {
  if (row.group !== group) console.log(`\n${row.group}`);
  group = row.group;
  const command = JSON.stringify(row.command).slice(0, 120);
  console.log(`  ${row.id}  ${decision}, expected ${row.expect.toLowerCase()}  [${row.rule}]  ${command}`);
  for (const match of matches.filter(one => one.decision === decision).slice(0, 4)) {
    console.log(`      ${match.source} ${match.rule ?? ''} ${match.reason}`);
  }
}
console.log(`\ndenied where asking was expected: ${stricter.join(' ') || 'none'}`);
console.log(
  `zsh, pwsh, cmd: ${otherShells.cases} rows, ${otherShells.wrongAllow} allowed; session: ${sessions} rows are live tests`,
);
console.log(JSON.stringify(totals));
process.exitCode = totals.wrongAllow > 0 ? 1 : 0;
