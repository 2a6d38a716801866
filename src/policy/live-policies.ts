import type { ShellgateError } from '../contract/error.js';
import type { PolicyChange, PolicySource, Risk } from '../contract/policy.js';
import { createPolicy, type PolicyEngine } from './create-policy.js';
import type { PolicyParts } from './evaluate.js';
import type { GrantStore } from './grants.js';
import { combine, type Layer } from './layers.js';
import type { LiveAdministrator } from './live-administrator.js';
import type { LiveFile } from './live-file.js';
import type { LoadedPolicy } from './load.js';
import { letProbeThrough } from './probe.js';
import { problemsOf } from './problem.js';
import type { LiveProject } from './project.js';

/** Where the rules in force come from, each layer with its own memory of what it said last. */
export interface LiveLayers {
  readonly administrator: LiveAdministrator;
  readonly user: readonly LiveFile[];
  readonly project: LiveProject;
  /** The seed-compatible constructor's lists. They cannot change. */
  readonly seed?: LoadedPolicy;
  readonly tighten?: PolicyParts['tighten'];
  readonly risks: Readonly<Record<string, Risk>>;
  readonly grants: GrantStore;
}

/** All layers at one moment. */
export interface PoliciesInForce {
  readonly policy: PolicyEngine;
  /** The rules of all layers, without memory. */
  readonly parts: PolicyParts;
  /** File and profile names, for people. */
  readonly names: readonly string[];
  /** What of a project's own policy counts; undefined where it brings none. */
  readonly project?: { readonly inForce: number; readonly ignored: number };
}

/** The policy of a running gate: before each verdict it takes over what changed on disk (docs/decisions/0008). */
export class LivePolicies implements PolicySource {
  readonly #layers: LiveLayers;
  readonly #listeners = new Set<(change: PolicyChange) => void>();
  #inForce: PoliciesInForce;
  #told: ReadonlySet<string> = new Set();
  /** One at a time and in order, so that whoever asks gets a look that began after they asked. */
  #last: Promise<void> = Promise.resolve();

  private constructor(layers: LiveLayers) {
    this.#layers = layers;
    this.#inForce = combined(layers);
  }

  /** The user's files have been opened. Errors: those of the other layers. */
  static async open(layers: LiveLayers): Promise<LivePolicies> {
    await layers.administrator.open();
    await layers.project.open();
    return new LivePolicies(layers);
  }

  get inForce(): PoliciesInForce {
    return this.#inForce;
  }

  /** Told of what was loaded, and once of each reason why something was not. */
  onChange(listener: (change: PolicyChange) => void): void {
    this.#listeners.add(listener);
  }

  async current(): Promise<PolicyEngine> {
    const looked = this.#last.then(() => this.#refresh());
    this.#last = looked;
    await looked;
    return this.#inForce.policy;
  }

  async #refresh(): Promise<void> {
    const { administrator, user, project, grants } = this.#layers;
    let changed = false;
    for (const layer of [administrator, ...user, project]) if (await layer.refresh()) changed = true;
    if (changed) {
      const before = this.#inForce;
      this.#inForce = combined(this.#layers);
      const { names, policy } = this.#inForce;
      if (policy.hash !== before.policy.hash) this.#tell({ kind: 'loaded', names, hash: policy.hash });
    }
    this.#tellProblems(grants.problem?.());
  }

  #tellProblems(ungranted: string | undefined): void {
    const { administrator, user, project } = this.#layers;
    const kept = [...administrator.problems, ...user.flatMap(({ problem }) => (problem ? [problem] : [])), ...project.problems];
    const changes: PolicyChange[] = kept.map(asChange);
    if (ungranted !== undefined) changes.push({ kind: 'ungranted', code: 'GRANTS_UNREADABLE', reason: ungranted });
    const keys = changes.map(change => JSON.stringify(change));
    for (const [index, change] of changes.entries()) if (!this.#told.has(keys[index]!)) this.#tell(change);
    this.#told = new Set(keys);
  }

  #tell(change: PolicyChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** What is wrong in one text; that nothing was loaded and nothing ran is said by a start, and is not so here. */
function asChange(error: ShellgateError): PolicyChange {
  const problems = problemsOf(error);
  const reason = problems ? problems.map(({ message }) => message).join('; ') : error.message;
  return { kind: 'kept', code: error.code, reason, ...(error.place !== undefined && { place: error.place }) };
}

function combined({ administrator, user, project: liveProject, seed, tighten, risks, grants }: LiveLayers): PoliciesInForce {
  const locked = administrator.locks.has('policy');
  const policiesOf = (files: readonly LiveFile[]) => files.flatMap(({ policy }) => (policy ? [policy] : []));
  const project = liveProject.layer({ locked });
  const layers: Layer[] = [
    { name: 'administrator', policies: administrator.policies, authority: 'full' },
    { name: 'user', policies: policiesOf(user), authority: locked ? 'tighten' : 'full' },
    ...(project ? [project] : []),
  ];
  // Who reads these must not look for allows that do not count.
  const word = ({ authority }: Layer): string => (authority === 'full' ? '' : locked ? ' (locked)' : ' (not trusted)');
  const names = layers.flatMap(layer => layer.policies.flatMap(policy => policy.names.map(name => name + word(layer))));
  if (seed) layers.push({ name: 'seed', policies: [seed], authority: 'tighten' });
  const parts = combine(layers, { risks, ...(tighten && { tighten }) });
  return {
    policy: letProbeThrough(createPolicy({ ...parts, grants })),
    parts,
    names,
    ...(project && { project: { inForce: project.inForce, ignored: project.notInForce } }),
  };
}
