import { createAnalyzer } from '../../src/analysis/analyzer.js';
import { specs } from '../../src/analysis/specs/index.js';
import { TAGS } from '../../src/analysis/tags.js';
import type { FileFact, SessionFacts } from '../../src/contract/facts.js';
import type { Evaluation, Policy, Risk } from '../../src/contract/policy.js';
import type { Question } from '../../src/contract/question.js';
import { createPolicy, type PolicyEngine } from '../../src/policy/create-policy.js';
import { exampleFacts } from '../../src/policy/example-world.js';
import { combine } from '../../src/policy/layers.js';
import { loadPolicy, type PolicySources } from '../../src/policy/load.js';
import { request, STATE } from './made.js';

/** The real analyzer, for tests of what rules say about real command lines. */
export const analyzer = createAnalyzer({ specs });

export const REAL_RISKS: Readonly<Record<string, Risk>> = Object.fromEntries(
  Object.entries(TAGS).map(([tag, { risk }]) => [tag, risk]),
);

export async function analysedEngine(sources: Omit<PolicySources, 'analyzer'>): Promise<PolicyEngine> {
  const policy = await loadPolicy({ ...sources, analyzer });
  return createPolicy(combine([{ name: 'user', policies: [policy], authority: 'full' }], { risks: REAL_RISKS }));
}

/** What would be asked about a line where the files it relies on are as `fileAt` says; the others are missing. */
export async function questionWith(
  policy: Policy,
  text: string,
  fileAt: (path: string) => FileFact | undefined = () => undefined,
): Promise<Question> {
  const analysis = await analyzer.analyze(request(text), STATE, new AbortController().signal);
  const hashes = Object.fromEntries(analysis.query.hashes.map(path => [path, fileAt(path) ?? { problem: 'missing' }]));
  const facts = { ...exampleFacts(analysis.query), hashes } as SessionFacts;
  const evaluation = policy.evaluate(request(text), STATE, analysis, facts);
  const shown = { id: 'q', display: { text, warnings: [] }, files: [], askedAt: '', expiresAt: '' };
  return { ...shown, request: request(text), state: STATE, analysis, facts, evaluation };
}

/** Judges command lines by a policy, in a session where nothing is special. */
export async function judging(sources: Omit<PolicySources, 'analyzer'>): Promise<(text: string) => Promise<Evaluation>> {
  const engine = await analysedEngine(sources);
  return async text => {
    const analysis = await analyzer.analyze(request(text), STATE, new AbortController().signal);
    return engine.evaluate(request(text), STATE, analysis, exampleFacts(analysis.query));
  };
}
