import { ShellgateError } from '../contract/error.js';
import type { Gate, Session } from '../contract/gate.js';
import { TOOL_NAME } from '../contract/probe-lines.js';
import { formatInstructions } from './instructions.js';
import { probe } from './probe.js';
import type { ShellEnvironmentSnapshot, ShellIdiom } from './snapshot.js';

/** Seeds' names in camelCase (S3-26). */
export interface ShellEnvironmentProviderOptions {
  /** The session that is described: its directory. Default: where the gate's sessions start. */
  readonly session?: Session;
  /** Programs to look for; duplicates, in any letter case, count once. Default git, node, python, docker. */
  readonly probeTools?: readonly string[];
  /** Deadline of each command of the probe, in ms. Default 5000. */
  readonly probeTimeoutMs?: number;
  /** What to say instead of what the gate tells about its shell. */
  readonly overrideFamily?: ShellIdiom;
  /** Facts to say instead of what the probe found. */
  readonly override?: Partial<ShellEnvironmentSnapshot>;
  /** Makes the prompt block. Default: the documents' form. */
  readonly instructionsFormatter?: (snapshot: ShellEnvironmentSnapshot) => string;
}

/** A gate, and what a local one says of its shell. */
export type ProbedGate = Gate & { readonly about?: { readonly family: string } };

export const DEFAULT_PROBE_TOOLS: readonly string[] = ['git', 'node', 'python', 'docker'];
const TIMEOUT_MS = 5_000;

/**
 * What a model must know of the shell it works in (S3-24 to S3-29): looked up once and kept, by a probe that never
 * touches a user's shell, asks nobody and fails no agent.
 */
export class ShellEnvironmentProvider {
  readonly #gate: ProbedGate;
  readonly #options: ShellEnvironmentProviderOptions;
  readonly #tools: readonly string[];
  #cached: Promise<ShellEnvironmentSnapshot> | undefined;

  /** Errors: `TOOL_NAME_INVALID`. */
  constructor(gate: ProbedGate, options: ShellEnvironmentProviderOptions = {}) {
    this.#gate = gate;
    this.#options = options;
    this.#tools = toolNames(options.probeTools ?? DEFAULT_PROBE_TOOLS);
  }

  /** Callers that come while it is looked up share one probe. Unexpected errors reject, and the next call looks again. */
  snapshot(): Promise<ShellEnvironmentSnapshot> {
    this.#cached ??= this.#look();
    return this.#cached;
  }

  /** Look again. */
  refresh(): Promise<ShellEnvironmentSnapshot> {
    this.#cached = undefined;
    return this.snapshot();
  }

  /** The block for a system prompt. Injecting it is the host's job. */
  async instructions(): Promise<string> {
    const format = this.#options.instructionsFormatter ?? formatInstructions;
    return format(await this.snapshot());
  }

  #look(): Promise<ShellEnvironmentSnapshot> {
    const { session, probeTimeoutMs = TIMEOUT_MS, override } = this.#options;
    const looking = probe(this.#gate, {
      family: this.#options.overrideFamily ?? familyOf(this.#gate),
      tools: this.#tools,
      timeoutMs: probeTimeoutMs,
      cwd: session?.cwd,
    });
    const cached = looking.then(({ snapshot }) => ({ ...snapshot, ...override }));
    const forget = () => {
      if (this.#cached === cached) this.#cached = undefined;
    };
    // What could not be looked up is no knowledge to keep.
    looking.then(({ complete }) => complete || forget(), forget);
    return cached;
  }
}

const familyOf = ({ about }: ProbedGate): ShellIdiom =>
  about !== undefined && /^(powershell|pwsh)$/.test(about.family) ? 'powershell' : 'posix';

function toolNames(names: readonly string[]): readonly string[] {
  const seen = new Map<string, string>();
  for (const name of names) {
    if (!TOOL_NAME.test(name)) {
      const message = `"${name}" is no name of a program; letters, digits, dot, dash and underscore make one`;
      throw new ShellgateError('TOOL_NAME_INVALID', message, { place: 'probeTools' });
    }
    const folded = name.toLowerCase();
    if (!seen.has(folded)) seen.set(folded, name);
  }
  return [...seen.values()];
}
