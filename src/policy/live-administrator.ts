import type { Analyzer } from '../contract/analysis.js';
import { ShellgateError } from '../contract/error.js';
import {
  type AdministratorPlace,
  administratorFiles,
  administratorLocks,
  administratorPaths,
  type Lock,
} from './administrator.js';
import { LiveFile } from './live-file.js';
import type { LoadedPolicy } from './load.js';
import { isThere, readOwnFile } from './policy-file.js';
import { Sight } from './sight.js';

/**
 * The administrator's files while a gate runs. New and changed ones count before the next verdict; what is gone, broken or
 * no longer the administrator's alone leaves its rules and locks in force until the gate is started anew.
 */
export class LiveAdministrator {
  locks: ReadonlySet<Lock> = new Set();
  readonly #place: AdministratorPlace;
  readonly #analyzer: Analyzer;
  readonly #files = new Map<string, LiveFile>();
  readonly #sight = new Sight();
  #directoryProblem: ShellgateError | undefined;
  #lockProblem: ShellgateError | undefined;
  #hadLocks = false;

  constructor(place: AdministratorPlace, analyzer: Analyzer) {
    this.#place = place;
    this.#analyzer = analyzer;
  }

  get policies(): readonly LoadedPolicy[] {
    return [...this.#files.values()].flatMap(({ policy }) => (policy ? [policy] : []));
  }

  get problems(): readonly ShellgateError[] {
    const all = [this.#directoryProblem, this.#lockProblem, ...[...this.#files.values()].map(file => file.problem)];
    return all.filter(problem => problem !== undefined);
  }

  /** For the start. Errors: `POLICY_UNREADABLE`, `POLICY_INVALID`, `POLICY_EXAMPLE`, `CONFIG_INVALID`. */
  async open(): Promise<void> {
    await this.refresh();
    const [problem] = this.problems;
    if (problem) throw problem;
  }

  /** true: rules, locks or problems are other ones than before. Never rejects. */
  async refresh(): Promise<boolean> {
    const lookedAgain = this.#lookAtDirectory();
    // Whoever can write the directory can put any file of root's there: nothing new in it counts until it is right again.
    if (this.#directoryProblem) return lookedAgain;
    const changes = await Promise.all([...this.#files.values()].map(file => file.refresh()));
    return lookedAgain || changes.includes(true);
  }

  #lookAtDirectory(): boolean {
    const { directory, config, policies } = administratorPaths(this.#place);
    const watch = [directory, config, policies];
    if (!this.#sight.changed(watch)) return false;
    this.#sight.take(watch);
    this.#directoryProblem = problemOf(() => {
      for (const path of administratorFiles(this.#place)) {
        if (!this.#files.has(path)) this.#files.set(path, this.#fileAt(path));
      }
    });
    this.#lockProblem = problemOf(() => {
      const locks = administratorLocks(this.#place);
      if (locks === undefined && this.#hadLocks)
        throw new ShellgateError('POLICY_GONE', 'is not there any more', { place: config });
      this.locks = locks ?? new Set();
      this.#hadLocks = locks !== undefined;
    });
    return true;
  }

  #fileAt(path: string): LiveFile {
    const writers = { uid: this.#place.uid };
    return new LiveFile({
      watch: [path],
      read: () => (isThere(path) ? [{ name: path, text: readOwnFile(path, { writers }) }] : undefined),
      analyzer: this.#analyzer,
    });
  }
}

function problemOf(look: () => void): ShellgateError | undefined {
  try {
    look();
    return undefined;
  } catch (error) {
    if (error instanceof ShellgateError) return error;
    return new ShellgateError('POLICY_UNREADABLE', error instanceof Error ? error.message : String(error), { cause: error });
  }
}
