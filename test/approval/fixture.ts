import type { Clock } from '../../src/approval/clock.js';
import type { GivenAnswer } from '../../src/approval/open-question.js';
import { buildQuestion } from '../../src/approval/question.js';
import { createApprovalQueue, type QueueOptions } from '../../src/approval/queue.js';
import type { Analysis, Program } from '../../src/contract/analysis.js';
import type { Answer, Approver } from '../../src/contract/answer.js';
import type { AuditType } from '../../src/contract/audit.js';
import type { Evaluation, Suggestion } from '../../src/contract/policy.js';
import type { Question } from '../../src/contract/question.js';
import type { CommandRequest } from '../../src/contract/request.js';
import type { SessionState } from '../../src/contract/session-state.js';

export const ANA = { kind: 'person', id: 'uid 1000', label: 'ana' } as const;

export const STATE: SessionState = {
  cwd: '/home/ana/repo',
  cwdId: '1:2',
  generation: 1,
  options: 'himBH',
  family: 'bash',
  executor: 'local',
  user: 'ana(1000)',
  home: '/home/ana',
  workspace: '/home/ana/repo',
  lineage: 'clean',
};

export interface Asked {
  readonly id?: string;
  readonly request?: Partial<CommandRequest>;
  readonly state?: Partial<SessionState>;
  readonly programs?: readonly Program[];
  readonly evaluation?: Partial<Evaluation>;
  readonly names?: Readonly<Record<string, string>>;
  readonly hashes?: Readonly<Record<string, string>>;
  readonly now?: number;
  readonly expiryMs?: number;
}

export function program(argv: string, more: Partial<Program> = {}): Program {
  const words = argv.split(' ').map(text => ({ text }));
  const rest = { via: [], effects: [], tags: [], opaque: [], specified: true };
  return { name: words[0]!, argv: words, span: { start: 0, end: argv.length }, ...rest, ...more };
}

export function requestFor(text: string, more: Partial<CommandRequest> = {}): CommandRequest {
  const principal = { kind: 'model', id: 'pid 4021 /usr/bin/claude', label: 'claude-code' } as const;
  return { kind: 'command', id: 'c1', sessionId: 'main', principal, text, tty: false, ...more };
}

export function evaluationOf(change: Partial<Evaluation> = {}): Evaluation {
  return {
    decision: 'ask',
    risk: 'medium',
    matches: [{ source: 'default', decision: 'ask', reason: 'no rule covers project code (policy read-only)' }],
    parts: ['ask'],
    suggestions: [],
    digest: '3f9a'.repeat(16),
    ...change,
  };
}

/** A question as the queue makes it. */
export function question(text = 'npm ci', asked: Asked = {}): Question {
  const programs = asked.programs ?? [program(text.split('\n')[0]!, { span: { start: 0, end: text.length } })];
  const names = Object.entries(asked.names ?? {}).map(([name, path]) => [name, { kind: 'file', path }] as const);
  const hashes = Object.entries(asked.hashes ?? {}).map(([path, sha256]) => [path, { sha256 }] as const);
  const query = { names: [], variables: [], paths: [], hashes: [], text: '' };
  const analysis: Analysis = { programs, effects: [], opaque: [], query };
  return buildQuestion(
    {
      id: asked.id ?? 'k7qd',
      request: requestFor(text, asked.request),
      state: { ...STATE, ...asked.state },
      analysis,
      facts: {
        known: true,
        names: Object.fromEntries(names),
        variables: {},
        paths: {},
        hashes: Object.fromEntries(hashes),
        syntax: 'not-asked',
      },
      evaluation: evaluationOf(asked.evaluation),
    },
    { now: asked.now ?? Date.now(), expiryMs: asked.expiryMs ?? 3_600_000 },
  );
}

export function offer(scope: 'session' | 'always', command: string): Suggestion {
  const rule = { id: `offered-${scope}`, decision: 'allow', command } as const;
  return { rule, scope, wouldAlsoAllow: [`${command.replace('**', '-u')}`], wouldNotAllow: ['npm run test:e2e'] };
}

const bound = (to: Question) => ({
  questionId: to.id,
  digest: to.evaluation.digest,
  approver: ANA,
  channel: 'test',
  level: 'same-user' as const,
});

export function yes(to: Question, change: object = {}): GivenAnswer {
  return { ...bound(to), outcome: 'approved', ...change };
}

export function no(to: Question, change: object = {}): GivenAnswer {
  return { ...bound(to), outcome: 'denied', how: 'answered', ...change };
}

/** A channel that says whatever it is told to, later. */
export interface Channel {
  readonly approver: Approver;
  readonly asked: readonly Question[];
  readonly signals: readonly AbortSignal[];
  say(answer: unknown, nth?: number): void;
  fail(error: unknown): void;
}

export function channel(name = 'test', more: Partial<Approver> = {}): Channel {
  const asked: Question[] = [];
  const signals: AbortSignal[] = [];
  const open: { resolve(answer: Answer): void; reject(error: unknown): void }[] = [];
  return {
    asked,
    signals,
    say: (answer, nth = open.length - 1) => open[nth]!.resolve(answer as Answer),
    fail: error => open.at(-1)!.reject(error),
    approver: {
      name,
      ...more,
      request(to, signal) {
        asked.push(to);
        signals.push(signal);
        return new Promise((resolve, reject) => open.push({ resolve, reject }));
      },
    },
  };
}

/** A clock that only moves when it is told to. */
export class TestClock implements Clock {
  #now = Date.parse('2026-11-20T21:00:00Z');
  readonly #timers = new Map<object, { readonly at: number; readonly callback: () => void }>();
  readonly longest: number[] = [];

  now = () => this.#now;

  after = (ms: number, callback: () => void) => {
    const key = {};
    this.longest.push(ms);
    this.#timers.set(key, { at: this.#now + ms, callback });
    return () => void this.#timers.delete(key);
  };

  get timers(): number {
    return this.#timers.size;
  }

  /** The machine slept: time goes by and no timer fires. */
  sleep(ms: number): void {
    this.#now += ms;
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due || due[1].at > until) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].callback();
    }
    this.#now = until;
  }
}

export interface Event {
  readonly type: AuditType;
  readonly data: Record<string, unknown>;
}

/** A queue on a test's clock, with what it told. */
export function queueOf(approvers: readonly Approver[], options: Partial<QueueOptions> = {}) {
  const clock = new TestClock();
  const events: Event[] = [];
  const queue = createApprovalQueue({
    clock,
    approvers,
    onEvent: (type, data) => events.push({ type, data: data as Record<string, unknown> }),
    ...options,
  });
  function ask(text = 'npm ci', change: Asked = {}): Question {
    const { request, state, analysis, facts, evaluation } = question(text, change);
    return queue.ask(request, state, analysis, facts, evaluation);
  }
  return { clock, events, queue, approvals: queue.approvals, ask };
}

export const never = () => new AbortController().signal;

/** Let everything that is due happen. */
export const settled = () => new Promise<void>(resolve => setImmediate(resolve));
