import { describe, expect, test } from 'vitest';
import type { CommandResult } from '../../src/contract/result.js';
import { formatForModel } from '../../src/tools/format-for-model.js';
import { modelResult } from '../../src/tools/model-result.js';
import { verifies } from '../helpers/verifies.js';

const text = (value: string, omittedBytes = 0) => ({
  text: value,
  bytes: Buffer.byteLength(value) + omittedBytes,
  omittedBytes,
});
const ran = {
  stdout: text(''),
  stderr: text(''),
  cwd: '/repo',
  durationMs: 1_200.4,
  shell: 'kept',
  sessionRestarted: false,
  survivors: [],
  leftRunning: [],
} as const;
const CODES = { policy: 'POLICY_DENIED', approver: 'APPROVAL_DENIED', nobody: 'NOBODY_TO_ASK' } as const;
const refused = (by: 'policy' | 'approver' | 'nobody', feedback?: string): CommandResult => ({
  outcome: 'refused',
  by,
  code: CODES[by],
  reason: 'rewrites published history',
  ...(feedback !== undefined && { feedback }),
});

describe('the text of document 003', () => {
  test.each<[string, CommandResult, string]>([
    [
      'everything',
      { ...ran, outcome: 'exited', exitCode: 3, stdout: text('out\n', 9), stderr: text('err\n') },
      'out\nstderr: err\n[output truncated]\nexit_code: 3',
    ],
    ['nothing but the end', { ...ran, outcome: 'exited', exitCode: 0 }, 'exit_code: 0'],
    ['a timeout', { ...ran, outcome: 'timed-out', stdout: text('part') }, 'part\n[command timed out]\nexit_code: 124'],
    ['a denied command', refused('policy'), 'Command rejected by policy: rewrites published history'],
    [
      'a person who says no',
      refused('approver', 'use a branch'),
      'Command rejected by a person: rewrites published history\nA person said: use a branch',
    ],
  ])('%s', (_name, result, expected) => {
    verifies('S3-21');
    expect(formatForModel(result)).toBe(expected);
  });
});

describe('the structured form', () => {
  const context = { maxTimeoutMs: 600_000 };

  test('a plain exit has no note and no empty fields', () => {
    const result = modelResult({ ...ran, outcome: 'exited', exitCode: 0, stdout: text('x') }, context);
    expect(result).toEqual({ outcome: 'exited', exitCode: 0, stdout: 'x', cwd: '/repo' });
  });

  test('a failed stage of a pipe is said', () => {
    const result = modelResult({ ...ran, outcome: 'exited', exitCode: 0, pipeStatus: [1, 0] }, context);
    expect(result).toMatchObject({
      pipeStatus: [1, 0],
      note: "stage 1 of the pipe failed with 1; the 0 is the last stage's",
    });
  });

  test.each<CommandResult>([
    { ...ran, outcome: 'timed-out' },
    { ...ran, outcome: 'cancelled' },
    { ...ran, outcome: 'signaled', signal: 'SIGKILL', shell: 'ended' },
    { ...ran, outcome: 'session-lost', reason: 'exec replaced the shell', shell: 'killed' },
    refused('policy'),
    refused('approver'),
    refused('nobody'),
  ])('$outcome says what to do next', result => {
    expect(modelResult(result, context)['note']).toMatch(/\w{3,}/);
  });

  test('both streams together stay under the limit, and what was left out adds up', () => {
    const stdout = text('x'.repeat(60_000), 100);
    const stderr = text('y'.repeat(60_000));
    const result = modelResult({ ...ran, outcome: 'exited', exitCode: 0, stdout, stderr }, context);
    const shown = result as { stdout: string; stderr: string; omittedBytes: { stdout: number; stderr: number } };
    const count = (value: string, letter: string) => value.split(letter).length - 1;
    expect(shown.stdout.length + shown.stderr.length).toBeLessThan(30_200);
    expect(count(shown.stdout, 'x') + shown.omittedBytes.stdout).toBe(60_100);
    // the marker's own word "bytes" holds one more y
    expect(count(shown.stderr, 'y') - 1 + shown.omittedBytes.stderr).toBe(60_000);
  });
});
