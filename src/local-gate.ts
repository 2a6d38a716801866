import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createApprovalQueue } from './approval/queue.js';
import type { AnswerKey } from './approval/signature.js';
import { type AnswerSocket, openAnswerSocket } from './approval/socket-server.js';
import { type Config, defaults } from './config.js';
import type { Analyzer } from './contract/analysis.js';
import type { Approver } from './contract/answer.js';
import type { AuditLog, AuditType } from './contract/audit.js';
import { ShellgateError } from './contract/error.js';
import type { Executor } from './contract/executor.js';
import { type Gate, type Session, type SessionOptions, sessionOptionsSchema } from './contract/gate.js';
import type { PolicyChange } from './contract/policy.js';
import type { Principal } from './contract/principal.js';
import type { Redactor } from './contract/redactor.js';
import type { ShellFamily } from './contract/shell-family.js';
import { wrongInput } from './contract/wrong-input.js';
import { ptySupport } from './executor/local/index.js';
import type { LivePolicies, PoliciesInForce } from './load-policies.js';
import { LocalSession, newId } from './local-session.js';
import type { Spools } from './output/spool.js';
import { homeDirectory } from './platform.js';
import { openShell } from './session/session.js';
import type { SessionEnvironment } from './session-environment.js';

/** How other processes of this user answer. */
export interface AnswerSocketChoice {
  /** What this process is, for people. */
  readonly label: string;
  /** A question waits although nobody watches yet. Default false. */
  readonly keepOpen?: boolean;
  /** Ed25519 public keys and whose they are: an answer that one of them signed has the level `keyed`. Default: none. */
  readonly keys?: readonly AnswerKey[];
}

/** What a gate is made of, for a banner, `doctor` and whoever must explain a verdict. */
export interface About {
  readonly shell: readonly string[];
  readonly family: string;
  /** `pty`, `pipes`, or the name of an executor that was passed in. */
  readonly footing: string;
  readonly policies: readonly string[];
  readonly auditDirectory: string;
  /** Secret-looking variables that shells do not get. */
  readonly droppedVariables: readonly string[];
  /** What of the project's own policy counts; undefined where it brings none. */
  readonly projectPolicy: PoliciesInForce['project'];
  head(): ReturnType<AuditLog['head']>;
  /** `open`, `off`, or why it could not be opened. */
  answerSocket(): string;
  /** Why nothing can be recorded any more; undefined while all is well. */
  auditFailure(): Promise<string | undefined>;
}

/** A gate that owns its shells, its queue and its log in this process. */
export interface LocalGate extends Gate {
  readonly about: About;
}

/** What createGate put together. */
export interface LocalGateParts {
  readonly config: Config;
  readonly cwd: string;
  readonly shell: readonly string[];
  readonly family: ShellFamily;
  readonly environment: SessionEnvironment;
  readonly redactor: Redactor;
  readonly analyzer: Analyzer;
  readonly policies: LivePolicies;
  /** A second policy that is judged and logged, and decides nothing. */
  readonly shadow: LivePolicies | undefined;
  readonly audit: AuditLog;
  readonly auditDirectory: string;
  readonly executor: Executor;
  readonly ownsExecutor: boolean;
  readonly ownsAudit: boolean;
  readonly spools: Spools;
  readonly approvers: readonly Approver[];
  readonly principal: Principal;
  readonly denialsToPause: number | undefined;
  readonly onPolicyChange: ((change: PolicyChange) => void) | undefined;
}

export class ComposedGate implements LocalGate {
  readonly about: About;
  readonly approvals: Gate['approvals'];
  readonly #parts: LocalGateParts;
  readonly #queue: ReturnType<typeof createApprovalQueue>;
  readonly #sessions = new Set<LocalSession>();
  #socket: AnswerSocket | undefined;
  #socketProblem: string | undefined;
  #count = 0;
  #closed: Promise<void> | undefined;

