// Judges rows of a policy corpus with any build of the engine. What the rows mean: test/fixtures/policy-corpus/README.md.
// Rows of shell `session` need several commands and run as live tests; they are not judged here.
import { askFacts, makeLab } from './lab.mjs';
import { translate } from './translate.mjs';

/** Stands for OUT, a path outside of everything a rule grants. */
const OUTSIDE = '/tmp/lab/OUT';

/** `told`: hears every row with its decision. */
export async function judgeCorpus(cases, engine, told = () => {}) {
  const rows = cases.filter(({ shell, expect }) => shell !== 'session' && expect !== 'n/a');
  const totals = { cases: rows.length, wrongAllow: 0, denyExpected: 0, denyHit: 0, controlsAsked: 0, failing: [] };
  const otherShells = { cases: 0, wrongAllow: 0 };
  const stricter = [];
  const wrong = [];
  const lab = makeLab();
  try {
    const judge = judgeIn(lab, engine);
    for (const row of rows) {
      const { decision, matches } = await judge(row).catch(failed);
      told(row, decision);
      const isBash = row.shell === 'bash';
      if (row.expect !== 'ALLOW' && decision === 'allow') totals.wrongAllow++;
      if (row.expect === 'ALLOW' && decision !== 'allow') totals.controlsAsked++;
      if (isBash && row.expect === 'DENY') totals.denyExpected++;
      if (isBash && row.expect === 'DENY' && decision === 'deny') totals.denyHit++;
      if (!isBash) otherShells.cases++;
      if (!isBash && decision === 'allow') otherShells.wrongAllow++;
      // Where a person was to be asked, a deny (mostly the floor's) lets nothing run either.
      const isStricter = row.expect === 'ASK' && decision === 'deny';
      if (isBash && isStricter) stricter.push(row.id);
      // Text of other shells is never judged by bash's grammar: asking is as right as denying.
      const isRight = isBash ? isStricter || decision === row.expect.toLowerCase() : decision !== 'allow';
      if (isRight && decision !== 'failed') continue;
      totals.failing.push(row.id);
      wrong.push({ row, decision, matches });
    }
  } finally {
    lab.remove();
  }
  return { wrong, stricter, otherShells, sessions: cases.length - rows.length, totals };
}

/** A row that cannot be judged is one that failed; the others are still of interest. */
const failed = error => ({ decision: 'failed', matches: [{ source: 'error', decision: 'failed', reason: error.message }] });

function judgeIn(lab, { createAnalyzer, specs, TAGS, createPolicy, combine, loadPolicy }) {
  const risks = Object.fromEntries(Object.entries(TAGS).map(([tag, { risk }]) => [tag, risk]));
  const analyzer = createAnalyzer({ specs });
  const policies = new Map();

  async function policyFor(words) {
    let policy = policies.get(words);
    if (!policy) {
      const text = JSON.stringify({ default: 'ask', rule: translate(words) });
      const loaded = await loadPolicy({ texts: [{ name: 'corpus.json', text }], analyzer }).catch(error => {
        throw new Error(`the rule "${words}" cannot be translated: ${error.message}`);
      });
      policy = createPolicy(combine([{ name: 'user', policies: [loaded], authority: 'full' }], { risks }));
      policies.set(words, policy);
    }
    return policy;
  }

  return async row => {
    const policy = await policyFor(row.rule ?? '');
    const workspace = lab.repository(row.setup);
    const state = {
      cwd: workspace,
      cwdId: '0:0',
      generation: 1,
      options: 'himBHs',
      family: row.shell,
      executor: 'local',
      user: 'corpus(1000)',
      home: lab.home,
      workspace,
      lineage: 'clean',
    };
    const request = {
      kind: 'command',
      id: row.id,
      sessionId: 'corpus',
      principal: { kind: 'model', id: 'corpus', label: 'corpus' },
      text: row.command.replaceAll(/\bOUT\b/g, OUTSIDE),
      tty: row.tty === true,
    };
    const analysis = await analyzer.analyze(request, state, new AbortController().signal);
    return policy.evaluate(request, state, analysis, askFacts(analysis.query, { env: lab.env, cwd: workspace }));
  };
}
