import type { Analyzer } from '../contract/analysis.js';
import type { Decision } from '../contract/policy.js';
import type { CompiledRule } from './compiled-rule.js';
import type { Judged } from './context.js';
import { contextOf, evaluateRules } from './evaluate.js';
import { EXAMPLE_SIGNAL, EXAMPLE_STATE, exampleFacts, exampleRequest } from './example-world.js';
import { forbidsLine, forbidsProgram, matchLine } from './rule-match.js';

/** One example of a rule and what came of it. */
export interface ExampleVerdict {
  readonly rule: string;
  readonly list: 'match' | 'not_match';
  /** Position in the list. */
  readonly index: number;
  readonly text: string;
  /** What the rule alone says, where nothing else does: it asks. */
  readonly decision: Decision;
  readonly agrees: boolean;
  /** Why the rule does not do what the example says; empty when it does. */
  readonly reason: string;
}

/**
 * Runs a rule's own examples, in a fresh session where nothing is special. Under `match` the rules of its file together
 * must allow the line, this rule some part of it; under `not_match` this rule alone must not. A deny or an ask must
 * certainly speak of some part of the line, or must not.
 */
export async function runExamples(
  compiled: CompiledRule,
  file: readonly CompiledRule[],
  analyzer: Analyzer,
): Promise<ExampleVerdict[]> {
  const { rule } = compiled;
  const verdicts: ExampleVerdict[] = [];
  for (const list of ['match', 'not_match'] as const) {
    for (const [index, text] of (rule[list] ?? []).entries()) {
      const request = exampleRequest(text);
      const analysis = await analyzer.analyze(request, EXAMPLE_STATE, EXAMPLE_SIGNAL);
      const input = { request, state: EXAMPLE_STATE, analysis, facts: exampleFacts(analysis.query) };
      const { decision, matched, reason } =
        rule.decision === 'allow' ? tryAllow(compiled, list === 'match' ? file : [compiled], input) : tryForbid(compiled, input);
      const agrees = matched === (list === 'match');
      verdicts.push({ rule: rule.id, list, index, text, decision, agrees, reason: agrees ? '' : reason });
    }
  }
  return verdicts;
}

type Tried = { readonly decision: Decision; readonly matched: boolean; readonly reason: string };

function tryAllow({ rule }: CompiledRule, rules: readonly CompiledRule[], input: Judged): Tried {
  const { decision, matches } = evaluateRules({ rules, default: 'ask', floor: [], risks: {}, hash: '' }, input);
  if (decision === 'allow') {
    const takesPart = matches.some(match => match.rule === rule.id && match.place === rule.place);
    return {
      decision,
      matched: takesPart,
      reason: takesPart ? '' : 'other rules allow the line, this one has no part in it',
    };
  }
  const reasons = [...new Set(matches.filter(match => match.decision !== 'allow').map(match => match.reason))];
  return { decision, matched: false, reason: reasons.join('; ') };
}

function tryForbid(compiled: CompiledRule, input: Judged): Tried {
  const context = contextOf(input);
  const line = matchLine(compiled, context);
  const matched =
    context.subjects.some(subject => forbidsProgram(compiled, subject, { context, line }) === 'yes') ||
    forbidsLine(compiled, line) === 'yes';
  return {
    decision: matched ? compiled.rule.decision : 'ask',
    matched,
    reason: matched ? '' : 'no part of the line matches',
  };
}
