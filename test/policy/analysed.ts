import { createAnalyzer } from '../../src/analysis/analyzer.js';
import { specs } from '../../src/analysis/specs/index.js';
import { TAGS } from '../../src/analysis/tags.js';
import type { Evaluation, Risk } from '../../src/contract/policy.js';
import { createPolicy } from '../../src/policy/create-policy.js';
import { exampleFacts } from '../../src/policy/example-world.js';
import { combine } from '../../src/policy/layers.js';
import { loadPolicy, type PolicySources } from '../../src/policy/load.js';
import { request, STATE } from './made.js';

/** The real analyzer, for tests of what rules say about real command lines. */
export const analyzer = createAnalyzer({ specs });

export const REAL_RISKS: Readonly<Record<string, Risk>> = Object.fromEntries(
  Object.entries(TAGS).map(([tag, { risk }]) => [tag, risk]),
);

/** Judges command lines by a policy, in a session where nothing is special. */
export async function judging(sources: Omit<PolicySources, 'analyzer'>): Promise<(text: string) => Promise<Evaluation>> {
  const policy = await loadPolicy({ ...sources, analyzer });
  const engine = createPolicy(combine([{ name: 'user', policies: [policy], authority: 'full' }], { risks: REAL_RISKS }));
  return async text => {
    const analysis = await analyzer.analyze(request(text), STATE, new AbortController().signal);
    return engine.evaluate(request(text), STATE, analysis, exampleFacts(analysis.query));
  };
}
