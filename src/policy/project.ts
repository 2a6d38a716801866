import type { Analyzer } from '../contract/analysis.js';
import type { Layer } from './layers.js';
import { loadPolicy } from './load.js';
import { readOwnFile } from './policy-file.js';
import type { TrustStore } from './trust.js';

/** A project's policy as far as it counts, and what a banner says about it. */
export interface ProjectLayer extends Layer {
  readonly trusted: boolean;
  /** Rules that are in force, and allows that are not. */
  readonly inForce: number;
  readonly notInForce: number;
}

/**
 * Reads a project's `.shellgate/policy.toml`. Until a person trusted that exact content at that path, only its denies
 * and asks count (P11). Errors: those of `loadPolicy`: a policy that cannot be read is not passed over, because its
 * denies would be lost. `locked`: an administrator wants nobody's trust to count.
 */
export async function projectLayer(
  path: string,
  { trust, analyzer, locked = false }: { readonly trust: TrustStore; readonly analyzer: Analyzer; readonly locked?: boolean },
): Promise<ProjectLayer> {
  const text = readOwnFile(path, { writers: 'owner' });
  const trusted = !locked && trust.isTrusted(path, text);
  const policy = await loadPolicy({ texts: [{ name: path, text }], analyzer });
  const allows = policy.rules.filter(({ rule }) => rule.decision === 'allow').length;
  const notInForce = trusted ? 0 : allows;
  return {
    name: 'project',
    policies: [policy],
    authority: trusted ? 'full' : 'tighten',
    trusted,
    inForce: policy.rules.length - notInForce,
    notInForce,
  };
}
