import type { Decision, Evaluation, Match, Policy, PolicySource, Risk } from '../contract/policy.js';

/** What a second policy would have said, beside what counted. */
export interface Shadowed {
  /** The verdict that counted, and its digest as in `command.evaluated`. */
  readonly decided: Decision;
  readonly evaluation: string;
  readonly decision: Decision;
  readonly risk: Risk;
  /** What made the shadow ask or deny; empty where it allows. */
  readonly matches: readonly Match[];
  readonly digest: string;
}

/** The policy as it is, with a second one judging the same; `told` hears its verdict, and nothing else comes of it. */
export function withShadow(policies: PolicySource, shadows: PolicySource, told: (shadowed: Shadowed) => void): PolicySource {
  return { current: async () => both(await policies.current(), await shadows.current(), told) };
}

function both(policy: Policy, shadow: Policy, told: (shadowed: Shadowed) => void): Policy {
  return {
    evaluate(request, state, analysis, facts) {
      const evaluation = policy.evaluate(request, state, analysis, facts);
      told(shadowed(evaluation, shadow.evaluate(request, state, analysis, facts)));
      return evaluation;
    },
    remember: (question, answer) => policy.remember(question, answer),
  };
}

function shadowed(real: Evaluation, { decision, risk, matches, digest }: Evaluation): Shadowed {
  return {
    decided: real.decision,
    evaluation: real.digest,
    decision,
    risk,
    matches: matches.filter(match => match.decision !== 'allow'),
    digest,
  };
}
