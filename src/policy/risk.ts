import type { Effect, EffectKind, Program } from '../contract/analysis.js';
import type { Decision, Risk } from '../contract/policy.js';
import type { Context } from './context.js';

/** What a kind of effect counts as where no tag says more. */
const EFFECT_RISK: Readonly<Record<EffectKind, Risk>> = {
  read: 'low',
  write: 'medium',
  network: 'medium',
  exec: 'medium',
  code: 'medium',
  state: 'low',
  config: 'medium',
  environment: 'low',
  process: 'medium',
  privilege: 'high',
  disclosure: 'high',
};

const RANK: Readonly<Record<Risk, number>> = { low: 0, medium: 1, high: 2 };

/** The risk of an unlisted tag, and of what cannot be known. */
const UNKNOWN_RISK: Risk = 'medium';

export interface RiskOf {
  readonly risk: Risk;
  /** The tag or effect that set it; absent when nothing did. */
  readonly reason?: string;
}

/** Is this program too dangerous to be allowed by memory? */
export const isHighRisk = (program: Program, risks: Readonly<Record<string, Risk>>): boolean =>
  program.tags.some(tag => Object.hasOwn(risks, tag) && risks[tag] === 'high') ||
  program.effects.some(({ kind }) => EFFECT_RISK[kind] === 'high');

/** The highest risk among tags, effects and what is not known; of equals, the first found. */
export function riskOf({ analysis }: Context, decision: Decision, risks: Readonly<Record<string, Risk>>): RiskOf {
  let worst: RiskOf = { risk: 'low' };
  const raise = (risk: Risk, reason: string) => {
    if (RANK[risk] > RANK[worst.risk]) worst = { risk, reason };
  };
  const ofEffect = ({ kind }: Effect) => raise(EFFECT_RISK[kind], kind);
  for (const program of analysis.programs) {
    for (const tag of program.tags) raise((Object.hasOwn(risks, tag) ? risks[tag] : undefined) ?? UNKNOWN_RISK, `tag ${tag}`);
  }
  for (const program of analysis.programs) program.effects.forEach(ofEffect);
  analysis.effects.forEach(ofEffect);
  if (decision !== 'allow') {
    const reason = [...analysis.opaque, ...analysis.programs.flatMap(program => program.opaque)][0];
    if (reason) raise(UNKNOWN_RISK, reason.code);
    for (const program of analysis.programs) if (!program.specified) raise(UNKNOWN_RISK, 'a program without a spec');
  }
  return worst;
}
