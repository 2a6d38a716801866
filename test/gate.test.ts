import { describe, expect, test } from 'vitest';
import type { Analysis } from '../src/contract/analysis.js';
import type { Approved, Edited } from '../src/contract/answer.js';
import type { AuditType } from '../src/contract/audit.js';
import type { Decision, Evaluation, Grant, Policy, PolicySource } from '../src/contract/policy.js';
import type { Question } from '../src/contract/question.js';
import type { CommandRequest } from '../src/contract/request.js';
import type { CommandResult, Refusal } from '../src/contract/result.js';
import type { Shell, Turn } from '../src/contract/shell.js';
import { type GateParts, passGate } from '../src/gate.js';
import { verifies } from './helpers/verifies.js';

const person = { kind: 'person', id: 'ana', label: 'ana' } as const;
const request: CommandRequest = {
  kind: 'command',
  id: 'c1',
  sessionId: 's1',
  principal: { kind: 'model', id: 'm', label: 'm' },
  text: 'make',
  tty: false,
};
const RAN = {
  outcome: 'exited',
  exitCode: 0,
  stdout: { text: '', bytes: 0, omittedBytes: 0 },
  stderr: { text: '', bytes: 0, omittedBytes: 0 },
  durationMs: 1,
  shell: 'kept',
  sessionRestarted: false,
  survivors: [],
  leftRunning: [],
} as const satisfies CommandResult;
const LOG_FULL: Refusal = { outcome: 'refused', by: 'audit', code: 'AUDIT_UNAVAILABLE', reason: 'no space left' };

interface Scenario {
  /** Decision by the text that is judged. */
  decide?: (text: string, round: number) => Decision;
  /** Digest by text and round; the same text keeps its digest unless a scenario says that the world moved. */
  digest?: (text: string, round: number) => string;
  answers?: ((question: Question) => Approved | Edited | Refusal)[];
  /** The log fails from this record on (1 is the first). */
  logFailsAt?: number;
  turn?: Refusal;
  remembered?: Grant | { problem: string };
}

const inForce = (policy: Policy): PolicySource => ({ current: async () => policy });

function stage(scenario: Scenario) {
  const events: AuditType[] = [];
  const ran: string[] = [];
  const asked: Question[] = [];
  let turnsGivenBack = 0;
  let rounds = 0;
  let failed = false;
  const { decide = () => 'allow', digest = text => `digest of ${text}`, answers = [] } = scenario;
  const turn: Turn = {
    state: {
      cwd: '/w',
      cwdId: '1:1',
      generation: 1,
      options: '',
      family: 'bash',
      executor: 'local',
      user: 'u',
      home: '/h',
      workspace: '/w',
      lineage: 'clean',
    },
    facts: async () => ({ known: false, reason: 'not asked' }),
    start: async what => {
      ran.push(what.request.text);
      return RAN;
    },
    [Symbol.dispose]: () => {
      turnsGivenBack += 1;
    },
  };
  const parts: GateParts = {
    shell: { turn: (async () => scenario.turn ?? turn) as Shell['turn'] },
    analyzer: {
      analyze: async (): Promise<Analysis> => ({
        programs: [],
        effects: [],
        opaque: [],
        query: { names: [], variables: [], paths: [], hashes: [], text: '' },
      }),
    },
    policies: inForce({
      evaluate: (judged): Evaluation => {
        rounds += 1;
        const matches = [
          { source: 'rule', decision: 'deny', reason: 'told', tell: true },
          { source: 'rule', decision: 'deny', reason: 'kept from the model' },
        ] as const;
        const decision = decide(judged.text, rounds);
        return { decision, risk: 'low', matches, parts: [], suggestions: [], digest: digest(judged.text, rounds) };
      },
      remember: async () => scenario.remembered ?? { problem: 'unset' },
    }),
    approvals: {
      ask: (judged, state, analysis, facts, evaluation) => {
        const question: Question = {
          id: `q${asked.length + 1}`,
          request: judged,
          state,
          analysis,
          facts,
          evaluation,
          display: { text: judged.text, warnings: [] },
          files: [],
          askedAt: '',
          expiresAt: '',
        };
        asked.push(question);
        return question;
      },
      answer: async question => {
        const answer = answers.shift();
        if (!answer) throw new Error('asked once too often');
        return answer(question);
      },
    },
    audit: {
      command: () => ({
        record: type => {
          if (failed) return;
          if (scenario.logFailsAt === events.length + 1) failed = true;
          else events.push(type);
        },
        durable: async () => (failed ? LOG_FULL : undefined),
      }),
      event: () => {},
      durable: async () => undefined,
      head: () => ({ chain: '', seq: 0, hash: '' }),
      close: async () => {},
    },
  };
  const watch = { judging() {}, pending() {}, started() {} };
  const pass = (signal = new AbortController().signal) => passGate(request, parts, watch, signal);
  return { pass, events, ran, asked, givenBack: () => turnsGivenBack };
}

const yes = (question: Question): Approved => ({
  outcome: 'approved',
  questionId: question.id,
  digest: question.evaluation.digest,
  approver: person,
  channel: 'test',
  level: 'same-user',
});
const edit =
  (text: string) =>
  (question: Question): Edited => ({ ...yes(question), outcome: 'edited', text });
const refuse = (by: Refusal['by'], code: Refusal['code']) => (): Refusal => ({ outcome: 'refused', by, code, reason: 'no' });

