import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Analysis } from '../../src/contract/analysis.js';
import type { Approved, Remember } from '../../src/contract/answer.js';
import type { SessionFacts } from '../../src/contract/facts.js';
import type { Grant, Rule } from '../../src/contract/policy.js';
import type { Question } from '../../src/contract/question.js';
import type { CommandRequest } from '../../src/contract/request.js';
import type { SessionState } from '../../src/contract/session-state.js';
import { createPolicy, type PolicyEngine } from '../../src/policy/create-policy.js';
import { fileGrants } from '../../src/policy/grant-file.js';
import { verifies } from '../helpers/verifies.js';
import { analysis, effect, engineOf, factsFor, grant, partsOf, program, request, STATE } from './made.js';

interface Asked {
  made: Analysis;
  asked?: CommandRequest;
  state?: SessionState;
  facts?: SessionFacts;
}

const judge = (policy: PolicyEngine, { made, asked = request('x'), state = STATE, facts = factsFor(made) }: Asked) =>
  policy.evaluate(asked, state, made, facts);

function questionOf(policy: PolicyEngine, asked: Asked): Question {
  const { made, asked: ask = request('x'), state = STATE, facts = factsFor(made) } = asked;
  const evaluation = judge(policy, asked);
  return {
    id: 'k7qd',
    request: ask,
    state,
    analysis: made,
    facts,
    evaluation,
    display: { text: ask.text, warnings: [] },
    files: [],
    askedAt: '',
    expiresAt: '',
  };
}

const approved = (remember?: Remember): Approved => ({
  outcome: 'approved',
  questionId: 'k7qd',
  digest: 'd',
  approver: { kind: 'person', id: 'p1', label: 'ana' },
  channel: 'terminal',
  level: 'same-user',
  ...(remember && { remember }),
});

const rule = (command: string, more: Partial<Rule> = {}): Rule => ({ id: 'r', decision: 'allow', command, ...more });
const remember = (policy: PolicyEngine, asked: Asked, what: Remember = { scope: 'session' }) =>
  policy.remember(questionOf(policy, asked), approved(what));

const ECHO = { made: analysis([program('echo a')]), asked: request('echo a') };

describe('exact text for the session', () => {
  test('the same text runs unasked, another asks, another session asks again', async () => {
    verifies('I14');
    const policy = await engineOf('');
    expect(judge(policy, ECHO).decision).toBe('ask');
    expect(await remember(policy, ECHO)).toMatchObject({ text: 'echo a', cwd: '/repo', sessionId: 's1', by: 'ana' });
    expect(judge(policy, ECHO).decision).toBe('allow');
    expect(judge(policy, ECHO).matches).toContainEqual(expect.objectContaining({ source: 'grant', decision: 'allow' }));
    expect(judge(policy, { made: analysis([program('echo b')]), asked: request('echo b') }).decision).toBe('ask');
    expect(judge(policy, { ...ECHO, asked: request('echo a', { sessionId: 's2' }) }).decision).toBe('ask');
  });

  test.each<[string, Partial<Asked>]>([
    ['another principal', { asked: request('echo a', { principal: { kind: 'model', id: 'm2', label: 'a model' } }) }],
    ['another generation', { state: { ...STATE, generation: 2 } }],
    ['another executor', { state: { ...STATE, executor: 'bwrap' } }],
    ['another directory', { state: { ...STATE, cwd: '/repo/src' } }],
    ['input of its own', { asked: request('echo a', { stdin: 'x' }) }],
    ['a tainted session', { state: { ...STATE, lineage: 'tainted' } }],
    ['an alias', { facts: factsFor(ECHO.made, { names: { echo: { kind: 'alias' } } }) }],
  ])('not for %s', async (_name, change) => {
    const policy = await engineOf('');
    await remember(policy, ECHO);
    expect(judge(policy, { ...ECHO, ...change }).decision).toBe('ask');
  });
});

