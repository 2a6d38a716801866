// What a verdict costs, and what it is worth: the policy corpus and the everyday list, beside peers that judge command lines.
import { readFileSync } from 'node:fs';
import { createAnalyzer } from '../dist/analysis/analyzer.js';
import { parse } from '../dist/analysis/parse.js';
import { specs } from '../dist/analysis/specs/index.js';
import { TAGS } from '../dist/analysis/tags.js';
import { RISKS } from '../dist/load-policies.js';
import { createPolicy } from '../dist/policy/create-policy.js';
import { EXAMPLE_SIGNAL, EXAMPLE_STATE, exampleFacts, exampleRequest } from '../dist/policy/example-world.js';
import { combine } from '../dist/policy/layers.js';
import { loadPolicy } from '../dist/policy/load.js';
import { judgeCorpus } from '../test/corpus/judge.mjs';
import { interleave, quantile } from './measure.mjs';
import { judges } from './peers/verdicts.mjs';
import { questionTable } from './questions.mjs';

const FIXTURES = new URL('../test/fixtures/policy-corpus/', import.meta.url);
const OUTSIDE = '/tmp/lab/OUT';

const read = name => readFileSync(new URL(name, FIXTURES), 'utf8').split('\n');
const rows = read('cases.jsonl')
  .filter(Boolean)
  .map(line => JSON.parse(line))
  .filter(({ shell, expect }) => shell === 'bash' && expect !== 'n/a');
const everyday = read('everyday.txt')
  .filter(line => line !== '' && !line.startsWith('#'))
  .map(line => line.replaceAll('⏎', '\n'));

const count = (cases, test) => cases.filter(test).length;

function score(name, answers) {
  const of = row => answers.get(row.id);
  const wrong = count(rows, row => row.expect !== 'ALLOW' && of(row) === 'allow');
  const denials = rows.filter(({ expect }) => expect === 'DENY');
  const controls = rows.filter(({ expect }) => expect === 'ALLOW');
  return [
    `  ${name}`.padEnd(44),
    `${wrong} of ${rows.length - controls.length}`.padStart(14),
    `${count(denials, row => of(row) === 'deny')} of ${denials.length}`.padStart(14),
    `${count(controls, row => of(row) !== 'allow')} of ${controls.length}`.padStart(16),
  ].join('');
}

async function scorePeer(peer) {
  const answers = new Map();
  for (const row of rows) {
    const judge = peer.rulesOf(row.rule ?? '');
    answers.set(row.id, await judge(row.command.replaceAll(/\bOUT\b/g, OUTSIDE)).catch(() => 'failed'));
  }
  return score(peer.name, answers);
}

async function scoreOurs() {
  const answers = new Map();
  const engine = { createAnalyzer, specs, TAGS, createPolicy, combine, loadPolicy };
  await judgeCorpus(rows, engine, ({ id }, decision) => answers.set(id, decision));
  return score('shellgate', answers);
}

async function costs({ rounds, peers }) {
  const analyzer = createAnalyzer({ specs });
  const each = judge => {
    let at = 0;
    return () => judge(everyday[at++ % everyday.length]);
  };
  const analyze = request => analyzer.analyze(request, EXAMPLE_STATE, EXAMPLE_SIGNAL);
  const verdictOf = async profile => {
    const loaded = await loadPolicy({ files: [profile], analyzer });
    const policy = createPolicy(combine([{ name: 'user', policies: [loaded], authority: 'full' }], { risks: RISKS }));
    return each(async text => {
      const request = exampleRequest(text);
      const analysis = await analyze(request);
      return policy.evaluate(request, EXAMPLE_STATE, analysis, exampleFacts(analysis.query));
    });
  };
  const calls = {
    'parse alone': each(text => parse(text, EXAMPLE_SIGNAL)),
    'analysis alone': each(text => analyze(exampleRequest(text))),
    'verdict of read-only, facts given': await verdictOf('read-only'),
    'verdict of workspace, facts given': await verdictOf('workspace'),
  };
  for (const peer of peers) calls[peer.name] = each(peer.rulesOf('allow ls *, cat *, git log *; deny evil'));
  const turns = Math.max(rounds, 2 * everyday.length);
  const samples = await interleave(calls, turns, everyday.length);
  const us = (list, q) => (1000 * quantile(list, q)).toFixed(1).padStart(12);
  const lines = Object.entries(samples).map(([name, list]) => `  ${name}`.padEnd(44) + us(list, 0.5) + us(list, 0.95));
  return {
    text: ['one of the everyday lines'.padEnd(44) + 'median µs'.padStart(12) + 'p95 µs'.padStart(12), ...lines].join('\n'),
    ratio: quantile(samples['verdict of workspace, facts given'], 0.5) / quantile(samples['parse alone'], 0.5),
  };
}

/** Returns how many times a parse a verdict costs, and which peers are absent. */
export async function verdicts({ directory, rounds }) {
  const { found, missing } = await judges(directory);
  const head = [
    'corpus, bash rows'.padEnd(44),
    'wrong allows'.padStart(14),
    'denies hit'.padStart(14),
    'controls asked'.padStart(16),
  ];
  console.log(`\n${head.join('')}\n${await scoreOurs()}`);
  for (const peer of found) console.log(await scorePeer(peer));
  console.log(
    '  (a peer is told the rules it has words for: programs by their first words; cc-safety-net only judges by its own)',
  );
  const { text, ratio } = await costs({ rounds, peers: found });
  console.log(`\n${text}\n\n${await questionTable()}`);
  return { ratio, missing };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { mkdtempSync, rmSync } = await import('node:fs');
  const directory = mkdtempSync('/tmp/shellgate-verdicts-');
  console.log(await verdicts({ directory, rounds: 400 }));
  rmSync(directory, { recursive: true });
  process.exit(0);
}
