import type { Decision, Risk } from '../contract/policy.js';
import { hashOf } from './digest.js';
import type { PolicyParts } from './evaluate.js';
import { compileFloor, FLOOR, type FloorRule } from './floor.js';
import type { LoadedPolicy } from './load.js';

/** Policies of one origin. The order of layers does not matter: the strictest rule wins over all of them. */
export interface Layer {
  readonly name: 'administrator' | 'user' | 'project' | 'seed';
  readonly policies: readonly LoadedPolicy[];
  /**
   * `tighten`: only its denies and asks count. A project's own files stand there until a person trusted their content;
   * so does everything below an administrator who locked the policy.
   */
  readonly authority: 'full' | 'tighten';
}

export interface LayerOptions {
  readonly risks: Readonly<Record<string, Risk>>;
  readonly floor?: readonly FloorRule[];
  readonly binaries?: readonly string[];
  readonly tighten?: PolicyParts['tighten'];
}

const STRICTNESS: readonly Decision[] = ['allow', 'ask', 'deny'];

/** What an evaluation needs, from all the policies in force. Without any default the answer to the unknown is `ask`. */
export function combine(layers: readonly Layer[], options: LayerOptions): PolicyParts {
  const rules = layers.flatMap(({ policies, authority }) =>
    policies.flatMap(policy => policy.rules.filter(({ rule }) => authority === 'full' || rule.decision !== 'allow')),
  );
  const defaults = layers.flatMap(({ policies, authority }) =>
    policies.flatMap(({ default: decision }) => (decision && (authority === 'full' || decision !== 'allow') ? [decision] : [])),
  );
  const strictest = defaults.reduce<Decision | undefined>(
    (worst, decision) => (worst === undefined || STRICTNESS.indexOf(decision) > STRICTNESS.indexOf(worst) ? decision : worst),
    undefined,
  );
  const { risks, floor = [], binaries, tighten } = options;
  const decision = strictest ?? 'ask';
  const hash = hashOf({
    layers: layers.map(({ name, authority, policies }) => ({ name, authority, hashes: policies.map(policy => policy.hash) })),
    default: decision,
    floor: [...FLOOR, ...floor],
    risks,
    binaries: binaries ?? null,
    seed: tighten !== undefined,
  });
  return {
    rules,
    default: decision,
    floor: compileFloor(floor),
    risks,
    hash,
    ...(binaries && { binaries }),
    ...(tighten && { tighten }),
  };
}