describe('by rule', () => {
  const npm = (words: string, more = {}) => ({ made: analysis([program(words, more)]), asked: request(words) });

  test('answers the part it covers and nothing else', async () => {
    const policy = await engineOf('');
    expect(await remember(policy, npm('npm test'), { scope: 'session', rule: rule('npm test **') })).toHaveProperty('id');
    expect(judge(policy, npm('npm test -- -u')).decision).toBe('allow');
    expect(judge(policy, npm('npm run x')).decision).toBe('ask');
    const line = analysis([program('npm test'), program('touch x')]);
    expect(judge(policy, { made: line })).toMatchObject({ decision: 'ask', parts: ['allow', 'ask'] });
  });

  test('grants only the effects it names', async () => {
    const policy = await engineOf('');
    const touch = npm('touch x', { effects: [effect('write', '/repo/x')] });
    expect(await remember(policy, touch, { scope: 'session', rule: rule('touch **') })).toHaveProperty('problem');
    const written = rule('touch **', { effects: { write: ['/repo/x'] } });
    expect(await remember(policy, touch, { scope: 'session', rule: written })).toHaveProperty('id');
    expect(judge(policy, npm('touch y', { effects: [effect('write', '/repo/y')] })).decision).toBe('ask');
  });

  test('never a deny, the floor, an opaque or high-risk part, or an ask that must not be remembered', async () => {
    const asks = `[[rule]]\nid = 'q'\ndecision = 'ask'\ncommand = 'npm **'\n`;
    const all: Remember = { scope: 'session', rule: rule('npm **') };
    expect(await remember(await engineOf(asks), npm('npm test'), all)).toHaveProperty('id');
    expect(await remember(await engineOf(`${asks}remember = false\n`), npm('npm test'), all)).toHaveProperty('problem');
    expect(await remember(await engineOf(`${asks}level = 'keyed'\n`), npm('npm test'), all)).toHaveProperty('problem');
    expect(await remember(await engineOf(asks.replace("'ask'", "'deny'")), npm('npm test'), all)).toHaveProperty('problem');
    const opaque = npm('npm test', { opaque: [{ code: 'x', text: 'x' }] });
    expect(await remember(await engineOf(''), opaque, all)).toHaveProperty('problem');
    expect(await remember(await engineOf(''), opaque)).toHaveProperty('problem');
    const risky = npm('npm x', { tags: ['force-push'] });
    expect(await remember(await engineOf(''), risky, all)).toMatchObject({ problem: expect.stringContaining('high risk') });
    expect(await remember(await engineOf(''), npm('shellgate approve', { tags: ['answers-gate'] }))).toHaveProperty('problem');
  });

  test('a remembered rule does not cover what has become high risk', async () => {
    const policy = await engineOf('');
    await remember(policy, npm('git push'), { scope: 'session', rule: rule('git push **') });
    expect(judge(policy, npm('git push origin')).decision).toBe('allow');
    expect(judge(policy, npm('git push -f', { tags: ['force-push'] })).decision).toBe('ask');
  });

  test.each<[string, Rule]>([
    ['a rule that denies', rule('npm test', { decision: 'deny' })],
    ['a rule without a command', { id: 'r', decision: 'allow', tags: ['x'] }],
    ['a rule that does not compile', rule('npm {a')],
    ['a rule for something else', rule('yarn **')],
  ])('%s is not kept', async (_name, wrong) => {
    const policy = await engineOf('');
    expect(await remember(policy, npm('npm test'), { scope: 'session', rule: wrong })).toHaveProperty('problem');
    expect(policy.grants.list()).toEqual([]);
  });
});

describe('bound to content', () => {
  const made = analysis([program('npm test')], { query: { hashes: ['/repo/package.json'] } });
  const withScript = (sha256: string) => ({
    made,
    asked: request('npm test'),
    facts: factsFor(made, { hashes: { '/repo/package.json': { sha256 } } }),
  });

  test.each<Remember>([
    { scope: 'session' },
    { scope: 'session', rule: rule('npm test **') },
    { scope: 'always', rule: rule('npm test **') },
  ])('a changed script asks again, and says so: %j', async what => {
    verifies('P4', 'P11');
    const policy = await engineOf('');
    expect(await remember(policy, withScript('aaaa'), what)).toMatchObject({ hashes: { '/repo/package.json': 'aaaa' } });
    expect(judge(policy, withScript('aaaa')).decision).toBe('allow');
    const { decision, matches } = judge(policy, withScript('bbbb'));
    expect(decision).toBe('ask');
    expect(matches).toContainEqual(
      expect.objectContaining({ source: 'facts', reason: expect.stringContaining('has changed since it was allowed') }),
    );
  });

  test('a program outside the system directories is vouched for in its place', async () => {
    const policy = await engineOf('');
    const tool = analysis([program('mytool go')]);
    const at = (path: string) => ({
      made: tool,
      asked: request('mytool go'),
      facts: factsFor(tool, { names: { mytool: { kind: 'file', path } } }),
    });
    expect(await remember(policy, at('/home/ana/bin/mytool'), { scope: 'session', rule: rule('mytool go') })).toMatchObject({
      names: { mytool: '/home/ana/bin/mytool' },
    });
    expect(judge(policy, at('/home/ana/bin/mytool')).decision).toBe('allow');
    expect(judge(policy, at('/repo/mytool')).decision).toBe('ask');
  });
});

describe('where a program stands', () => {
  const lineAt = (text: string, path: string) => {
    const made = analysis([program(text)]);
    return { made, asked: request(text), facts: factsFor(made, { names: { mytool: { kind: 'file', path } } }) };
  };

  test.each([
    ['the same place', '/home/ana/bin/mytool', '/home/ana/bin/mytool', 'allow'],
    ['another place', '/home/ana/bin/mytool', '/home/ana/x/mytool', 'ask'],
    ['a place inside the workspace, where files change unasked', '/repo/bin/mytool', '/repo/bin/mytool', 'ask'],
  ] as const)('vouched for with one line, it counts for what rules allow: %s', async (_, vouched, now, expected) => {
    const policy = await engineOf("[[rule]]\nid = 'look'\ndecision = 'allow'\ncommand = 'mytool look'\n");
    expect(judge(policy, lineAt('mytool look', now)).decision).toBe('ask');
    await remember(policy, lineAt('mytool go', vouched), { scope: 'session', rule: rule('mytool go') });
    expect(judge(policy, lineAt('mytool look', now)).decision).toBe(expected);
    expect(judge(policy, lineAt('mytool other', now)).decision).toBe('ask');
  });
});

