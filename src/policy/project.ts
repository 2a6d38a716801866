import type { Analyzer } from '../contract/analysis.js';
import { ShellgateError } from '../contract/error.js';
import type { Layer } from './layers.js';
import { LiveFile } from './live-file.js';
import { isThere, readOwnFile } from './policy-file.js';
import { Sight } from './sight.js';
import type { TrustStore } from './trust.js';

/** A project's policy as far as it counts, and what a banner says about it. */
export interface ProjectLayer extends Layer {
  readonly trusted: boolean;
  /** Rules that are in force, and allows that are not. */
  readonly inForce: number;
  readonly notInForce: number;
}

/**
 * A project's `.shellgate/policy.toml`. Until a person trusted that exact content at that path, only its denies and asks
 * count (P11). One that cannot be read is an error at the start, because its denies would be lost; later its old denies
 * and asks stay, its allows end: what was trusted is not there any more.
 */
export class LiveProject {
  readonly #path: string;
  readonly #trust: TrustStore;
  readonly #file: LiveFile;
  readonly #trustSight = new Sight();
  #trusted = false;
  #trustProblem: ShellgateError | undefined;

  constructor(path: string, { trust, analyzer }: { readonly trust: TrustStore; readonly analyzer: Analyzer }) {
    this.#path = path;
    this.#trust = trust;
    this.#file = new LiveFile({
      watch: [path],
      read: () => (isThere(path) ? [{ name: path, text: readOwnFile(path, { writers: 'owner' }) }] : undefined),
      analyzer,
    });
  }

  get problems(): readonly ShellgateError[] {
    return [this.#file.problem, this.#trustProblem].filter(problem => problem !== undefined);
  }

  /** Errors: those of `loadPolicy`. */
  async open(): Promise<void> {
    await this.refresh();
    const [problem] = this.problems;
    if (problem) throw problem;
  }

  /** true: what counts, or what does not and why, is another than before. Never rejects. */
  async refresh(): Promise<boolean> {
    const fileChanged = await this.#file.refresh();
    const watch = [this.#trust.path];
    if (!this.#file.policy || !(fileChanged || this.#trustSight.changed(watch))) return fileChanged;
    this.#trustSight.take(watch);
    const before = this.#trusted;
    this.#trustProblem = undefined;
    this.#trusted = this.#isTrusted();
    return fileChanged || before !== this.#trusted || this.#trustProblem !== undefined;
  }

  #isTrusted(): boolean {
    const [text] = this.#file.texts;
    if (!text || this.#file.problem) return false;
    try {
      return this.#trust.isTrusted(this.#path, text.text);
    } catch (error) {
      const place = this.#trust.path;
      this.#trustProblem =
        error instanceof ShellgateError ? error : new ShellgateError('POLICY_UNREADABLE', String(error), { cause: error, place });
      return false;
    }
  }

  /** undefined: the project brings none. `locked`: an administrator wants nobody's trust to count. */
  layer({ locked = false }: { readonly locked?: boolean } = {}): ProjectLayer | undefined {
    const { policy } = this.#file;
    if (!policy) return undefined;
    const trusted = this.#trusted && !locked;
    const notInForce = trusted ? 0 : policy.rules.filter(({ rule }) => rule.decision === 'allow').length;
    return {
      name: 'project',
      policies: [policy],
      authority: trusted ? 'full' : 'tighten',
      trusted,
      inForce: policy.rules.length - notInForce,
      notInForce,
    };
  }
}
