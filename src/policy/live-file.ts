import type { Analyzer } from '../contract/analysis.js';
import { ShellgateError } from '../contract/error.js';
import { type LoadedPolicy, loadPolicy } from './load.js';
import type { PolicyText } from './parse-policy.js';
import { Sight } from './sight.js';

export interface LiveSource {
  /** The files that say what `read` returns. They are looked at before every verdict. */
  readonly watch: readonly string[];
  /** What is there now; undefined: nothing is. Throws a ShellgateError for what may not count. */
  readonly read: () => readonly PolicyText[] | undefined;
  readonly analyzer: Analyzer;
}

/**
 * Rules from disk while their gate runs. What was loaded last stays in force until something valid takes its place: a file
 * that is broken, that others can write, or that is gone never loosens (docs/decisions/0008).
 */
export class LiveFile {
  /** What is in force; undefined: there never was anything. */
  policy: LoadedPolicy | undefined;
  /** Why what is on disk is not what is in force. */
  problem: ShellgateError | undefined;
  readonly #source: LiveSource;
  readonly #sight = new Sight();
  #texts: readonly PolicyText[] = [];

  constructor(source: LiveSource) {
    this.#source = source;
  }

  /** What the rules in force were read from. */
  get texts(): readonly PolicyText[] {
    return this.#texts;
  }

  /** For the start, where nothing is in force yet. Errors: those of `loadPolicy`, and of the source. */
  async open(): Promise<void> {
    await this.refresh();
    if (this.problem) throw this.problem;
  }

  /** true: what is in force, or why something is not, is another than before. Never rejects. */
  async refresh(): Promise<boolean> {
    const { watch } = this.#source;
    if (!this.#sight.changed(watch)) return false;
    const before = { policy: this.policy, problem: this.problem?.message };
    this.#sight.take(watch);
    try {
      await this.#load();
      this.problem = undefined;
    } catch (error) {
      this.problem = error instanceof ShellgateError ? error : unexpected(error, watch[0]);
    }
    return this.policy !== before.policy || this.problem?.message !== before.problem;
  }

  async #load(): Promise<void> {
    const { read, analyzer, watch } = this.#source;
    const texts = read();
    if (texts === undefined) {
      if (this.policy) throw new ShellgateError('POLICY_GONE', 'is not there any more', { place: watch[0]! });
      return;
    }
    const isSame = texts.length === this.#texts.length && texts.every((one, index) => one.text === this.#texts[index]!.text);
    if (this.policy && isSame) return;
    this.policy = await loadPolicy({ texts, analyzer });
    this.#texts = texts;
  }
}

function unexpected(error: unknown, place: string | undefined): ShellgateError {
  const message = error instanceof Error ? error.message : String(error);
  return new ShellgateError('POLICY_UNREADABLE', message, { cause: error, ...(place !== undefined && { place }) });
}