describe('grants.toml', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'shellgate-grants-'));
    path = join(directory, 'state', 'grants.toml');
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });
  const always = (id: string, more: Partial<Grant> = {}): Grant => {
    const { sessionId: _s, generation: _g, ...base } = grant({ id, scope: 'always', ...more });
    return { ...base, rule: base.rule ?? rule(`${id} **`, { effects: { read: ['/a b/**'] } }) };
  };

  test('always survives the process, a session grant does not', async () => {
    const parts = await partsOf('');
    const first = createPolicy({ ...parts, grants: fileGrants(path) });
    const npm = { made: analysis([program('npm test')]), asked: request('npm test') };
    const touch = { made: analysis([program('touch x')]), asked: request('touch x') };
    expect(await remember(first, npm, { scope: 'always', rule: rule('npm test') })).toHaveProperty('id');
    expect(await remember(first, touch, { scope: 'session', rule: rule('touch x') })).toHaveProperty('id');
    const second = createPolicy({ ...parts, grants: fileGrants(path) });
    expect(judge(second, { ...npm, asked: request('npm test', { sessionId: 's9' }) }).decision).toBe('allow');
    expect(judge(second, touch).decision).toBe('ask');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('two processes lose nothing of each other, and what is revoked is gone', async () => {
    const [a, b] = [fileGrants(path), fileGrants(path)];
    await Promise.all([a.add(always('one')), b.add(always('two')), a.add(always('three'))]);
    expect(
      fileGrants(path)
        .list()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['one', 'three', 'two']);
    expect(await a.revoke('two')).toBe(true);
    expect(await a.revoke('nobody')).toBe(false);
    expect(fileGrants(path).list()).toEqual(expect.arrayContaining([always('one'), always('three')]));
    expect(fileGrants(path).list()).toHaveLength(2);
    expect(readFileSync(path, 'utf8')).toMatch(/^# Answers that a person wanted remembered/);
  });

  test('a file that cannot be read is an error with its place, not an empty list', async () => {
    await fileGrants(path).add(always('one'));
    writeFileSync(path, '[[grant]]\nid = 1\n');
    expect(() => fileGrants(path)).toThrow(expect.objectContaining({ code: 'POLICY_UNREADABLE', place: path }));
  });

  test('an answer that could not be kept is a problem, and the approval holds', async () => {
    const policy = createPolicy({ ...(await partsOf('')), grants: fileGrants(path) });
    writeFileSync(join(directory, 'state'), 'no directory');
    const npm = { made: analysis([program('npm test')]), asked: request('npm test') };
    expect(await remember(policy, npm, { scope: 'always', rule: rule('npm test') })).toHaveProperty('problem');
    expect(policy.grants.list()).toEqual([]);
  });
});

describe('suggestions', () => {
  test('offer only what would silence the next question, and say what else it would allow', async () => {
    const policy = await engineOf('');
    const asked = { made: analysis([program('npm test -x')]), asked: request('npm test -x') };
    const { suggestions } = judge(policy, asked);
    expect(suggestions.map(({ scope, rule: { command } }) => [scope, command])).toEqual([
      ['session', 'npm test **'],
      ['always', 'npm test **'],
      ['always', 'npm test -x'],
    ]);
    expect(suggestions[0]!.wouldAlsoAllow).toContain('npm test -x --other-option');
    expect(suggestions[0]!.wouldNotAllow).toContain('npm another -x');
    expect(suggestions[2]!.wouldAlsoAllow).toEqual([]);
    for (const { scope, rule: suggested } of suggestions) {
      expect(await remember(await engineOf(''), asked, { scope, rule: suggested })).toHaveProperty('id');
    }
  });

  test('name the effects they grant', async () => {
    const made = analysis([program('touch a{b', { effects: [effect('write', '/repo/a{b')] })]);
    const [first] = judge(await engineOf(''), { made }).suggestions;
    expect(first!.rule).toMatchObject({ command: "touch 'a{b'", effects: { write: ['/repo/a\\{b'] } });
  });

  test.each<[string, Analysis]>([
    ['an opaque part', analysis([program('npm test', { opaque: [{ code: 'x', text: 'x' }] })])],
    ['high risk', analysis([program('git push', { tags: ['force-push'] })])],
    ['two asking parts, one of them unknown', analysis([program('npm test'), program('npm ?')])],
    ['an unknown word', analysis([program('npm ?')])],
  ])('none for %s', async (_name, made) => {
    expect(judge(await engineOf(''), { made }).suggestions).toEqual([]);
  });

  test('none for what is allowed or denied', async () => {
    const deny = `[[rule]]\nid = 'd'\ndecision = 'deny'\ncommand = 'npm **'\n`;
    expect(judge(await engineOf(deny), { made: analysis([program('npm test')]) }).suggestions).toEqual([]);
  });
});
