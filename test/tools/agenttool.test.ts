import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { shownStreams } from '../../src/tools/agenttool/inline.js';
import type { ToolRecord } from '../../src/tools/records/vocabulary.js';
import { verifies } from '../helpers/verifies.js';
import { type Bench, bench } from './place.js';
import { isGone } from './processes-gone.js';
import {
  declarationSchema,
  executionSchema,
  interfaceSchema,
  permissionSchema,
  problemsOf,
  schedulerSchema,
} from './standard.js';

// biome-ignore lint/suspicious/noExplicitAny: records are data of another standard; the schemas check them.
type Loose = Record<string, any>;

const fixture = JSON.parse(readFileSync(join(import.meta.dirname, '../fixtures/records/tool_shell_exec.json'), 'utf8'));

const of = (records: readonly ToolRecord[], kind: ToolRecord['kind']): Loose[] =>
  records.filter(record => record.kind === kind).map(({ record }) => record as Loose);

const invocationStates = (records: readonly ToolRecord[]): string[] =>
  of(records, 'invocation')
    .at(-1)!
    ['status_transitions'].map(({ status }: { status: string }) => status);

/** Until a background command is over and has been recorded. */
async function over({ records }: Bench, id: string): Promise<void> {
  while (!of(records, 'invocation').some(each => each['invocation_id'] === id && each['ended_at'] !== undefined)) await delay(20);
}

describe('the declaration', () => {
  test("has every key and value of the document's object, but for the sandbox that is none", async () => {
    verifies('S2-04', 'S2-05', 'S2-06', 'S2-07', 'S2-08', 'S2-11', 'S2-12', 'S2-13', 'H01');
    const { tools } = await bench();
    const { execution_profile, ...rest } = fixture;
    const { sandboxed, ...profile } = execution_profile;
    expect(sandboxed).toBe(true);
    expect(tools.declaration('shell_exec')).toMatchObject({ ...rest, execution_profile: { ...profile, sandboxed: false } });
    const confined = await bench({ tools: { confined: true } });
    expect(confined.tools.declaration('shell_exec')).toMatchObject(fixture);
    expect(tools.declaration('run_command')).toBeUndefined();
  });

  test("satisfies the standard's schemas, which the document's object does not", async () => {
    verifies('S2-14', 'H02');
    const { tools } = await bench();
    const declared = tools.declaration('shell_exec')!;
    expect(() => declarationSchema.parse(declared)).not.toThrow();
    expect(() => interfaceSchema.parse(declared['tool_interface'])).not.toThrow();
    expect(() => executionSchema.parse(declared['execution_profile'])).not.toThrow();
    expect(() => permissionSchema.parse(declared['permission_profile'])).not.toThrow();
    expect(() => schedulerSchema.parse(declared['scheduler_policy'])).not.toThrow();
    expect(declarationSchema.safeParse(fixture).success).toBe(false);
    expect(interfaceSchema.safeParse(fixture.tool_interface).success).toBe(false);
    expect(executionSchema.safeParse(fixture.execution_profile).success).toBe(false);
    expect(permissionSchema.safeParse(fixture.permission_profile).success).toBe(false);
  });

  test('never shows a model what only the runtime may say', async () => {
    verifies('S2-07');
    const { tools } = await bench();
    const shown = tools.list().find(({ name }) => name === 'shell_exec')!.inputSchema;
    expect(shown).toMatchObject(fixture.input_contract.model_input_schema);
    expect(JSON.stringify(shown)).not.toContain('_ref');
  });
});

describe('arguments', () => {
  test.each([
    [{ command: 'true', timeout_ms: 999 }, 'timeout_ms'],
    [{ timeout_ms: 1_000 }, 'command'],
    [{ command: 'true', x: 1 }, 'x'],
    [{ command: 'true', sandbox_override_ref: 'x' }, 'sandbox_override_ref'],
    [{ command: 'true', simulated_edit_ref: 'x' }, 'simulated_edit_ref'],
    [{ command: 1 }, 'command'],
    [{ command: '' }, 'command'],
    [{ command: 'a\0b' }, 'command'],
    [{ command: 'true', run_in_background: 'yes' }, 'run_in_background'],
    [[], 'arguments'],
    ['ls', 'arguments'],
    [null, 'command'],
  ])('%j is no call', async (args, field) => {
    verifies('S2-06', 'S2-07', 'H03', 'H04');
    const { call, logged, records } = await bench();
    const { output, isError } = await call('shell_exec', args);
    expect(isError).toBe(true);
    expect(output).toMatchObject({ status: 'failed', is_error: true, error: { error_class: 'schema_validation_failed', field } });
    expect(of(records, 'result')).toMatchObject([{ is_error: true }]);
    expect(invocationStates(records)).toEqual(['planned', 'selected', 'validation_failed']);
    expect(problemsOf(records)).toEqual([]);
    expect(logged()).not.toContain('command.requested');
  });

  test('what a hook adds is recorded as a change and changes nothing', async () => {
    verifies('S2-07');
    const { call, records, questions } = await bench();
    const injected = { by: 'hook', fields: { sandbox_override_ref: 'none' } } as const;
    expect((await call('shell_exec', { command: 'echo a' }, { injected })).output).toMatchObject({ status: 'succeeded' });
    expect(of(records, 'input_mutation')).toMatchObject([{ source_type: 'hook', changed_fields: ['sandbox_override_ref'] }]);
    expect(questions.map(({ request }) => request.text)).toEqual(['echo a']);
    expect(problemsOf(records)).toEqual([]);
  });
});

