import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { recorded } from '../../src/audit/recorded.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { verifies } from '../helpers/verifies.js';
import { openRedactor, request } from './scratch.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const keep = (type: Parameters<typeof recorded>[0], data: unknown) =>
  recorded(type, data, openRedactor) as Record<string, unknown>;

const RAN = { durationMs: 1, shell: 'kept', sessionRestarted: false, survivors: [], leftRunning: [] };
const nothing = { text: '', bytes: 0, omittedBytes: 0 };

test('a request: everything but what it types, which is kept by size and hash', () => {
  const kept = keep('command.requested', request('c1', 'psql', { stdin: 'drop table ünïts', env: { A: '1', B: '2' } }));
  expect(kept).toMatchObject({ text: 'psql', principal: { id: 'uid 1000' }, env: ['A=1', 'B=2'] });
  expect(kept['stdin']).toEqual({ bytes: Buffer.byteLength('drop table ünïts'), sha256: sha256('drop table ünïts') });
  expect(JSON.stringify(kept)).not.toContain('drop');
});

test('output: never its text, always how much there was', () => {
  verifies('P8');
  const stdout = { text: 'hello\n', bytes: 6, omittedBytes: 0 };
  const kept = keep('command.finished', { ...RAN, outcome: 'exited', exitCode: 0, stdout, stderr: nothing });
  expect(kept).toEqual({
    ...RAN,
    outcome: 'exited',
    exitCode: 0,
    stdout: { bytes: 6, omittedBytes: 0, sha256: sha256('hello\n') },
    stderr: { bytes: 0, omittedBytes: 0 },
  });
});

test.each<[string, object]>([
  ['cut', { text: 'a\n[... truncated 5 bytes ...]\nb', bytes: 7, omittedBytes: 5 }],
  ['replaced in decoding', { text: 'a\uFFFD', bytes: 4, omittedBytes: 0 }],
  ['not all of it', { text: 'a', bytes: 4, omittedBytes: 0 }],
])('output that was %s has no hash: its text is not its bytes', (_name, stdout) => {
  const kept = keep('command.finished', { ...RAN, outcome: 'exited', exitCode: 0, stdout, stderr: nothing });
  expect(kept['stdout']).not.toHaveProperty('sha256');
  expect(kept['stdout']).not.toHaveProperty('text');
});

test('output on disk keeps the reference to it', () => {
  const full = { ref: 'spool-1', bytes: 9, sha256: 'abc', complete: true };
  const stdout = { text: 'x', bytes: 9, omittedBytes: 8, full };
  const kept = keep('command.finished', { ...RAN, outcome: 'exited', exitCode: 0, stdout, stderr: nothing });
  expect(kept['stdout']).toEqual({ bytes: 9, omittedBytes: 8, full });
});

test('facts: hashes of files, never their content', () => {
  const facts = {
    known: true,
    names: { make: { kind: 'file', path: '/usr/bin/make' } },
    variables: { PAGER: 'less', EMPTY: null },
    paths: {},
    hashes: { '/repo/Makefile': { sha256: 'abc', text: 'all:\n\trm -rf x' }, '/repo/big': { problem: 'too large' } },
    syntax: 'accepted',
  };
  const kept = keep('facts.queried', facts);
  expect(kept['hashes']).toEqual({ '/repo/Makefile': { sha256: 'abc' }, '/repo/big': { problem: 'too large' } });
  expect(kept).toMatchObject({ names: facts.names, variables: facts.variables, syntax: 'accepted' });
  expect(keep('facts.queried', { known: false, reason: 'the shell is busy' })).toEqual({
    known: false,
    reason: 'the shell is busy',
  });
});

test('facts: a variable whose name is a secret’s goes as a whole', () => {
  verifies('P10');
  const facts = {
    known: true,
    names: {},
    variables: { DB_PASSWORD: 'x y', PAGER: 'less' },
    paths: {},
    hashes: {},
    syntax: 'accepted',
  };
  const kept = recorded('facts.queried', facts, createRedactor({ env: {} }));
  expect(kept).toMatchObject({ variables: { DB_PASSWORD: expect.stringMatching(/^\[redacted:/), PAGER: 'less' } });
});

test('a question: the text, what was offered and the digest; the rest stands in the records before', () => {
  const question = {
    id: 'k7qd',
    request: request('c1', 'git push'),
    state: { cwd: '/repo' },
    analysis: { programs: [] },
    facts: { known: false, reason: 'x' },
    evaluation: { digest: 'd1', suggestions: [{ scope: 'session' }] },
    display: { text: 'git push', warnings: [] },
    files: [{ path: '/repo/x', sha256: 'abc' }],
    askedAt: 'a',
    expiresAt: 'e',
  };
  expect(keep('approval.requested', question)).toEqual({
    id: 'k7qd',
    state: { cwd: '/repo' },
    text: 'git push',
    digest: 'd1',
    suggestions: [{ scope: 'session' }],
    warnings: [],
    files: [{ path: '/repo/x', sha256: 'abc' }],
    askedAt: 'a',
    expiresAt: 'e',
  });
  const disguised = { ...question, display: { text: 'git <U+202E>push', warnings: ['1 hidden character'] } };
  expect(keep('approval.requested', disguised)).toMatchObject({ display: 'git <U+202E>push', warnings: ['1 hidden character'] });
});

test('a start: on whose word', () => {
  const approver = { kind: 'person', id: 'uid 1000', label: 'ana' };
  const approval = { outcome: 'approved', questionId: 'k7qd', digest: 'd', approver, channel: 'terminal', level: 'same-user' };
  const kept = keep('command.started', { text: 'x', digest: 'd', decision: 'approved', approval });
  expect(kept['approval']).toEqual({ questionId: 'k7qd', approver, channel: 'terminal', level: 'same-user' });
});

test('an evaluation: every match, no offers', () => {
  const evaluation = {
    decision: 'ask',
    risk: 'low',
    matches: [{ source: 'default' }],
    parts: ['ask'],
    suggestions: [{}],
    digest: 'd',
  };
  expect(keep('command.evaluated', evaluation)).toMatchObject({ matches: [{ source: 'default' }], suggestions: undefined });
});

test('a very long text: its beginning, its size and its hash', () => {
  const long = 'x'.repeat(64 * 1024 + 1);
  const kept = keep('command.requested', request('c1', long));
  expect(kept['text']).toEqual({ beginning: long.slice(0, 16 * 1024), bytes: long.length, sha256: sha256(long) });
  expect(keep('command.requested', request('c1', long.slice(1)))['text']).toBe(long.slice(1));
});

test('no cut hides half a secret: it is taken out before', () => {
  verifies('P10');
  const secret = 'correcthorsebattery';
  const text = `${'x'.repeat(16 * 1024 - 8)} ${secret} ${'y'.repeat(64 * 1024)}`;
  const kept = JSON.stringify(recorded('command.requested', request('c1', text), createRedactor({ env: { MY_SECRET: secret } })));
  expect(kept).not.toContain(secret.slice(0, 6));
});
