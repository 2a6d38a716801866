import { z } from 'zod';
import type { Approver } from './contract/answer.js';
import { ShellgateError } from './contract/error.js';
import type { Executor } from './contract/executor.js';
import type { Session } from './contract/gate.js';
import type { CommandResult, Refusal } from './contract/result.js';
import { wrongInput } from './contract/wrong-input.js';
import { createGate, type LocalGate } from './create-gate.js';
import { resolveShell } from './platform.js';
import { ShellPolicy } from './policy/seed-policy.js';
import { formatForModel } from './tools/format-for-model.js';

/** Document 003's options under their own names. */
export interface LocalShellToolOptions {
  /** Where the shell starts, and, while `confineWorkdir` holds, where every command starts (S3-18). */
  readonly workingDirectory?: string;
  /** Go back to `workingDirectory` before each command, so that a `cd` lasts for its command only. Default true. */
  readonly confineWorkdir?: boolean;
  /** Added to the shell's environment (S3-19). */
  readonly env?: Readonly<Record<string, string>>;
  /** Drop the inherited environment but for PATH, HOME and the like (S3-19). Default false. */
  readonly cleanEnv?: boolean;
  /** One shell for all commands, or a fresh one for each (S3-01, S3-02). Default `persistent`. */
  readonly mode?: 'persistent' | 'stateless';
  /** Deadline of a command, in ms; null: none (S3-20). Default 30,000. */
  readonly timeoutMs?: number | null;
  /** Program of the shell: a line or a list of words. Default: `AGENT_FRAMEWORK_SHELL`, else bash, else sh (S3-17). */
  readonly shell?: string | readonly string[];
  /** Lists of expressions on the text: a pre-filter, not a boundary (S3-11, S3-12). Default: none. */
  readonly policy?: ShellPolicy;
  /** `never_require` runs what policy does not deny, unasked; it needs `acknowledgeUnsafe` (S3-07). Default `always_require`. */
  readonly approvalMode?: 'always_require' | 'never_require';
  readonly acknowledgeUnsafe?: boolean;
  /** Called with every command that passed (S3-10). A throw changes nothing. */
  readonly onCommand?: (text: string) => unknown;
  /** Who is asked. Without one, and with `always_require`, every command is refused. */
  readonly approver?: Approver | readonly Approver[];
  /** Directory of the log. Default: the user's. */
  readonly audit?: string;
  readonly executor?: Executor;
}

/** The tool as a chat client's function (S3-04). */
export interface ShellFunction {
  readonly name: string;
  readonly kind: 'shell';
  readonly description: string;
  readonly parameters: object;
  call(args: { readonly command: string }): Promise<string>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** What data can say of the options. A misspelled one must not leave its default in force without a word. */
const optionsSchema = z.strictObject({
  workingDirectory: z.string().min(1).optional(),
  confineWorkdir: z.boolean().optional(),
  env: z.record(z.string(), z.string()).optional(),
  cleanEnv: z.boolean().optional(),
  mode: z.enum(['persistent', 'stateless']).optional(),
  timeoutMs: z.number().int().positive().nullable().optional(),
  shell: z.union([z.string(), z.array(z.string())]).optional(),
  policy: z.custom(value => value instanceof ShellPolicy, 'must be a ShellPolicy').optional(),
  approvalMode: z.enum(['always_require', 'never_require']).optional(),
  acknowledgeUnsafe: z.boolean().optional(),
  onCommand: z.custom(value => typeof value === 'function', 'must be a function').optional(),
  approver: z.custom(value => typeof value === 'object' && value !== null, 'must be an approver, or a list of them').optional(),
  audit: z.string().min(1).optional(),
  executor: z.custom(value => typeof value === 'object' && value !== null, 'must be an executor').optional(),
});

const CLOSED: Refusal = { outcome: 'refused', by: 'session', code: 'SESSION_CLOSED', reason: 'this tool was closed' };

/**
 * The seed-compatible constructor: document 003's names on a gate of their own, where every command asks (S3-06). One
 * owner, one session; concurrent first calls start one shell (S3-22). Errors at construction: `CONFIG_INVALID`,
 * `SHELL_INVALID`, `SHELL_MISSING`. `run` rejects with `REQUEST_INVALID` for what can never be a command and with the errors
 * of createGate and openSession where there is no shell to be had, and the next call tries anew; the rest are results.
 */
export class LocalShellTool implements AsyncDisposable {
  /** The resolved shell, before the family adds its own flags. */
  readonly shell: readonly string[];
  readonly #options: LocalShellToolOptions;
  #opened: Promise<{ gate: LocalGate; session: Session }> | undefined;
  #closed = false;

