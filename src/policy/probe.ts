import type { Analysis } from '../contract/analysis.js';
import type { Evaluation } from '../contract/policy.js';
import { isProbeLine, PROBE_PRINCIPAL } from '../contract/probe-lines.js';
import type { Request } from '../contract/request.js';
import type { PolicyEngine } from './create-policy.js';

/**
 * Stands beside every policy and lets the environment probe through: its own lines, to the byte, asked for by the probe
 * itself, where nothing but the lack of a rule would ask. Denies, ask rules, the floor, what cannot be analysed and what
 * the session says about itself keep their word; for everybody else nothing changes.
 */
export function letProbeThrough(engine: PolicyEngine): PolicyEngine {
  return {
    ...engine,
    evaluate(request, state, analysis, facts) {
      const evaluation = engine.evaluate(request, state, analysis, facts);
      return isOfProbe(request) && hasNoEffect(analysis) && asksForWantOfRule(evaluation) ? allowed(evaluation) : evaluation;
    },
  };
}

function isOfProbe({ kind, principal, text, tty, stdin, env }: Request): boolean {
  const plain = kind === 'command' && !tty && stdin === undefined && Object.keys(env ?? {}).length === 0;
  return plain && principal.kind === PROBE_PRINCIPAL.kind && principal.id === PROBE_PRINCIPAL.id && isProbeLine(text);
}

/** `. --version` reads like a probe and would run a file. */
const hasNoEffect = ({ programs, effects }: Analysis): boolean =>
  programs.length === 1 && [...effects, ...programs.flatMap(program => program.effects)].length === 0;

const asksForWantOfRule = ({ decision, matches }: Evaluation): boolean =>
  decision === 'ask' && matches.every(match => match.decision === 'allow' || match.source === 'default');

function allowed(evaluation: Evaluation): Evaluation {
  const match = {
    source: 'rule',
    decision: 'allow',
    rule: 'builtin-probe',
    reason: 'looks what is installed, for the environment probe',
  } as const;
  return {
    ...evaluation,
    decision: 'allow',
    matches: [...evaluation.matches.filter(({ decision }) => decision === 'allow'), match],
    parts: evaluation.parts.map(() => 'allow'),
    suggestions: [],
  };
}
