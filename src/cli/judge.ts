import { basename } from 'node:path';
import { createAnalyzer } from '../analysis/analyzer.js';
import { specs } from '../analysis/specs/index.js';
import type { Analysis } from '../contract/analysis.js';
import type { AuditLog } from '../contract/audit.js';
import type { Session } from '../contract/gate.js';
import type { Evaluation } from '../contract/policy.js';
import type { Refusal } from '../contract/result.js';
import { createGate } from '../create-gate.js';
import { loadPolicies } from '../load-policies.js';
import { currentDirectory, homeDirectory } from '../platform.js';
import { type CommonFlags, gateOptions } from './options.js';

export interface Judged {
  readonly analysis: Analysis;
  readonly evaluation: Evaluation;
}

export interface Where {
  readonly cwd?: string | undefined;
  readonly stdin?: string | undefined;
  /** The shell whose grammar the text is written in. Default: the session's. */
  readonly shell?: string | undefined;
}

/** Judges lines as in a fresh session. Nothing is run, asked or recorded: its log refuses whatever would start. */
export interface Judge extends AsyncDisposable {
  readonly policies: readonly string[];
  readonly cwd: string;
  readonly shell: readonly string[];
  judge(text: string, where?: Where): Promise<Judged>;
}

const NOTHING_RUNS: Refusal = { outcome: 'refused', by: 'audit', code: 'AUDIT_UNAVAILABLE', reason: 'this gate only judges' };
const NO_LOG: AuditLog = {
  command: () => ({ record: () => {}, durable: async () => NOTHING_RUNS }),
  event: () => {},
  durable: async () => NOTHING_RUNS,
  head: () => ({ chain: '', seq: 0, hash: '' }),
  close: async () => {},
};

export async function openJudge(flags: CommonFlags): Promise<Judge> {
  const gate = await createGate({ ...gateOptions(flags), auditLog: NO_LOG });
  const sessions = new Map<string, Promise<Session>>();
  const sessionIn = (cwd: string | undefined): Promise<Session> => {
    const opened = sessions.get(cwd ?? '') ?? gate.openSession(cwd === undefined ? {} : { cwd });
    sessions.set(cwd ?? '', opened);
    return opened;
  };
  const cwd = (await sessionIn(undefined)).cwd ?? currentDirectory();
  return {
    policies: gate.about.policies,
    cwd,
    shell: gate.about.shell,
    judge: async (text, where = {}) => {
      const family = where.shell === undefined ? gate.about.family : basename(where.shell);
      if (family !== gate.about.family) return judgeForeign(text, { family, cwd: where.cwd ?? cwd, flags });
      const session = await sessionIn(where.cwd);
      return session.check(text, where.stdin === undefined ? {} : { stdin: where.stdin });
    },
    [Symbol.asyncDispose]: () => gate.close(),
  };
}

interface Foreign {
  readonly family: string;
  readonly cwd: string;
  readonly flags: CommonFlags;
}

/** Text for a shell that is not running here: judged without facts, which can only make it stricter. */
async function judgeForeign(text: string, { family, cwd, flags }: Foreign): Promise<Judged> {
  const analyzer = createAnalyzer({ specs });
  const { policy } = (await loadPolicies({ sources: flags.policy, workspace: cwd, analyzer })).inForce;
  const request = {
    kind: 'command',
    id: 'check',
    sessionId: 'check',
    principal: { kind: 'program', id: 'check', label: 'check' },
    text,
    tty: false,
  } as const;
  const state = {
    cwd,
    cwdId: '',
    generation: 1,
    options: '',
    family,
    executor: 'local',
    user: '',
    home: homeDirectory(),
    workspace: cwd,
    lineage: 'clean',
  } as const;
  const analysis = await analyzer.analyze(request, state, new AbortController().signal);
  const facts = { known: false, reason: `no ${family} runs here` } as const;
  return { analysis, evaluation: policy.evaluate(request, state, analysis, facts) };
}