  constructor(options: LocalShellToolOptions = {}) {
    requireOptions(options);
    if (options.approvalMode === 'never_require' && options.acknowledgeUnsafe !== true) {
      const message = 'approvalMode "never_require" runs commands that nobody saw; it needs acknowledgeUnsafe: true';
      throw new ShellgateError('CONFIG_INVALID', message, { place: 'acknowledgeUnsafe' });
    }
    this.#options = options;
    const argv = resolveShell(options.shell);
    this.shell = options.mode === 'stateless' ? withCommandFlag(argv) : argv;
  }

  async run(
    command: string,
    options: { readonly timeoutMs?: number | null; readonly signal?: AbortSignal } = {},
  ): Promise<CommandResult> {
    if (this.#closed) return CLOSED;
    const { session } = await this.#open();
    const timeoutMs = options.timeoutMs === undefined ? this.#options.timeoutMs : options.timeoutMs;
    return session.run(command, {
      ...(timeoutMs !== null && { timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS }),
      ...(options.signal && { signal: options.signal }),
    });
  }

  /** One argument, one text back: refusals are text too (S3-14), and so is what is wrong with a model's arguments. */
  asFunction(name = 'run_shell'): ShellFunction {
    return {
      name,
      kind: 'shell',
      description: 'Run a command line in the shell and return its output.',
      parameters: {
        type: 'object',
        properties: { command: { type: 'string', description: 'The command line.' } },
        required: ['command'],
        additionalProperties: false,
      },
      call: async args => {
        try {
          return formatForModel(await this.run(commandIn(args)));
        } catch (error) {
          if (!(error instanceof ShellgateError)) throw error;
          return `Command not run: ${error.code}: ${error.message}`;
        }
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.gate.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #open(): Promise<{ gate: LocalGate; session: Session }> {
    this.#opened ??= this.#start().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #start(): Promise<{ gate: LocalGate; session: Session }> {
    const {
      workingDirectory: cwd,
      confineWorkdir = true,
      approvalMode,
      approver,
      audit,
      executor,
      onCommand,
      policy,
    } = this.#options;
    const gate = await createGate({
      policy: 'ask-all',
      shell: [...resolveShell(this.#options.shell)],
      env: this.#options.cleanEnv ? 'clean' : 'safe',
      ...(cwd !== undefined && { cwd }),
      ...(policy && { seedPolicy: policy }),
      ...(approvalMode === 'never_require' && { onAsk: 'allow' as const, acknowledgeUnsafe: true }),
      ...(approver && { approver }),
      ...(audit !== undefined && { audit }),
      ...(executor && { executor }),
      ...(onCommand && { onCommand }),
    });
    const session = await gate.openSession({
      mode: this.#options.mode ?? 'persistent',
      ...(this.#options.env && { env: this.#options.env }),
      ...(cwd !== undefined && confineWorkdir && { confine: true }),
    });
    return { gate, session };
  }
}

function requireOptions(options: LocalShellToolOptions): void {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return;
  const { field, text } = wrongInput(parsed.error, options, Object.keys(optionsSchema.shape));
  throw new ShellgateError('CONFIG_INVALID', text, { place: field || 'options' });
}

const argumentsSchema = z.strictObject({ command: z.string() });

function commandIn(args: unknown): string {
  const parsed = argumentsSchema.safeParse(args ?? {});
  if (parsed.success) return parsed.data.command;
  throw new ShellgateError('REQUEST_INVALID', wrongInput(parsed.error, args ?? {}, ['command']).text);
}

/** Stateless shells take their command as an argument: `-c`, or PowerShell's `-Command`, unless it is there (S3-17). */
function withCommandFlag(argv: readonly string[]): readonly string[] {
  const flag = /(?:pwsh|powershell)(?:\.exe)?$/i.test(argv[0] ?? '') ? '-Command' : '-c';
  return argv.includes(flag) ? argv : [...argv, flag];
}