  constructor(parts: LocalGateParts) {
    const { audit, config } = parts;
    this.#parts = parts;
    this.#queue = createApprovalQueue({
      approvers: parts.approvers,
      expiryMs: config.expiryMs ?? defaults.expiryMs,
      ...(parts.denialsToPause !== undefined && { denialsToPause: parts.denialsToPause }),
      onEvent: (type, data) => audit.event(type, data),
    });
    this.approvals = this.#queue.approvals;
    this.about = {
      shell: parts.shell,
      family: parts.family.name,
      footing: footingOf(parts),
      get policies() {
        return parts.policies.inForce.names;
      },
      auditDirectory: parts.auditDirectory,
      droppedVariables: parts.environment.dropped,
      get projectPolicy() {
        return parts.policies.inForce.project;
      },
      head: () => audit.head(),
      answerSocket: () => (this.#socket ? 'open' : (this.#socketProblem ?? 'off')),
      auditFailure: async () => (await audit.durable())?.reason,
    };
    this.#recordLoaded();
    parts.policies.onChange(change => this.#policyChanged(change));
    parts.shadow?.onChange(change => this.#policyChanged(change));
  }

  #recordLoaded(): void {
    const { audit, policies, shadow } = this.#parts;
    audit.event('policy.loaded', { ...loaded(policies), ...(shadow && { shadow: loaded(shadow) }) });
  }

  /** Recorded before the verdict that it concerns; people hear of it as well. */
  #policyChanged(change: PolicyChange): void {
    const { audit, onPolicyChange } = this.#parts;
    if (change.kind === 'loaded') this.#recordLoaded();
    else {
      const { kind, code, place, reason } = change;
      audit.event(kind === 'kept' ? 'policy.kept' : 'grant.failed', { code, ...(place !== undefined && { place }), reason });
    }
    onPolicyChange?.(change);
  }

  /** Errors: `CONFIG_INVALID` with the field, `GATE_CLOSED`, `TOO_MANY_SESSIONS`, `DIRECTORY_MISSING`, `SHELL_UNAVAILABLE`, `SHELL_TOO_OLD`. */
  async openSession(options: SessionOptions = {}): Promise<Session> {
    const { config, family, shell, audit, executor, spools, environment, analyzer, policies, shadow, principal } = this.#parts;
    if (this.#closed) throw new ShellgateError('GATE_CLOSED', 'the gate is closed; make a new one');
    requireOptions(options);
    const most = config.maxSessions ?? defaults.maxSessions;
    if (this.#sessions.size >= most) {
      throw new ShellgateError('TOO_MANY_SESSIONS', `${most} sessions are open; close one, or raise maxSessions`);
    }
    this.#count += 1;
    const cwd = options.cwd === undefined ? this.#parts.cwd : directory(options.cwd);
    const id = `${options.label ?? this.#count}-${newId()}`;
    const opened = await openShell({
      id,
      executor,
      family,
      shell,
      cwd,
      env: { ...environment.variables, ...options.env },
      mode: options.mode ?? 'persistent',
      home: homeDirectory(),
      workspace: cwd,
      ...(options.confine && { confine: true }),
      size: options.size ?? defaults.size,
      spools,
      ...(config.idleTimeoutMs !== undefined && { idleTimeoutMs: config.idleTimeoutMs }),
      limitBytes: config.limitBytes ?? defaults.limitBytes,
      onEvent: (type: AuditType, data) => {
        audit.event(type, data, id);
        // An idle session closes by itself.
        if (type === 'session.closed') for (const each of this.#sessions) if (each.id === id) this.#sessions.delete(each);
      },
    });
    const session: LocalSession = new LocalSession({
      shell: opened,
      analyzer,
      policies,
      shadow,
      approvals: this.#queue,
      publicApprovals: this.approvals,
      audit,
      quote: word => family.quote(word),
      principal,
      timeoutMs: config.timeoutMs,
      onClose: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  }

  /** A gate that cannot be answered from elsewhere is still a gate: the reason is told by `about`. */
  async listen(choice: AnswerSocketChoice): Promise<void> {
    const { audit } = this.#parts;
    try {
      this.#socket = await openAnswerSocket({
        ...choice,
        approvals: this.approvals,
        onEvent: (type, data) => audit.event(type, data),
      });
    } catch (error) {
      this.#socketProblem = (error as Error).message;
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const { executor, ownsExecutor, ownsAudit, audit, spools } = this.#parts;
    await this.#queue.close();
    await this.#socket?.close();
    await Promise.all([...this.#sessions].map(session => session.close()));
    if (ownsExecutor) await executor.close();
    await spools.close();
    if (ownsAudit) await audit.close();
  }
}

const loaded = ({ inForce: { names, policy } }: LivePolicies) => ({ policies: names, hash: policy.hash });

function footingOf({ executor, ownsExecutor, config }: LocalGateParts): string {
  if (!ownsExecutor) return executor.name;
  return config.pty !== 'off' && ptySupport().available ? 'pty' : 'pipes';
}

/** An absolute path that is a directory. Error: `DIRECTORY_MISSING`. */
export function directory(path: string): string {
  const absolute = resolve(path);
  if (statSync(absolute, { throwIfNoEntry: false })?.isDirectory()) return absolute;
  throw new ShellgateError('DIRECTORY_MISSING', `${absolute} is no directory; name one that exists`, { place: absolute });
}

function requireOptions(options: SessionOptions): void {
  const parsed = sessionOptionsSchema.safeParse(options);
  if (parsed.success) return;
  const { field, text } = wrongInput(parsed.error, options, Object.keys(sessionOptionsSchema.shape));
  throw new ShellgateError('CONFIG_INVALID', text, { place: field || 'options' });
}
