import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { TAGS } from './analysis/tags.js';
import { defaults } from './config.js';
import type { Analyzer } from './contract/analysis.js';
import type { Risk } from './contract/policy.js';
import { configDirectory, stateDirectory } from './platform.js';
import { type AdministratorPlace, administration } from './policy/administrator.js';
import { createPolicy, type PolicyEngine } from './policy/create-policy.js';
import type { PolicyParts } from './policy/evaluate.js';
import { fileGrants } from './policy/grant-file.js';
import type { GrantStore } from './policy/grants.js';
import { combine, type Layer } from './policy/layers.js';
import { type LoadedPolicy, loadPolicy } from './policy/load.js';
import { letProbeThrough } from './policy/probe.js';
import { projectLayer } from './policy/project.js';
import type { ShellPolicy } from './policy/seed-policy.js';
import { TrustStore } from './policy/trust.js';

export interface PolicyChoice {
  /** Profiles and files that replace the user's own. Absent: the user's `policy.toml`, else `read-only`. */
  readonly sources?: string | readonly string[] | undefined;
  /** The directory whose `.shellgate/policy.toml` counts as the project's. */
  readonly workspace: string;
  readonly analyzer: Analyzer;
  readonly grants?: GrantStore;
  /** The seed-compatible constructor's lists: they can only tighten. */
  readonly seed?: ShellPolicy;
  /** Whose word stands above the user's. Default: root's, in `/etc/shellgate`. */
  readonly administrator?: AdministratorPlace;
}

export interface PoliciesInForce {
  readonly policy: PolicyEngine;
  /** The rules of all layers, without memory. */
  readonly parts: PolicyParts;
  /** File and profile names, for people. */
  readonly names: readonly string[];
  /** What of a project's own policy counts; undefined where it brings none. */
  readonly project?: { readonly path: string; readonly inForce: number; readonly ignored: number };
}

/** Risk of each tag, for the policy room, which knows no analysis. */
export const RISKS: Readonly<Record<string, Risk>> = Object.fromEntries(
  Object.entries(TAGS).map(([tag, { risk }]) => [tag, risk]),
);

/** All layers of design 11 to the one policy that is in force. Errors: those of `loadPolicy`. */
export async function loadPolicies(choice: PolicyChoice): Promise<PoliciesInForce> {
  const { analyzer, workspace, grants, seed } = choice;
  const load = (files: readonly string[]): Promise<LoadedPolicy> => loadPolicy({ files, analyzer });
  const layers: Layer[] = [];
  const { policies: texts, locks } = administration(choice.administrator);
  const locked = locks.has('policy');
  if (texts.length > 0)
    layers.push({ name: 'administrator', policies: [await loadPolicy({ texts, analyzer })], authority: 'full' });
  layers.push({ name: 'user', policies: [await load(userFiles(choice.sources))], authority: locked ? 'tighten' : 'full' });
  const path = projectPolicyPath(workspace);
  const project = isThere(path) ? await projectLayer(path, { trust: userTrust(), analyzer, locked }) : undefined;
  if (project) layers.push(project);
  if (seed) layers.push({ name: 'seed', policies: [await seedRules(seed, analyzer)], authority: 'tighten' });
  const parts = combine(layers, { risks: RISKS, ...(seed && { tighten: seed.tighten }) });
  return {
    policy: letProbeThrough(createPolicy({ ...parts, grants: grants ?? userGrants() })),
    parts,
    names: layers.filter(layer => layer.name !== 'seed').flatMap(layer => layer.policies.flatMap(policy => policy.names)),
    ...(project && { project: { path, inForce: project.inForce, ignored: project.notInForce } }),
  };
}

export const projectPolicyPath = (workspace: string): string => join(workspace, '.shellgate/policy.toml');
/** What the user's own answers left behind: remembered grants and trusted project files. */
export const userGrants = (): GrantStore => fileGrants(join(stateDirectory(), 'grants.toml'));
export const userTrust = (): TrustStore => new TrustStore(join(stateDirectory(), 'trust.toml'));

/** Its deny list once more as rules, so that it also looks at the texts that are nested in the line. */
function seedRules(seed: ShellPolicy, analyzer: Analyzer): Promise<LoadedPolicy> {
  return loadPolicy({ texts: [{ name: 'policy.json', text: JSON.stringify({ rule: seed.rules() }) }], analyzer });
}

/** The files of `--policy`, else the user's own, else the default profile. */
export function userFiles(sources: string | readonly string[] | undefined): readonly string[] {
  if (sources !== undefined) return typeof sources === 'string' ? [sources] : sources;
  const own = join(configDirectory(), 'policy.toml');
  return [isThere(own) ? own : defaults.policy];
}

/** A link that leads nowhere, and a place that nobody lets us look into, must not mean "no policy": reading says what is wrong. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
