import { join } from 'node:path';
import { TAGS } from './analysis/tags.js';
import { defaults } from './config.js';
import type { Analyzer } from './contract/analysis.js';
import type { ShellgateError } from './contract/error.js';
import type { Risk } from './contract/policy.js';
import { configDirectory, stateDirectory } from './platform.js';
import { ADMINISTRATOR, type AdministratorPlace } from './policy/administrator.js';
import { fileGrants } from './policy/grant-file.js';
import type { GrantStore } from './policy/grants.js';
import { LiveAdministrator } from './policy/live-administrator.js';
import { LiveFile } from './policy/live-file.js';
import { LivePolicies } from './policy/live-policies.js';
import { type LoadedPolicy, loadPolicy } from './policy/load.js';
import { isThere, policyPaths, readPolicySources } from './policy/policy-file.js';
import { type PolicyProblem, policyError, problemsOf } from './policy/problem.js';
import { LiveProject } from './policy/project.js';
import type { ShellPolicy } from './policy/seed-policy.js';
import { TrustStore } from './policy/trust.js';

export type { LivePolicies, PoliciesInForce } from './policy/live-policies.js';

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

/** Risk of each tag, for the policy room, which knows no analysis. */
export const RISKS: Readonly<Record<string, Risk>> = Object.fromEntries(
  Object.entries(TAGS).map(([tag, { risk }]) => [tag, risk]),
);

/** All layers of design 11 to the one policy that is in force. Errors: those of `loadPolicy`, with every user's file in one. */
export async function loadPolicies(choice: PolicyChoice): Promise<LivePolicies> {
  const { analyzer, workspace, seed } = choice;
  const user = userSources(choice.sources, analyzer);
  await Promise.all(user.map(file => file.refresh()));
  const wrong = user.flatMap(({ problem }) => (problem ? [problem] : []));
  if (wrong.length > 0) throw joinedErrors(wrong);
  return LivePolicies.open({
    administrator: new LiveAdministrator(choice.administrator ?? ADMINISTRATOR, analyzer),
    user,
    project: new LiveProject(projectPolicyPath(workspace), { trust: userTrust(), analyzer }),
    ...(seed && { seed: await seedRules(seed, analyzer), tighten: seed.tighten }),
    risks: RISKS,
    grants: choice.grants ?? userGrants(),
  });
}

/** Each file of `--policy`, else the one place that holds the user's own policy, now or later. */
function userSources(sources: PolicyChoice['sources'], analyzer: Analyzer): LiveFile[] {
  if (sources !== undefined) {
    const names = typeof sources === 'string' ? [sources] : sources;
    return names.map(name => new LiveFile({ watch: policyPaths(name), read: () => readPolicySources(name), analyzer }));
  }
  const own = ownPolicyPath();
  const file: LiveFile = new LiveFile({
    watch: [own],
    read() {
      if (isThere(own)) return readPolicySources(own);
      // Gone is not the same as never there: the default may be looser than what it held.
      return file.texts.some(({ name }) => name === own) ? undefined : readPolicySources(defaults.policy);
    },
    analyzer,
  });
  return [file];
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
  const own = ownPolicyPath();
  return [isThere(own) ? own : defaults.policy];
}

const ownPolicyPath = (): string => join(configDirectory(), 'policy.toml');

/** Every problem of every file, as one load of all of them would say it. */
function joinedErrors(errors: readonly ShellgateError[]): ShellgateError {
  const problems = errors.flatMap(error => problemsOf(error) ?? [problemOf(error)]);
  return policyError(problems);
}

const problemOf = ({ code, place, message }: ShellgateError): PolicyProblem => ({
  code: code === 'POLICY_INVALID' || code === 'POLICY_EXAMPLE' ? code : 'POLICY_UNREADABLE',
  file: place ?? '',
  message,
});
