import { basename, join, resolve } from 'node:path';
import { createAnalyzer } from './analysis/analyzer.js';
import { specs } from './analysis/specs/index.js';
import { callbackApprover } from './approval/callback.js';
import { onCommandFollower } from './audit/followers/on-command.js';
import { openAuditLog } from './audit/log.js';
import { type Config, defaults, parseConfig } from './config.js';
import type { Analyzer } from './contract/analysis.js';
import type { Approver } from './contract/answer.js';
import type { AuditFollower, AuditLog } from './contract/audit.js';
import type { Executor } from './contract/executor.js';
import type { PolicyChange } from './contract/policy.js';
import type { Principal } from './contract/principal.js';
import { createLocalExecutor } from './executor/local/index.js';
import { chooseFamily } from './family/families.js';
import { loadPolicies } from './load-policies.js';
import { type AnswerSocketChoice, ComposedGate, directory, type LocalGate, type LocalGateParts } from './local-gate.js';
import { createSpools } from './output/spool.js';
import { currentDirectory, resolveShell, runtimeDirectory, stateDirectory } from './platform.js';
import type { ShellPolicy } from './policy/seed-policy.js';
import { createRedactor } from './redaction/redactor.js';
import { sessionEnvironment } from './session-environment.js';
import { version } from './version.js';

export type { About, AnswerSocketChoice, LocalGate } from './local-gate.js';

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
  readonly answerSocket?: AnswerSocketChoice;
  /** Denials in a row that pause a principal. Default 3; Infinity where who asks also answers. */
  readonly denialsToPause?: number;
  /** Told when rules changed on disk while the gate runs: which are in force now, or why the old ones stay. */
  readonly onPolicyChange?: (change: PolicyChange) => void;
  /** Who asks when a call does not say. Default: this program. */
  readonly principal?: Principal;
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
    onPolicyChange,
    ...data
  } = options;
  const config = parseConfig(data);
  const cwd = directory(config.cwd ?? currentDirectory());
  const shell = resolveShell(config.shell);
  const family = chooseFamily(shell);
  const environment = sessionEnvironment(config.env ?? defaults.env, process.env);
  const redactor = createRedactor({ env: definedOnly(process.env), ...(redactors && { extra: redactors }) });
  const usedAnalyzer = analyzer ?? createAnalyzer({ specs });
  const choice = { workspace: cwd, analyzer: usedAnalyzer, ...(seedPolicy && { seed: seedPolicy }) };
  const policies = await loadPolicies({ ...choice, sources: config.policy });
  const { grants, hash } = policies.inForce.policy;
  const shadow = config.shadow === undefined ? undefined : await loadPolicies({ ...choice, sources: config.shadow, grants });
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
      policyHash: hash,
    }));
  const parts: LocalGateParts = {
    config,
    cwd,
    shell,
    family,
    environment,
    redactor,
    analyzer: usedAnalyzer,
    policies,
    shadow,
    audit,
    auditDirectory,
    executor: executor ?? createLocalExecutor({ runtimeDirectory: runtimeDirectory(), pty: config.pty ?? defaults.pty }),
    ownsExecutor: executor === undefined,
    ownsAudit: auditLog === undefined,
    spools: createSpools({ directory: join(stateDirectory(), 'spool'), ...defaults.spool }),
    approvers: approversOf(config, approver),
    principal: principal ?? THIS_PROGRAM,
    denialsToPause,
    onPolicyChange,
  };
  const gate = new ComposedGate(parts);
  if (answerSocket && config.onAsk === undefined) await gate.listen(answerSocket);
  return gate;
}

/** onAsk: `deny` asks nobody; `allow` answers yes to everything that is asked, and the log says who did. */
function approversOf(config: Config, approver: Approver | readonly Approver[] | undefined): readonly Approver[] {
  const given = approver === undefined ? [] : 'request' in approver ? [approver] : approver;
  if (config.onAsk === 'deny') return [];
  if (config.onAsk === 'allow') return [callbackApprover(() => 'approved', { name: 'acknowledged-unsafe' })];
  return given;
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