test('progress: in order, with every count, to the exit code', async () => {
  verifies('S2-01', 'S2-02', 'H07');
  const { call, records } = await bench();
  await call('shell_exec', { command: 'for i in 1 2 3; do echo $i; echo e >&2; sleep 0.4; done', timeout_ms: 5_000 });
  const progress = of(records, 'progress');
  const statuses = progress.map(({ status }) => status);
  expect(statuses.filter(status => status !== 'waiting_for_permission')[1]).toBe('started');
  expect(statuses.filter(status => status === 'running').length).toBeGreaterThan(0);
  expect(progress.at(-1)).toMatchObject({ status: 'completed', exit_code: 0, stdout_bytes: 6, stdout_lines: 3, stderr_lines: 3 });
  for (const record of progress) expect(record).toMatchObject({ timeout_ms: 5_000, elapsed_ms: expect.any(Number) });
  expect(problemsOf(records)).toEqual([]);
  expect(of(records, 'invocation')[0]).toMatchObject({ classification: { is_read_only: true, is_destructive: false } });
});

describe('long output', () => {
  const exec = (made: Bench, count: number) => made.call('shell_exec', { command: `head -c ${count} /dev/zero | tr '\\0' a` });

  test('30,000 characters stand in the result', async () => {
    verifies('S2-11', 'H06');
    const made = await bench();
    const { output } = await exec(made, 30_000);
    expect(output).toMatchObject({ structured_content: { stdout: 'a'.repeat(30_000) }, persistence_refs: [] });
    expect(of(made.records, 'result_persistence')).toEqual([]);
  });

  test.each([30_001, 70_000])('%i characters stand in a file, and in part in the result', async count => {
    verifies('S2-11', 'H06');
    const made = await bench();
    const { output } = await exec(made, count);
    const [persisted] = of(made.records, 'result_persistence');
    expect(output).toMatchObject({ status: 'succeeded', persistence_refs: [persisted!['decision_id']] });
    expect(persisted).toMatchObject({
      strategy: 'preview_and_persist',
      original_size_bytes: count,
      threshold: { max_inline_chars: 30_000 },
    });
    const path = fileURLToPath(persisted!['persisted_ref'].uri);
    const content = readFileSync(path);
    expect(content.equals(Buffer.alloc(count, 'a'))).toBe(true);
    expect(persisted!['persisted_ref'].digest).toBe(`sha256:${createHash('sha256').update(content).digest('hex')}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { stdout } = (output as Loose)['structured_content'];
    expect(stdout).toBe(`${'a'.repeat(1_024)}\n[... truncated ${count - 2_048} bytes ...]\n${'a'.repeat(1_024)}`);
    expect(problemsOf(made.records)).toEqual([]);
  });

  test('without a place for it the result says that it was dropped', async () => {
    const made = await bench({ tools: { keeper: { open: () => ({ write: () => {}, end: () => undefined }) } } });
    await exec(made, 30_001);
    expect(of(made.records, 'result_persistence')).toMatchObject([{ strategy: 'drop_with_reason' }]);
    expect(problemsOf(made.records)).toEqual([]);
  });
});

describe('output that could not be kept whole', () => {
  /** A gate whose spool cannot be made: a file stands in its place. */
  async function withoutSpool(): Promise<Bench> {
    const made = await bench();
    mkdirSync(join(made.home, 'state/shellgate'), { recursive: true, mode: 0o700 });
    writeFileSync(join(made.home, 'state/shellgate/spool'), '');
    return made;
  }
  const LONG = "head -c 100000 /dev/zero | tr '\\0' a";

  test('is said in the record and to the model, and no file pretends to be all of it', async () => {
    verifies('S2-11', 'P6');
    const made = await withoutSpool();
    const { output } = await made.call('shell_exec', { command: LONG });
    expect(of(made.records, 'result_persistence')).toMatchObject([
      { strategy: 'drop_with_reason', original_size_bytes: 100_000 },
    ]);
    const { content, persistence_refs } = output as { content: { text: string }[]; persistence_refs: unknown[] };
    expect(content.map(({ text }) => text)).toContain('[the middle of stdout could not be kept]');
    expect(persistence_refs).toEqual([]);
    expect(problemsOf(made.records)).toEqual([]);
  });

  test('of a background command is skipped with its size', async () => {
    const made = await withoutSpool();
    const { output, invocationId } = await made.call('shell_exec', { command: LONG, run_in_background: true });
    const { task_id: process_id } = output as { task_id: string };
    await over(made, invocationId);
    const read = async (from: number) =>
      (await made.output('get_process_output', { process_id, stdout_from: from, max_bytes: 65_536 }))['structured_content'];
    expect(await read(32_768)).toMatchObject({ stdout: '', stdout_next: 67_232, stdout_missing_bytes: 34_464, end: false });
    expect(await read(67_232)).toMatchObject({ stdout: 'a'.repeat(32_768), end: true });
  });

  test('of which the quota let the beginning be kept: the reference says how much', async () => {
    verifies('P8');
    const persisted: Record<string, unknown>[] = [];
    const recorder = {
      invocationId: 'i',
      persisted: (fields: Record<string, unknown>) => {
        persisted.push(fields);
        return 'd1';
      },
    };
    const full = { ref: '/spool/x.raw', bytes: 10, sha256: 'ab', complete: false };
    const long = { text: 'a'.repeat(65_536), bytes: 90_000, omittedBytes: 24_464, full };
    const result = { outcome: 'exited', exitCode: 0, stdout: long, stderr: { text: '', bytes: 0, omittedBytes: 0 } };
    const { stdout } = await shownStreams({ execution: {}, recorder, keeper: undefined, result } as never);
    const note = 'only the first 10 of 90000 bytes of stdout could be kept';
    expect(stdout).toMatchObject({ persisted: { decisionId: 'd1' }, note });
    expect(persisted).toMatchObject([{ strategy: 'preview_and_persist', complete: false, reason: note }]);
  });
});

test('an interrupt ends the command, not the session; what happened is on record', async () => {
  verifies('S2-10', 'H11');
  const made = await bench();
  await made.call('shell_exec', { command: 'export KEPT=1' });
  const abort = new AbortController();
  const running = made.call('shell_exec', { command: 'sleep 300.176' }, { signal: abort.signal });
  while (!of(made.records, 'progress').some(({ status, stdout_bytes }) => status === 'started' && stdout_bytes === 0))
    await delay(20);
  await delay(300);
  abort.abort('user_interruption');
  const { output, isError } = await running;
  expect(isError).toBe(true);
  expect(output).toMatchObject({
    status: 'canceled',
    error: { error_class: 'canceled' },
    cancellation: {
      cancel_requested: expect.any(String),
      cancel_acknowledged: true,
      abort_reason: 'user_interruption',
      canceled: expect.any(String),
    },
  });
  expect(await isGone('sleep 300.176')).toBe(true);
  expect((await made.call('shell_exec', { command: 'echo "[$KEPT]"' })).output).toMatchObject({
    structured_content: { stdout: '[1]\n' },
  });
  expect(problemsOf(made.records)).toEqual([]);
});

describe('in the background', () => {
  test('answers at once; progress goes on under the same task, to the failure', async () => {
    verifies('S2-02', 'S2-12', 'H08');
    const made = await bench();
    await made.call('shell_exec', { command: 'true' });
    const began = performance.now();
    const { output, isError, invocationId } = await made.call('shell_exec', {
      command: 'sleep 1; echo done; exit 3',
      run_in_background: true,
    });
    expect(performance.now() - began).toBeLessThan(1_000);
    const { task_id: id } = output as { task_id: string };
    expect([isError, output]).toMatchObject([false, { status: 'backgrounded', structured_content: { status: 'backgrounded' } }]);
    expect(await made.output('check_process', { process_id: id })).toMatchObject({ structured_content: { status: 'running' } });
    await over(made, invocationId);
    const progress = of(made.records, 'progress').filter(({ task_id }) => task_id === id);
    expect(progress.map(({ status }) => status)).toEqual(expect.arrayContaining(['backgrounded', 'failed']));
    expect(progress.at(-1)).toMatchObject({ status: 'failed', exit_code: 3, stdout_lines: 1 });
    expect(await made.output('get_process_output', { process_id: id })).toMatchObject({
      structured_content: { stdout: 'done\n', end: true },
    });
    expect(await made.output('get_process_output', { process_id: id, stdout_from: 6 })).toMatchObject({
      is_error: true,
      error: { error_class: 'invalid_arguments', message: expect.stringContaining('5 bytes are there') },
    });
    expect(await made.output('list_processes', {})).toMatchObject({
      structured_content: { processes: [{ process_id: id, status: 'failed', exit_code: 3 }] },
    });
    expect(problemsOf(made.records)).toEqual([]);
  });

  test('a command that is over at once answers in the same form', async () => {
    verifies('S2-12');
    const made = await bench();
    for (const [command, status] of [
      ['true', 'succeeded'],
      ['exit 3', 'failed'],
    ] as const) {
      const { output, isError, invocationId } = await made.call('shell_exec', { command, run_in_background: true });
      expect([isError, output]).toMatchObject([false, { status: 'backgrounded', task_id: expect.any(String) }]);
      await over(made, invocationId);
      const { task_id: process_id } = output as { task_id: string };
      expect(await made.output('check_process', { process_id })).toMatchObject({ structured_content: { status } });
    }
    const denied = await bench({ answer: () => 'denied' });
    const { output, isError } = await denied.call('shell_exec', { command: 'true', run_in_background: true });
    expect([isError, output]).toMatchObject([true, { status: 'denied' }]);
    expect(problemsOf([...made.records, ...denied.records])).toEqual([]);
  });

  test('the call may be over before it: its signal ends it no more, kill_process does', async () => {
    const made = await bench();
    const abort = new AbortController();
    const started = await made.call(
      'shell_exec',
      { command: 'echo begun; sleep 300.178', run_in_background: true },
      { signal: abort.signal },
    );
    const { task_id: process_id } = started.output as { task_id: string };
    abort.abort();
    await delay(200);
    expect(await made.output('check_process', { process_id })).toMatchObject({ structured_content: { status: 'running' } });
    expect(await made.output('get_process_output', { process_id })).toMatchObject({
      structured_content: { stdout: 'begun\n', end: false },
    });
    expect(await made.output('kill_process', { process_id })).toMatchObject({ structured_content: { status: 'canceled' } });
    expect(await isGone('sleep 300.178')).toBe(true);
    expect(await made.output('kill_process', { process_id })).toMatchObject({ structured_content: { status: 'canceled' } });
    expect(problemsOf(made.records)).toEqual([]);
  });

  test.each(['check_process', 'get_process_output', 'kill_process'])('%s knows only its own', async name => {
    const mine = await bench();
    const others = await bench();
    const { output } = await others.call('shell_exec', { command: 'sleep 300.179', run_in_background: true });
    const { task_id: process_id } = output as { task_id: string };
    const answer = await mine.output(name, { process_id });
    expect(answer).toMatchObject({ is_error: true, error: { error_class: 'invalid_arguments', field: 'process_id' } });
    expect(await others.output('check_process', { process_id })).toMatchObject({ structured_content: { status: 'running' } });
    expect(problemsOf(mine.records)).toEqual([]);
  });
});

describe('denied', () => {
  const policy = "[[rule]]\nid = 'no'\ndecision = 'deny'\ncommand = 'touch **'\nreason = 'touching is over'\ntell = true\n";
  test.each([
    ['by policy', { policy }, 'POLICY_DENIED'],
    ['by a person', { answer: () => ({ outcome: 'denied', feedback: 'use a branch' }) as const }, 'APPROVAL_DENIED'],
    ['by nobody', { gate: { onAsk: 'deny' } }, 'NOBODY_TO_ASK'],
  ] as const)('%s: a result like any other, and nothing has run', async (_name, options, code) => {
    verifies('H12');
    const made = await bench(options);
    const { output, invocationId } = await made.call('shell_exec', { command: `touch ${made.home}/marker` });
    expect(output).toMatchObject({
      invocation_id: invocationId,
      status: 'denied',
      is_error: true,
      error: { error_class: 'permission_denied', error_code: code },
    });
    const deny = of(made.records, 'permission_decision').filter(({ behavior }) => behavior === 'deny');
    expect(deny).toMatchObject([{ invocation_id: invocationId }]);
    expect(existsSync(join(made.home, 'marker'))).toBe(false);
    expect(problemsOf(made.records)).toEqual([]);
  });
});

test('a scripted session: every record is right, in order, and holds no secret', async () => {
  verifies('S2-01', 'S2-03', 'S2-14', 'H14');
  process.env['SCRIPTED_API_TOKEN'] = 'scripted-secret-value-1';
  const made = await bench({
    answer: async ({ request }) => {
      if (request.text === 'echo edit') return { outcome: 'edited', text: 'echo edited' };
      if (request.text.includes('later')) await delay(2_000);
      return request.text === 'echo no' ? 'denied' : 'approved';
    },
  });
  delete process.env['SCRIPTED_API_TOKEN'];
  const exec = (args: object) => made.call('shell_exec', args);
  const ids: string[] = [];
  for (const args of [
    { command: 'echo yes', description: 'say yes' },
    { command: 'echo no' },
    { command: 'echo edit' },
    { command: 'sleep 300.177', timeout_ms: 1_000 },
    { command: 'printf a%.0s {1..30001}' },
    { command: 'echo later' },
    { command: 'API_TOKEN=another-secret-value-2 true; echo scripted-secret-value-1' },
    { command: 'sleep 0.3; echo beside', run_in_background: true },
  ])
    ids.push((await exec(args)).invocationId);
  await made.call('run_command', { command: 'echo scripted-secret-value-1' });
  await made.call('no_such_tool', {});
  await over(made, ids.at(-1)!);
  expect(problemsOf(made.records)).toEqual([]);
  const final = (id: string) => of(made.records, 'invocation').findLast(each => each['invocation_id'] === id)!['status'];
  expect(ids.map(final)).toEqual([
    'succeeded',
    'denied',
    'succeeded',
    'timed_out',
    'succeeded',
    'succeeded',
    'succeeded',
    'succeeded',
  ]);
  const later = made.records.filter(({ record }) => record['invocation_id'] === ids[5]);
  const [awaiting, approved] = ['awaiting_approval', 'approved'].map(state =>
    of(later, 'invocation')[0]!['status_transitions'].find(({ status }: { status: string }) => status === state),
  );
  expect(Date.parse(approved.at) - Date.parse(awaiting.at)).toBeGreaterThan(1_500);
  expect(of(later, 'progress').map(({ status }) => status)).toContain('waiting_for_permission');
  const edited = made.records.filter(({ record }) => record['invocation_id'] === ids[2]);
  expect(of(edited, 'input_mutation')).toMatchObject([{ source_type: 'permission_prompt', changed_fields: ['command'] }]);
  expect(of(edited, 'permission_decision').at(-1)).toMatchObject({
    behavior: 'allow',
    user_modified: true,
    updated_input: { command: 'echo edited' },
  });
  // Decided, then run: in the order of the records as well.
  for (const id of ids) {
    const own = made.records.filter(({ record }) => record['invocation_id'] === id);
    const decided = own.findIndex(({ kind, record }) => kind === 'permission_decision' && record['behavior'] === 'allow');
    const started = own.findIndex(({ kind, record }) => kind === 'progress' && record['status'] === 'started');
    expect([id, started < 0 || (decided >= 0 && decided < started)]).toEqual([id, true]);
  }
  const text = JSON.stringify(made.records);
  expect(text).toContain('[redacted:');
  expect(text).not.toMatch(/scripted-secret-value-1|another-secret-value-2/);
});

test("a host's redactor, classifier, keeper or follower that throws changes nothing about the command, and tells nothing", async () => {
  const fails = () => {
    throw new Error('broken');
  };
  const made = await bench({ tools: { redact: fails, classify: fails, onRecord: fails, keeper: { open: fails } } });
  const records: ToolRecord[] = [];
  const { output } = await made.call('shell_exec', { command: 'echo a-secret' }, { onRecord: record => records.push(record) });
  expect(output).toMatchObject({ status: 'succeeded', structured_content: { stdout: 'a-secret\n' } });
  expect(records.length).toBeGreaterThan(5);
  expect(JSON.stringify(records)).not.toContain('a-secret');
  const long = await made.call('shell_exec', { command: "head -c 40000 /dev/zero | tr '\\0' a" });
  expect(long).toMatchObject({ isError: false, output: { status: 'succeeded', persistence_refs: [] } });
  const command = "sleep 0.3; head -c 40000 /dev/zero | tr '\\0' a";
  const { task_id: process_id } = await made.output('shell_exec', { command, run_in_background: true });
  const isRunning = async () => JSON.stringify(await made.output('check_process', { process_id })).includes('"status":"running"');
  while (await isRunning()) await delay(20);
  expect(await made.output('kill_process', { process_id })).toMatchObject({ structured_content: { status: 'succeeded' } });
});
