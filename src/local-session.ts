import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Analysis } from './contract/analysis.js';
import { ShellgateError } from './contract/error.js';
import type { Execution } from './contract/execution.js';
import type { Session } from './contract/gate.js';
import type { Evaluation, PolicySource } from './contract/policy.js';
import type { Principal } from './contract/principal.js';
import type { Approvals } from './contract/question.js';
import {
  type CommandRequest,
  commandTextSchema,
  type InputRequest,
  inputTextSchema,
  type RunOptions,
  runOptionsSchema,
  type SendOptions,
  sendOptionsSchema,
} from './contract/request.js';
import type { InputResult } from './contract/result.js';
import { wrongInput } from './contract/wrong-input.js';
import { startExecution } from './execution.js';
import { type GateParts, passGate } from './gate.js';
import { withShadow } from './policy/shadow.js';
import type { SessionShell } from './session/session.js';

export interface LocalSessionParts extends Omit<GateParts, 'shell'> {
  readonly shell: SessionShell;
  readonly quote: (word: string) => string;
  /** Who asks when the caller does not say. */
  readonly principal: Principal;
  readonly timeoutMs: number | undefined;
  /** Judges every command that is run, and decides nothing. */
  readonly shadow: PolicySource | undefined;
  readonly publicApprovals: Approvals;
  /** Told when the session closes, once. */
  onClose(): void;
}

/** A session as its users see it: text in, the gate in between, results out. */
export class LocalSession implements Session {
  readonly id: string;
  readonly #parts: LocalSessionParts;
  readonly #running = new Set<Execution>();
  readonly #typing = new Set<Execution<InputResult>>();
  #closed: Promise<void> | undefined;
  #count = 0;

  constructor(parts: LocalSessionParts) {
    this.id = parts.shell.id;
    this.#parts = parts;
  }

  get approvals(): Approvals {
    return this.#parts.publicApprovals;
  }

  get cwd(): string {
    return this.#parts.shell.cwd;
  }

  run(text: string, options?: RunOptions): ReturnType<Session['run']> {
    return this.start(text, options).result;
  }

  /** Errors: `REQUEST_INVALID` with the field, for what can never be a request (a NUL, an unknown option). */
  start(text: string, options: RunOptions = {}): Execution {
    const { signal, ...asked } = checkedOptions(options);
    const request = this.#request(checkedText(text), asked);
    const parts = this.#partsFor(request);
    const execution = startExecution(request.id, (watch, stop) => passGate(request, parts, watch, stop), signal);
    this.#running.add(execution);
    void execution.result.finally(() => this.#running.delete(execution));
    return execution;
  }

  async check(text: string, options: RunOptions = {}): Promise<{ evaluation: Evaluation; analysis: Analysis }> {
    const { shell, analyzer, policies } = this.#parts;
    const { signal: _signal, ...asked } = checkedOptions(options);
    const request = this.#request(checkedText(text), asked);
    const { signal } = new AbortController();
    const turn = await shell.turn(request, signal);
    if ('outcome' in turn) throw new ShellgateError(turn.code, turn.reason);
    using held = turn;
    const policy = await policies.current();
    const analysis = await analyzer.analyze(request, held.state, signal);
    const facts = await held.facts(analysis.query, signal);
    return { evaluation: policy.evaluate(request, held.state, analysis, facts), analysis };
  }

  /** Errors: `REQUEST_INVALID` with the field. */
  send(commandId: string, text: string, options: SendOptions = {}): Execution<InputResult> {
    const { signal, screenVersion, principal, ...asked } = checked(sendOptionsSchema, options, 'options');
    const keys = checked(inputTextSchema, text, 'text');
    const target = [...this.#running].find(execution => execution.id === commandId);
    this.#count += 1;
    const id = `${newId()}.${this.#count}`;
    const request = {
      ...asked,
      kind: 'input',
      id,
      sessionId: this.id,
      text: keys,
      commandId,
      tty: true,
      principal: principal ?? this.#parts.principal,
    } as Omit<InputRequest, 'screenVersion'>;
    const looked = screenVersion ?? target?.screen().then(screen => screen?.version ?? 0) ?? 0;
    const execution = startExecution<InputResult>(
      id,
      async (watch, stop) => passGate({ ...request, screenVersion: await looked }, this.#parts, watch, stop),
      signal,
    );
    // A question about keys for a command that is over is nobody's any more.
    void target?.result.then(() => execution.cancel('the command it was for has ended'));
    this.#typing.add(execution);
    void execution.result.finally(() => this.#typing.delete(execution));
    return execution;
  }

  quote(argv: readonly string[]): string {
    return argv.map(this.#parts.quote).join(' ');
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    for (const execution of [...this.#typing, ...this.#running]) execution.cancel('the session was closed');
    await this.#parts.shell.close();
    await Promise.all([...this.#typing, ...this.#running].map(execution => execution.result));
    this.#parts.onClose();
  }

  #partsFor(request: CommandRequest): GateParts {
    const { policies, shadow, audit } = this.#parts;
    if (!shadow) return this.#parts;
    const log = audit.command(request);
    return { ...this.#parts, policies: withShadow(policies, shadow, shadowed => log.record('policy.shadowed', shadowed)) };
  }

  #request(text: string, { principal, ...asked }: Omit<RunOptions, 'signal'>): CommandRequest {
    this.#count += 1;
    const id = `${newId()}.${this.#count}`;
    return {
      ...asked,
      kind: 'command',
      id,
      sessionId: this.id,
      text,
      principal: principal ?? this.#parts.principal,
      tty: asked.tty ?? false,
      ...this.#deadline(asked),
    } as CommandRequest;
  }

  #deadline(asked: Omit<RunOptions, 'signal'>): { timeoutMs?: number } {
    const timeoutMs = asked.timeoutMs ?? this.#parts.timeoutMs;
    return timeoutMs === undefined ? {} : { timeoutMs };
  }
}

/** 64 random bits: ids are handles, so they must not be guessable. */
export function newId(): string {
  return randomBytes(8).toString('hex');
}

function checkedText(text: string): string {
  const parsed = commandTextSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ShellgateError('REQUEST_INVALID', `the command ${wrongInput(parsed.error, text, []).what}`, { place: 'text' });
}

function checkedOptions(options: RunOptions): RunOptions {
  return checked(runOptionsSchema, options, 'options');
}

function checked<S extends z.ZodType>(schema: S, value: unknown, place: string): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const { field, text } = wrongInput(parsed.error, value, known);
  throw new ShellgateError('REQUEST_INVALID', field === '' ? `${place} ${text}` : text, { place: field || place });
}
