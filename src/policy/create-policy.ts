import type { Approved } from '../contract/answer.js';
import type { Evaluation, Grant, Match, Policy } from '../contract/policy.js';
import type { Question } from '../contract/question.js';
import { compileRule } from './compiled-rule.js';
import type { Context } from './context.js';
import { conclude, contextOf, digestOf, type Judgement, judge, type PolicyParts, total } from './evaluate.js';
import { type GrantStore, grantAnswers, memoryGrants, rulesOf } from './grants.js';
import { grantFor } from './make-grant.js';
import { suggestionsFor } from './suggest.js';

export interface PolicyEngine extends Policy {
  /** The rules' hash, as recorded with `policy.loaded`. */
  readonly hash: string;
  readonly grants: GrantStore;
}

/** `grants`: where answers are remembered; default: in memory, so `always` lasts as long as this process. */
export function createPolicy(parts: PolicyParts & { readonly grants?: GrantStore }): PolicyEngine {
  const grants = parts.grants ?? memoryGrants();
  return {
    hash: parts.hash,
    grants,
    evaluate: (request, state, analysis, facts) =>
      total(analysis, () => evaluate(parts, contextOf({ request, state, analysis, facts }, parts.binaries), grants.list())),
    remember: async (question, answer) => {
      try {
        return await remember({ parts, grants }, question, answer);
      } catch (error) {
        return { problem: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

function evaluate(parts: PolicyParts, context: Context, grants: readonly Grant[]): Evaluation {
  const judgement = judge(parts, context);
  const { answers, changed } = grantAnswers(grants, parts, judgement);
  const conclusion = conclude(parts, changed.length === 0 ? judgement : withChanged(judgement, changed), answers);
  const suggestions =
    conclusion.decision === 'ask' && conclusion.risk !== 'high'
      ? suggestionsFor(judgement, grant => decideWith(parts, judgement, [...grants, grant]))
      : [];
  return Object.assign(conclusion, { suggestions, digest: digestOf(parts, context) });
}

const withChanged = (judgement: Judgement, changed: readonly Match[]): Judgement => ({
  ...judgement,
  open: [...judgement.open, ...changed.map(match => ({ match }))],
});

/** The decision alone: whether one more grant would silence the question. */
function decideWith(parts: PolicyParts, judgement: Judgement, grants: readonly Grant[]): Evaluation['decision'] {
  const { answers, changed } = grantAnswers(grants, parts, judgement);
  return changed.length > 0 ? 'ask' : conclude(parts, judgement, answers).decision;
}

type Problem = { readonly problem: string };

async function remember(
  { parts, grants }: { parts: PolicyParts; grants: GrantStore },
  question: Question,
  answer: Approved,
): Promise<Grant | Problem> {
  const { request, state, analysis, facts, evaluation } = question;
  if (!answer.remember) return { problem: 'the answer asks for nothing to be remembered' };
  if (evaluation.risk === 'high') return { problem: `high risk is never remembered (${evaluation.riskReason ?? 'high'})` };
  if (request.stdin !== undefined && !answer.remember.rule) return { problem: 'a command with its own input is not remembered' };
  const context = contextOf({ request, state, analysis, facts }, parts.binaries);
  const grant = grantFor(context, answer);
  const rules = rulesOf(grant);
  if (rules.some(rule => rule.decision !== 'allow' || rule.command === undefined)) {
    return { problem: 'a remembered rule allows a command' };
  }
  rules.forEach(compileRule);
  if (decideWith(parts, judge(parts, context), [...grants.list(), grant]) !== 'allow') {
    return { problem: 'it would not silence this question: a part is opaque, of high risk, or not covered by it' };
  }
  await grants.add(grant);
  return grant;
}
