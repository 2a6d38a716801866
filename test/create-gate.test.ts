import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAuditLog } from '../src/audit/log.js';
import { verifyAudit } from '../src/audit/verify.js';
import type { Answer, Approver } from '../src/contract/answer.js';
import type { Question } from '../src/contract/question.js';
import { createGate, type GateOptions, type LocalGate } from '../src/create-gate.js';
import { callback } from '../src/index.js';
import { createRedactor } from '../src/redaction/redactor.js';
import { failingFrom } from './audit/failing-disk.js';
import { temporaryDirectory } from './helpers/cli.js';
import { verifies } from './helpers/verifies.js';

// The library as its users have it: real shells, a real log, real policy files.

interface Place {
  readonly home: string;
  readonly audit: string;
  /** A file that a command makes when it really runs. */
  readonly marker: string;
  policy(text: string): string;
}

function place(): Place {
  const home = temporaryDirectory();
  process.env['XDG_STATE_HOME'] = join(home, 'state');
  return {
    home,
    audit: join(home, 'audit'),
    marker: join(home, 'marker'),
    policy(text) {
      const path = join(home, 'policy.toml');
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
  };
}

async function gateIn(where: Place, options: GateOptions = {}): Promise<LocalGate> {
  const gate = await createGate({ policy: 'ask-all', audit: where.audit, cwd: where.home, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

const records = (where: Place): { type: string; data: Record<string, unknown> }[] =>
  readdirSync(where.audit)
    .filter(name => name.endsWith('.jsonl'))
    .flatMap(name => readFileSync(join(where.audit, name), 'utf8').trimEnd().split('\n'))
    .map(line => JSON.parse(line));

const untilTold = (reason: string) => (_question: Question, signal: AbortSignal) =>
  new Promise<Answer>(resolve => signal.addEventListener('abort', () => resolve({ outcome: 'unavailable', reason })));

test('an allowed question runs once; the question carries what a person must see, before any process exists', async () => {
  verifies('S3-06', 'I01');
  const where = place();
  const questions: Question[] = [];
  const approver = callback(question => {
    questions.push(question);
    expect(existsSync(where.marker)).toBe(false);
    return 'approved';
  });
  const gate = await gateIn(where, { approver });
  const session = await gate.openSession();
  const text = `touch ${where.marker}; echo hi`;
  const result = await session.run(text);
  expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: { text: 'hi\n' } });
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatchObject({
    request: { text },
    state: { cwd: where.home },
    display: { text },
    evaluation: { decision: 'ask' },
  });
  expect(questions[0]!.evaluation.risk).toMatch(/low|medium|high/);
});

describe('it does not run, and what could be recorded is', () => {
  const foreign: Approver = {
    name: 'foreign',
    request: async (question): Promise<Answer> => ({
      outcome: 'approved',
      questionId: question.id,
      digest: '0'.repeat(64),
      approver: { kind: 'person', id: 'eve', label: 'eve' },
      channel: 'foreign',
      level: 'same-user',
    }),
  };
  const broken = callback(() => {
    throw new Error('broken');
  });
  const approves = callback(() => 'approved');
  const NO_TOUCH = "[[rule]]\nid = 'no-touch'\ndecision = 'deny'\ncommand = 'touch **'\nreason = 'no'\n";
  const CASES: { name: string; options: GateOptions; policy?: string; by: string; code: string }[] = [
    { name: 'a deny rule', options: { approver: approves }, policy: NO_TOUCH, by: 'policy', code: 'POLICY_DENIED' },
    {
      name: 'denied',
      options: { approver: callback(() => ({ outcome: 'denied', feedback: 'use a branch' })) },
      by: 'approver',
      code: 'APPROVAL_DENIED',
    },
    {
      name: 'expired',
      options: { approver: { name: 'never', request: untilTold('told') }, expiryMs: 100 },
      by: 'expiry',
      code: 'APPROVAL_EXPIRED',
    },
    { name: 'an approver that throws', options: { approver: broken }, by: 'approver', code: 'APPROVER_FAILED' },
    { name: 'a foreign answer', options: { approver: foreign }, by: 'approver', code: 'ANSWER_FOREIGN' },
    { name: 'nobody to ask', options: {}, by: 'nobody', code: 'NOBODY_TO_ASK' },
    { name: 'onAsk deny', options: { approver: approves, onAsk: 'deny' }, by: 'nobody', code: 'NOBODY_TO_ASK' },
  ];
  test.each(CASES)('$name', async ({ options, policy, by, code }) => {
    verifies('P3', 'I02');
    const where = place();
    const gate = await gateIn(where, { ...options, ...(policy && { policy: where.policy(policy) }) });
    const session = await gate.openSession();
    const result = await session.run(`touch ${where.marker}`);
    expect(result).toMatchObject({ outcome: 'refused', by, code });
    expect(existsSync(where.marker)).toBe(false);
    await gate.close();
    expect(records(where).map(record => record.type)).toContain('command.refused');
  });

  test('a denial is recorded like a yes: who said no, where, how and why; the caller gets the refusal alone', async () => {
    verifies('P1', 'P3');
    const where = place();
    const ana = { kind: 'person', id: 'uid 7', label: 'ana' } as const;
    const approver = callback(() => ({ outcome: 'denied', feedback: 'use a branch' }), { name: 'desk', approver: ana });
    const gate = await gateIn(where, { approver });
    const session = await gate.openSession();
    const refusal = {
      outcome: 'refused',
      by: 'approver',
      code: 'APPROVAL_DENIED',
      reason: 'denied by a person',
      feedback: 'use a branch',
    };
    expect(await session.run(`touch ${where.marker}`)).toEqual(refusal);
    await gate.close();
    const [asked] = records(where).filter(record => record.type === 'approval.requested');
    const [answered] = records(where).filter(record => record.type === 'approval.answered');
    const [refused] = records(where).filter(record => record.type === 'command.refused');
    expect(answered!.data).toEqual({
      ...refusal,
      approver: ana,
      channel: 'desk',
      level: 'same-user',
      how: 'answered',
      questionId: asked!.data.id,
      digest: asked!.data.digest,
    });
    expect(refused!.data).toEqual(refusal);
  });

  test('denials in a row pause who asks, after as many as the gate was told', async () => {
    const where = place();
    const gate = await gateIn(where, { approver: callback(() => 'denied'), denialsToPause: 1 });
    const session = await gate.openSession();
    expect(await session.run('touch one')).toMatchObject({ code: 'APPROVAL_DENIED' });
    expect(await session.run('touch two')).toMatchObject({ code: 'PRINCIPAL_PAUSED' });
    await gate.close();
  });

  test('a late answer is refused and recorded', async () => {
    const where = place();
    let late: Question | undefined;
    const approver: Approver = {
      name: 'late',
      request: (question, signal) => {
        late = question;
        return untilTold('too late')(question, signal);
      },
    };
    const gate = await gateIn(where, { approver, expiryMs: 100 });
    const session = await gate.openSession();
    expect(await session.run(`touch ${where.marker}`)).toMatchObject({ by: 'expiry' });
    const answered = await gate.approvals.answer({
      outcome: 'approved',
      questionId: late!.id,
      digest: late!.evaluation.digest,
      approver: { kind: 'person', id: 'ana', label: 'ana' },
      channel: 'test',
      level: 'same-user',
    });
    expect(answered).toMatchObject({ accepted: false, code: 'ALREADY_ANSWERED' });
    expect(existsSync(where.marker)).toBe(false);
    await gate.close();
    expect(records(where).map(record => record.type)).toContain('answer.refused');
  });

  test.each([1, 2, 3, 4, 5, 6, 7])('a log that fails at record %i', async failing => {
    verifies('P1');
    const where = place();
    const disk = failingFrom(failing);
    const auditLog = await openAuditLog({ directory: where.audit, redactor: createRedactor({ env: {} }), disk });
    onTestFinished(() => auditLog.close());
    const gate = await gateIn(where, { auditLog, approver: approves });
    const session = await gate.openSession();
    const result = await session.run(`touch ${where.marker}`);
    expect(result).toMatchObject({ outcome: 'refused', by: 'audit', code: 'AUDIT_UNAVAILABLE' });
    expect(existsSync(where.marker)).toBe(false);
  });

  test('an unwritable log directory', async () => {
    const where = place();
    const gate = await gateIn(where, { audit: '/proc/nowhere', approver: approves });
    const session = await gate.openSession();
    expect(await session.run(`touch ${where.marker}`)).toMatchObject({ outcome: 'refused', by: 'audit' });
    expect(existsSync(where.marker)).toBe(false);
  });

  test('a log that was replaced while it was open stops everything', async () => {
    verifies('P1');
    const where = place();
    const gate = await gateIn(where, { approver: approves });
    const session = await gate.openSession();
    expect(await session.run('echo 1')).toMatchObject({ outcome: 'exited' });
    const file = join(where.audit, readdirSync(where.audit).find(name => name.endsWith('.jsonl'))!);
    writeFileSync(file, readFileSync(file, 'utf8').replace('echo 1', 'echo 2 '));
    const result = await session.run(`touch ${where.marker}`);
    expect(result).toMatchObject({ outcome: 'refused', by: 'audit', code: 'AUDIT_TAMPERED' });
    expect(existsSync(where.marker)).toBe(false);
  });
});

test('questions of two sessions, answered out of order, reach their own command', async () => {
  verifies('I20');
  const where = place();
  const answer = new Map<string, (reply: 'approved' | 'denied') => void>();
  const approver = callback(question => new Promise(resolve => answer.set(question.request.text, resolve)));
  const gate = await gateIn(where, { approver });
  const [a, b] = await Promise.all([gate.openSession(), gate.openSession()]);
  const [first, second] = [a.run('echo first'), b.run('echo second')];
  while (answer.size < 2) await new Promise(resolve => setTimeout(resolve, 5));
  answer.get('echo second')!('approved');
  expect(await second).toMatchObject({ outcome: 'exited', stdout: { text: 'second\n' } });
  answer.get('echo first')!('denied');
  expect(await first).toMatchObject({ outcome: 'refused', by: 'approver' });
});

test('onCommand is told of every command that passed; its throw is recorded and changes nothing', async () => {
  verifies('S3-10', 'I16');
  const where = place();
  const told: string[] = [];
  const onCommand = (text: string) => {
    told.push(text);
    if (text === 'echo 2') throw new Error('the hook is broken');
  };
  const approver = callback(question => (question.request.text === 'echo no' ? 'denied' : 'approved'));
  const gate = await gateIn(where, { approver, onCommand });
  const session = await gate.openSession();
  const outcomes = [];
  for (const text of ['echo 1', 'echo 2', 'echo no']) outcomes.push((await session.run(text)).outcome);
  expect(outcomes).toEqual(['exited', 'exited', 'refused']);
  await gate.close();
  expect(told).toEqual(['echo 1', 'echo 2']);
  expect(records(where).map(record => record.type)).toContain('follower.failed');
});

test('the log of five commands verifies, and one changed byte is named', async () => {
  verifies('S3-10', 'I18');
  const where = place();
  const gate = await gateIn(where, { approver: callback(() => 'approved') });
  const session = await gate.openSession();
  for (const n of [1, 2, 3, 4, 5]) await session.run(`echo ${n}`);
  await gate.close();
  expect(await verifyAudit(where.audit)).toMatchObject({ intact: true });
  const file = join(where.audit, readdirSync(where.audit).find(name => name.endsWith('.jsonl'))!);
  const lines = readFileSync(file, 'utf8').split('\n');
  lines[6] = lines[6]!.replace(/"seq":7/, '"seq":8');
  writeFileSync(file, lines.join('\n'));
  const { intact, problems } = await verifyAudit(where.audit);
  expect(intact).toBe(false);
  expect(problems[0]!.record).toBe(7);
});

test('a secret in a command is not in the log', async () => {
  verifies('I19', 'P10');
  const where = place();
  const gate = await gateIn(where, { approver: callback(() => 'approved') });
  const session = await gate.openSession();
  await session.run('API_TOKEN=s3cr3t-value-77 true; echo ghp_abcdefghijklmnopqrstuvwxyz0123456789');
  await gate.close();
  const log = readdirSync(where.audit).map(name => readFileSync(join(where.audit, name), 'utf8'));
  expect(log.join('')).toContain('[redacted:');
  expect(log.join('')).not.toMatch(/s3cr3t-value-77|ghp_abcdefghijklmnopqrstuvwxyz0123456789/);
});

describe('sessions', () => {
  test('await using ends the shell and leaves nothing', async () => {
    verifies('S3-03', 'J26');
    const where = place();
    let pid = 0;
    {
      const approver = callback(() => 'approved');
      await using gate = await createGate({ policy: 'ask-all', audit: where.audit, cwd: where.home, approver });
      await using session = await gate.openSession();
      const result = await session.run('sleep 300.26 & echo $$');
      pid = Number('stdout' in result ? result.stdout.text : 0);
      expect(existsSync(`/proc/${pid}`)).toBe(true);
    }
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test('two concurrent first calls share one shell', async () => {
    verifies('S3-22', 'J20');
    const where = place();
    const gate = await gateIn(where, { approver: callback(() => 'approved') });
    const session = await gate.openSession();
    const [one, two] = await Promise.all([session.run('echo $$'), session.run('echo $$')]);
    expect(one).toMatchObject({ outcome: 'exited' });
    expect('stdout' in one && 'stdout' in two && one.stdout.text === two.stdout.text).toBe(true);
  });

  test('an abort cancels the command and keeps the session; there is no exit code', async () => {
    verifies('J27');
    const where = place();
    const gate = await gateIn(where, { approver: callback(() => 'approved') });
    const session = await gate.openSession();
    await session.run('export KEPT=1');
    const abort = new AbortController();
    const running = session.start('echo begun; sleep 300.27', { signal: abort.signal });
    for await (const progress of running.events()) if (progress.stdoutBytes > 0) abort.abort('enough');
    const result = await running.result;
    expect(result).toMatchObject({ outcome: 'cancelled', shell: 'kept', stdout: { text: 'begun\n' } });
    expect(result).not.toHaveProperty('exitCode');
    expect(await session.run('echo $KEPT')).toMatchObject({ stdout: { text: '1\n' }, sessionRestarted: false });
  });

  test('check judges without running, asking or recording', async () => {
    const where = place();
    const approver = callback(() => {
      throw new Error('asked');
    });
    const gate = await gateIn(where, { approver });
    const session = await gate.openSession();
    const { evaluation, analysis } = await session.check(`touch ${where.marker}`);
    expect(evaluation.decision).toBe('ask');
    expect(analysis.programs[0]!.name).toEqual({ text: 'touch' });
    expect(existsSync(where.marker)).toBe(false);
    await gate.close();
    expect(records(where).map(record => record.type)).not.toContain('command.requested');
  });

  test('an idle session closes itself, a running command does not count as idle', async () => {
    const where = place();
    const gate = await gateIn(where, { approver: callback(() => 'approved'), idleTimeoutMs: 150 });
    const session = await gate.openSession();
    expect(await session.run('sleep .4; echo done')).toMatchObject({ outcome: 'exited', stdout: { text: 'done\n' } });
    await new Promise(resolve => setTimeout(resolve, 600));
    expect(await session.run('echo again')).toMatchObject({ outcome: 'refused', code: 'SESSION_CLOSED' });
  });

  test('the first command of a session does not change what a verdict depends on', async () => {
    verifies('P4');
    const where = place();
    const gate = await gateIn(where, { approver: callback(() => 'approved') });
    const session = await gate.openSession();
    const before = await session.check('touch x');
    await session.run('true');
    expect((await session.check('touch x')).evaluation.digest).toBe(before.evaluation.digest);
  });

  test('what can never be a request throws with a code; a closed gate refuses', async () => {
    const where = place();
    const gate = await gateIn(where);
    const session = await gate.openSession();
    expect(() => session.start('a\0b')).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
    expect(() => session.start('ls', { timeout: 5 } as never)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
    await gate.close();
    expect(await session.run('ls')).toMatchObject({ outcome: 'refused', by: 'session', code: 'SESSION_CLOSED' });
    await expect(gate.openSession()).rejects.toMatchObject({ code: 'GATE_CLOSED' });
  });
});

test('the README says that it is not a sandbox', () => {
  verifies('S3-05', 'P12');
  expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain('Not a sandbox');
});
