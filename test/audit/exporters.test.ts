import { describe, expect, test } from 'vitest';
import { toCloudEvent } from '../../src/audit/followers/cloudevents.js';
import { toEcs } from '../../src/audit/followers/ecs.js';
import { type ExportSource, outcomeOf, sourceOf } from '../../src/audit/followers/export-fields.js';
import { toOcsf } from '../../src/audit/followers/ocsf.js';
import { toOtel } from '../../src/audit/followers/otel.js';
import { NO_RECORD, seal } from '../../src/audit/record.js';
import type { AuditRecord, AuditType } from '../../src/contract/audit.js';
import { followerConformance } from '../conformance/follower.js';

const SOURCE: ExportSource = { host: 'build 7', user: 'ana', uid: 1000, version: '0.1.0' };
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function record(type: AuditType, data: unknown): AuditRecord {
  const about = type.startsWith('command.') ? { session: 'main', command: 'c1' } : {};
  const time = '2026-11-20T21:04:12.345Z';
  const unsealed = { v: 1, chain: 'beef', seq: 7, time, monoNs: '1', type, ...about, data, prev: NO_RECORD } as const;
  return { ...unsealed, hash: seal(unsealed).hash };
}

const requested = record('command.requested', {
  text: 'npm ci',
  principal: { kind: 'model', id: 'x', label: 'x', client: 'claude-code' },
  origin: { toolCallId: 'call_1', traceparent: TRACE },
});
const started = record('command.started', { text: 'npm ci', digest: 'd', decision: 'allow' });
const finished = record('command.finished', {
  outcome: 'exited',
  exitCode: 3,
  durationMs: 12.4,
  cwd: '/repo',
  stdout: { bytes: 100, omittedBytes: 40 },
  stderr: { bytes: 5, omittedBytes: 0 },
});
const refused = record('command.refused', { outcome: 'refused', by: 'policy', code: 'POLICY_DENIED', reason: 'never here' });

describe('OCSF process activity', () => {
  test('a start was launched and allowed', () => {
    expect(toOcsf(started, SOURCE)).toMatchObject({
      class_uid: 1007,
      category_uid: 1,
      activity_id: 1,
      type_uid: 100_701,
      time: Date.parse(started.time),
      status_id: 1,
      action_id: 1,
      device: { hostname: 'build 7' },
      actor: { user: { name: 'ana', uid: '1000' }, session: { uid: 'main' } },
      process: { uid: 'c1', cmd_line: 'npm ci' },
      metadata: { version: '1.5.0', uid: started.hash, sequence: 7, product: { version: '0.1.0' } },
    });
  });

  test('an end has its exit code, a refusal was denied', () => {
    expect(toOcsf(finished, SOURCE)).toMatchObject({
      activity_id: 2,
      type_uid: 100_702,
      exit_code: 3,
      duration: 12,
      status_id: 2,
    });
    expect(toOcsf(finished, SOURCE)).not.toHaveProperty('action_id');
    expect(toOcsf(refused, SOURCE)).toMatchObject({
      activity_id: 1,
      action_id: 2,
      status_id: 2,
      severity_id: 3,
      status_detail: 'never here',
    });
  });

  test('what is no process activity has no form', () => {
    expect(toOcsf(record('policy.loaded', {}), SOURCE)).toBeUndefined();
    expect(toOcsf(requested, SOURCE)).toBeUndefined();
  });
});

describe('ECS', () => {
  test('a finished command', () => {
    expect(toEcs(finished, SOURCE)).toMatchObject({
      '@timestamp': finished.time,
      event: {
        category: ['process'],
        type: ['end'],
        action: 'command.finished',
        outcome: 'failure',
        id: 'beef-7',
        hash: finished.hash,
        duration: 12_400_000,
      },
      process: {
        entity_id: 'c1',
        working_directory: '/repo',
        exit_code: 3,
        io: { total_bytes_captured: 105, total_bytes_skipped: 40 },
      },
      host: { name: 'build 7' },
      user: { name: 'ana', id: '1000' },
      labels: { chain: 'beef', session: 'main' },
    });
  });

  test.each<[AuditType, string, string]>([
    ['command.started', 'process', 'start'],
    ['command.refused', 'process', 'denied'],
    ['session.opened', 'session', 'start'],
    ['session.lost', 'session', 'end'],
    ['policy.loaded', 'configuration', 'info'],
    ['grant.added', 'configuration', 'info'],
    ['answer.refused', 'process', 'denied'],
  ])('%s is %s, %s', (type, category, kind) => {
    expect(toEcs(record(type, {}), SOURCE)).toMatchObject({ event: { category: [category], type: [kind] } });
  });

  test('a request says which tool call it was', () => {
    expect(toEcs(requested, SOURCE)).toMatchObject({
      gen_ai: { tool: { call: { id: 'call_1' } } },
      labels: { client: 'claude-code' },
    });
  });
});

