import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createAnalyzer } from './analysis/analyzer.js';
import { specs } from './analysis/specs/index.js';
import { callbackApprover } from './approval/callback.js';
import { createApprovalQueue } from './approval/queue.js';
import { type AnswerSocket, openAnswerSocket } from './approval/socket-server.js';
import { onCommandFollower } from './audit/followers/on-command.js';
import { openAuditLog } from './audit/log.js';
import { type Config, defaults, parseConfig } from './config.js';
import type { Analyzer } from './contract/analysis.js';
import type { Approver } from './contract/answer.js';
import type { AuditFollower, AuditLog, AuditType } from './contract/audit.js';
import { ShellgateError } from './contract/error.js';
import type { Executor } from './contract/executor.js';
import type { Gate, Session, SessionOptions } from './contract/gate.js';
import type { Principal } from './contract/principal.js';
import type { Redactor } from './contract/redactor.js';
import type { ShellFamily } from './contract/shell-family.js';
import { createLocalExecutor, ptySupport } from './executor/local/index.js';
import { chooseFamily } from './family/families.js';
import { loadPolicies, type PoliciesInForce } from './load-policies.js';
import { LocalSession, newId } from './local-session.js';
import { createSpools, type Spools } from './output/spool.js';
import { resolveShell, runtimeDirectory, stateDirectory } from './platform.js';
import type { ShellPolicy } from './policy/seed-policy.js';
import { createRedactor } from './redaction/redactor.js';
import { openShell } from './session/session.js';
import { type SessionEnvironment, sessionEnvironment } from './session-environment.js';
import { version } from './version.js';

/** Plain data of a gate, and its parts: each may be passed in, else the default is built. */
export interface GateOptions extends Config {
  /** Who is asked. None: what policy asks about is refused (`NOBODY_TO_ASK`) unless a channel is attached later. */
  readonly approver?: Approver | readonly Approver[];
  readonly executor?: Executor;
  readonly analyzer?: Analyzer;
  readonly auditLog?: AuditLog;
  readonly followers?: readonly AuditFollower[];
  /** Called with the text of every command that passed (S3-10). A throw is recorded and changes nothing. */
  readonly onCommand?: (text: string) => unknown;
  /** Further redaction of everything that is written. */
  readonly redactors?: readonly ((text: string) => string)[];
  /** Lists of expressions on the text of document 003 (S3-11): they can only tighten. */
  readonly seedPolicy?: ShellPolicy;
  /**
   * How other processes of this user list and answer what this gate asks (`shellgate pending`, `approve`). Absent: not at
   * all. `keepOpen`: a question waits there although nobody watches yet.
   */
  readonly answerSocket?: { readonly label: string; readonly keepOpen?: boolean };
  /** Denials in a row that pause a principal. Default 3; Infinity where who asks also answers. */
  readonly denialsToPause?: number;
  /** Who asks when a call does not say. Default: this program. */
  readonly principal?: Principal;
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

const THIS_PROGRAM: Principal = { kind: 'program', id: 'library', label: basename(process.argv[1] ?? 'node') };

/**
 * Build a gate. Errors: `CONFIG_INVALID`, `POLICY_INVALID`, `POLICY_EXAMPLE`, `SHELL_MISSING`, `SHELL_UNSUPPORTED`,
 * `DIRECTORY_MISSING`. A log that cannot be opened is no error here: it refuses every command (P1).
 */
export async function createGate(options: GateOptions = {}): Promise<LocalGate> {
  const {
    approver,
    executor,
    analyzer,
    auditLog,
    followers,
    onCommand,
    redactors,
    principal,
    seedPolicy,
    answerSocket,
    denialsToPause,
    ...data
  } = options;
  const config = parseConfig(data);
  const cwd = directory(config.cwd ?? process.cwd());
  const shell = resolveShell(config.shell);
  const family = chooseFamily(shell);
  const environment = sessionEnvironment(config.env ?? defaults.env, process.env);
  const redactor = createRedactor({ env: definedOnly(process.env), ...(redactors && { extra: redactors }) });
  const usedAnalyzer = analyzer ?? createAnalyzer({ specs });
  const policy = await loadPolicies({
    sources: config.policy,
    workspace: cwd,
    analyzer: usedAnalyzer,
    ...(seedPolicy && { seed: seedPolicy }),
  });
  const auditDirectory = resolve(config.audit ?? join(stateDirectory(), 'audit'));
  const audit =
    auditLog ??
    (await openAuditLog({
      directory: auditDirectory,
      redactor,
      version,
      followers: [...(followers ?? []), ...(onCommand ? [onCommandFollower(onCommand)] : [])],
      continueDay: config.chain === 'day',
      config,
      policyHash: policy.policy.hash,
    }));
  const parts: Parts = {
    config,
    cwd,
    shell,
    family,
    environment,
    redactor,
    analyzer: usedAnalyzer,
    policy,
    audit,
    auditDirectory,
    executor: executor ?? createLocalExecutor({ runtimeDirectory: runtimeDirectory(), pty: config.pty ?? defaults.pty }),
    ownsExecutor: executor === undefined,
    ownsAudit: auditLog === undefined,
    spools: createSpools({ directory: join(stateDirectory(), 'spool'), ...defaults.spool }),
    approvers: approversOf(config, approver),
    principal: principal ?? THIS_PROGRAM,
    denialsToPause,
  };
  const gate = new ComposedGate(parts);
  if (answerSocket && config.onAsk === undefined) await gate.listen(answerSocket);
  return gate;
}

interface Parts {
  readonly config: Config;
  readonly cwd: string;
  readonly shell: readonly string[];
  readonly family: ShellFamily;
  readonly environment: SessionEnvironment;
  readonly redactor: Redactor;
  readonly analyzer: Analyzer;
  readonly policy: PoliciesInForce;
  readonly audit: AuditLog;
  readonly auditDirectory: string;
  readonly executor: Executor;
  readonly ownsExecutor: boolean;
  readonly ownsAudit: boolean;
  readonly spools: Spools;
  readonly approvers: readonly Approver[];
  readonly principal: Principal;
  readonly denialsToPause: number | undefined;
}

class ComposedGate implements LocalGate {
  readonly about: About;
  readonly approvals: Gate['approvals'];
  readonly #parts: Parts;
  readonly #queue: ReturnType<typeof createApprovalQueue>;
  readonly #sessions = new Set<LocalSession>();
  #socket: AnswerSocket | undefined;
  #socketProblem: string | undefined;
  #count = 0;
  #closed: Promise<void> | undefined;