test('an allowed command runs, and the log is told every step before it is taken', async () => {
  verifies('P1', 'P2');
  const scene = stage({});
  expect(await scene.pass()).toEqual(RAN);
  expect(scene.ran).toEqual(['make']);
  expect(scene.events).toEqual([
    'command.requested',
    'facts.queried',
    'command.evaluated',
    'command.started',
    'command.finished',
  ]);
});

test('a denied command is not asked about; the model hears only reasons it may hear', async () => {
  const scene = stage({ decide: () => 'deny' });
  expect(await scene.pass()).toEqual({ outcome: 'refused', by: 'policy', code: 'POLICY_DENIED', reason: 'told' });
  expect([scene.ran, scene.asked, scene.givenBack()]).toEqual([[], [], 1]);
});

test('an approved command runs on the same digest, asked once', async () => {
  verifies('S3-06', 'P4');
  const scene = stage({ decide: () => 'ask', answers: [yes] });
  expect(await scene.pass()).toEqual(RAN);
  expect(scene.asked).toHaveLength(1);
  expect(scene.events).toEqual([
    'command.requested',
    'facts.queried',
    'command.evaluated',
    'approval.requested',
    'approval.answered',
    'facts.queried',
    'command.evaluated',
    'command.started',
    'command.finished',
  ]);
});

test('a world that moved while the person thought asks again', async () => {
  verifies('P4');
  const moved = stage({ decide: () => 'ask', digest: (_text, round) => `round ${Math.min(round, 2)}`, answers: [yes, yes] });
  expect(await moved.pass()).toEqual(RAN);
  expect(moved.asked.map(question => question.evaluation.digest)).toEqual(['round 1', 'round 2']);
});

describe('an edited text', () => {
  test('is judged again: allowed, it runs and the result says so', async () => {
    const scene = stage({ decide: text => (text === 'make' ? 'ask' : 'allow'), answers: [edit('make -n')] });
    expect(await scene.pass()).toEqual({ ...RAN, ranInstead: 'make -n' });
    expect(scene.ran).toEqual(['make -n']);
  });

  test('is judged again: denied, it does not run', async () => {
    verifies('I13');
    const scene = stage({ decide: text => (text === 'make' ? 'ask' : 'deny'), answers: [edit('make install')] });
    expect(await scene.pass()).toMatchObject({ outcome: 'refused', by: 'policy' });
    expect(scene.ran).toEqual([]);
  });

  test('is asked about itself: an earlier yes does not carry over', async () => {
    const scene = stage({ decide: () => 'ask', answers: [edit('make all'), refuse('approver', 'APPROVAL_DENIED')] });
    expect(await scene.pass()).toMatchObject({ outcome: 'refused', by: 'approver' });
    expect(scene.asked.map(question => question.request.text)).toEqual(['make', 'make all']);
    expect(scene.ran).toEqual([]);
  });
});

test.each([
  ['approver', 'APPROVAL_DENIED'],
  ['approver', 'APPROVER_FAILED'],
  ['approver', 'ANSWER_FOREIGN'],
  ['expiry', 'APPROVAL_EXPIRED'],
  ['nobody', 'NOBODY_TO_ASK'],
  ['caller', 'CANCELLED'],
] as const)('refused by %s with %s: it does not run, the turn is given back, the refusal is recorded', async (by, code) => {
  verifies('P3');
  const scene = stage({ decide: () => 'ask', answers: [refuse(by, code)] });
  expect(await scene.pass()).toMatchObject({ outcome: 'refused', by, code });
  expect([scene.ran, scene.givenBack()]).toEqual([[], 1]);
  expect(scene.events.at(-1)).toBe('command.refused');
});

test('a refused turn is recorded and nothing else happens', async () => {
  const scene = stage({ turn: { outcome: 'refused', by: 'session', code: 'SESSION_CLOSED', reason: 'closed' } });
  expect(await scene.pass()).toMatchObject({ by: 'session', code: 'SESSION_CLOSED' });
  expect(scene.events).toEqual(['command.requested', 'command.refused']);
});

test('cancelled before its start it does not run, even where policy allows it', async () => {
  const scene = stage({});
  expect(await scene.pass(AbortSignal.abort('no longer needed'))).toMatchObject({
    by: 'caller',
    code: 'CANCELLED',
    reason: 'no longer needed',
  });
  expect(scene.ran).toEqual([]);
});

describe('a log that fails', () => {
  test.each([1, 2, 3, 4])('at record %i of an allowed command: it does not run', async logFailsAt => {
    verifies('P1');
    const scene = stage({ logFailsAt });
    expect(await scene.pass()).toEqual(LOG_FULL);
    expect(scene.ran).toEqual([]);
  });

  test.each([1, 2, 3, 4])('at record %i of one that asks: nobody is asked, it does not run', async logFailsAt => {
    const scene = stage({ decide: () => 'ask', answers: [yes], logFailsAt });
    expect(await scene.pass()).toEqual(LOG_FULL);
    expect(scene.ran).toEqual([]);
  });

  test.each([5, 6, 7, 8])('at record %i, after the question: approved, it still does not run', async logFailsAt => {
    const scene = stage({ decide: () => 'ask', answers: [yes], logFailsAt });
    expect(await scene.pass()).toEqual(LOG_FULL);
    expect(scene.ran).toEqual([]);
  });
});

test('a remembered answer that could not be kept is recorded as such; the approval holds', async () => {
  const remember = (question: Question): Approved => ({ ...yes(question), remember: { scope: 'session' } });
  const failed = stage({ decide: () => 'ask', answers: [remember], remembered: { problem: 'disk full' } });
  expect(await failed.pass()).toEqual(RAN);
  expect(failed.events).toContain('grant.failed');
});