describe('OpenTelemetry', () => {
  const attributes = (of: AuditRecord) =>
    Object.fromEntries(
      (toOtel(of, SOURCE) as { attributes: { key: string; value: object }[] }).attributes.map(({ key, value }) => [key, value]),
    );

  test('a request continues the caller’s trace', () => {
    expect(toOtel(requested, SOURCE)).toMatchObject({
      timeUnixNano: `${Date.parse(requested.time)}000000`,
      severityText: 'INFO',
      eventName: 'shellgate.command.requested',
      body: { stringValue: 'npm ci' },
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
    });
    expect(attributes(requested)).toMatchObject({
      'log.record.uid': { stringValue: 'beef-7' },
      'gen_ai.tool.call.id': { stringValue: 'call_1' },
      'gen_ai.operation.name': { stringValue: 'execute_tool' },
    });
  });

  test('a refusal warns, with its code', () => {
    expect(toOtel(refused, SOURCE)).toMatchObject({ severityNumber: 13, body: { stringValue: 'never here' } });
    expect(attributes(refused)).toMatchObject({ 'error.type': { stringValue: 'POLICY_DENIED' } });
    expect(attributes(finished)).toMatchObject({ 'process.exit.code': { intValue: '3' } });
  });

  test('a traceparent that is none is left alone', () => {
    expect(toOtel(record('command.requested', { origin: { traceparent: 'x' } }), SOURCE)).not.toHaveProperty('traceId');
  });
});

test('a CloudEvent', () => {
  expect(toCloudEvent(requested, SOURCE)).toEqual({
    specversion: '1.0',
    id: 'beef-7',
    source: '/shellgate/build%207/beef',
    type: 'shellgate.command.requested',
    subject: 'c1',
    time: requested.time,
    datacontenttype: 'application/json',
    sequence: '000000000007',
    recordhash: requested.hash,
    session: 'main',
    traceparent: TRACE,
    data: requested.data,
  });
});

test('a chain’s first record says where it comes from', () => {
  expect(sourceOf(record('audit.opened', { host: 'h', user: 'ana', uid: 7, version: '1' }))).toEqual({
    host: 'h',
    user: 'ana',
    uid: 7,
    version: '1',
  });
  expect(sourceOf(record('audit.opened', null))).toEqual({ host: 'unknown' });
});

test.each<[AuditType, object, string]>([
  ['command.finished', { outcome: 'exited', exitCode: 0 }, 'success'],
  ['command.finished', { outcome: 'exited', exitCode: 1 }, 'failure'],
  ['command.finished', { outcome: 'timed-out' }, 'failure'],
  ['command.evaluated', { decision: 'deny' }, 'failure'],
  ['command.evaluated', { decision: 'ask' }, 'unknown'],
  ['follower.failed', {}, 'failure'],
  ['session.lost', {}, 'failure'],
  ['command.started', {}, 'success'],
])('%s %j went: %s', (type, data, outcome) => expect(outcomeOf(record(type, data))).toBe(outcome));

/** An exporter behind a follower, as a sink uses it. */
function exporting(name: string, form: (record: AuditRecord, source: ExportSource) => object | undefined): void {
  followerConformance(`an exporter of ${name}`, () => ({
    name,
    async write(records) {
      for (const each of records) JSON.stringify(form(each, SOURCE));
    },
  }));
}

exporting('OCSF', toOcsf);
exporting('ECS', toEcs);
exporting('OpenTelemetry', toOtel);
exporting('CloudEvents', toCloudEvent);