  constructor(parts: Parts) {
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
      policies: parts.policy.names,
      auditDirectory: parts.auditDirectory,
      droppedVariables: parts.environment.dropped,
      projectPolicy: parts.policy.project,
      head: () => audit.head(),
      answerSocket: () => (this.#socket ? 'open' : (this.#socketProblem ?? 'off')),
      auditFailure: async () => (await audit.durable())?.reason,
    };
    audit.event('policy.loaded', { policies: parts.policy.names, hash: parts.policy.policy.hash });
  }

  /** Errors: `GATE_CLOSED`, `TOO_MANY_SESSIONS`, `DIRECTORY_MISSING`, `SHELL_UNAVAILABLE`, `SHELL_TOO_OLD`. */
  async openSession(options: SessionOptions = {}): Promise<Session> {
    const { config, family, shell, audit, executor, spools, environment, analyzer, policy, principal } = this.#parts;
    if (this.#closed) throw new ShellgateError('GATE_CLOSED', 'the gate is closed; make a new one');
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
      home: homedir(),
      workspace: cwd,
      ...(options.confine && { confine: true }),
      size: options.size ?? defaults.size,
      spools,
      limitBytes: config.limitBytes ?? defaults.limitBytes,
      onEvent: (type: AuditType, data) => audit.event(type, data, id),
    });
    const session: LocalSession = new LocalSession({
      shell: opened,
      analyzer,
      policy: policy.policy,
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
  async listen({ label, keepOpen }: NonNullable<GateOptions['answerSocket']>): Promise<void> {
    const { audit } = this.#parts;
    try {
      this.#socket = await openAnswerSocket({
        approvals: this.approvals,
        label,
        ...(keepOpen && { keepOpen }),
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

function footingOf({ executor, ownsExecutor, config }: Parts): string {
  if (!ownsExecutor) return executor.name;
  return config.pty !== 'off' && ptySupport().available ? 'pty' : 'pipes';
}

/** onAsk: `deny` asks nobody; `allow` answers yes to everything that is asked, and the log says who did. */
function approversOf(config: Config, approver: Approver | readonly Approver[] | undefined): readonly Approver[] {
  const given = approver === undefined ? [] : 'request' in approver ? [approver] : approver;
  if (config.onAsk === 'deny') return [];
  if (config.onAsk === 'allow') return [callbackApprover(() => 'approved', { name: 'acknowledged-unsafe' })];
  return given;
}

function directory(path: string): string {
  const absolute = resolve(path);
  if (statSync(absolute, { throwIfNoEntry: false })?.isDirectory()) return absolute;
  throw new ShellgateError('DIRECTORY_MISSING', `${absolute} is no directory; name one that exists`, { place: absolute });
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
