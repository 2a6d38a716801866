import { describe, expect, test } from 'vitest';
import type { Analysis, Program } from '../../src/contract/analysis.js';
import type { PathFact, SessionFacts } from '../../src/contract/facts.js';
import { createPolicy } from '../../src/policy/create-policy.js';
import { verifies } from '../helpers/verifies.js';
import { analysis, effect, engineOf, evaluate, factsFor, partsOf, program, request, STATE } from './made.js';

const decide = async (toml: string, made: Analysis | readonly Program[], text?: string) =>
  evaluate(await engineOf(toml), made, text).decision;

const HASHED = { sha256: 'a'.repeat(64) };
const defined = (name: string) => ({ ...effect('state', name), detail: `defines the function ${name}` });
const stating = (detail: string) => program('x', { effects: [{ ...effect('state'), detail }] });
const ALLOW_LS = `[[rule]]\nid = 'ls'\ndecision = 'allow'\ncommand = 'ls **'\n`;
const DENY_EVIL = `[[rule]]\nid = 'no-evil'\ndecision = 'deny'\ncommand = 'evil **'\nreason = 'is evil'\n`;

describe('strictest wins (P3)', () => {
  test('unknown asks, an allow allows, a deny beats it', async () => {
    verifies('P3');
    expect(await decide('', [program('ls')])).toBe('ask');
    expect(await decide(ALLOW_LS, [program('ls -l')])).toBe('allow');
    expect(await decide(ALLOW_LS + DENY_EVIL, [program('ls'), program('evil')])).toBe('deny');
    expect(await decide(`${ALLOW_LS}[[rule]]\nid = 'x'\ndecision = 'deny'\ncommand = 'ls -l'\n`, [program('ls -l')])).toBe(
      'deny',
    );
  });

  test('one part that no rule covers makes the line ask, and says which', async () => {
    const { decision, parts, matches } = evaluate(await engineOf(ALLOW_LS), [program('ls'), program('touch x')]);
    expect(decision).toBe('ask');
    expect(parts).toEqual(['allow', 'ask']);
    expect(matches).toContainEqual({ source: 'default', decision: 'ask', reason: 'no rule covers touch x', part: 1 });
  });

  test('a text in which nothing is found asks', async () => {
    expect(await decide(ALLOW_LS, [])).toBe('ask');
  });

  test('a file may make the unknown a deny', async () => {
    expect(await decide(`default = 'deny'\n${ALLOW_LS}`, [program('touch x')])).toBe('deny');
    expect(await decide(`default = 'deny'\n${ALLOW_LS}`, [program('ls')])).toBe('allow');
  });

  test.each([
    ['opaque part', [program('ls', { opaque: [{ code: 'variable', text: 'nobody knows' }] })]],
    ['opaque line', analysis([program('ls')], { opaque: [{ code: 'unparsable', text: 'cannot be read' }] })],
  ] as const)('%s asks although a rule allows', async (_name, made) => {
    expect(await decide(ALLOW_LS, made)).toBe('ask');
  });

  test('a tainted session allows nothing', async () => {
    const made = analysis([program('ls')]);
    const state = { ...STATE, lineage: 'tainted' as const, taint: 'ls is a function' };
    const { decision, matches } = (await engineOf(ALLOW_LS)).evaluate(request('ls'), state, made, factsFor(made));
    expect(decision).toBe('ask');
    expect(matches.find(match => match.source === 'lineage')?.reason).toContain('ls is a function');
  });

  test.each([
    ['text that only shows when it runs', { code: 'unseen-code' }, {}, 'only showed when it ran'],
    ['a file without a hash', { code: 'sourced-file', target: '/repo/f' }, {}, 'nobody could check'],
    ['a file whose name is not known', { code: 'sourced-file', target: '?/repo/' }, {}, 'nobody could check'],
    ['a file that is bound by its hash', { code: 'sourced-file', target: '/repo/f' }, { '/repo/f': HASHED }, undefined],
    ['text in a shell of its own', { code: 'unknown-code' }, {}, undefined],
    ['nothing opaque', undefined, {}, undefined],
  ] as const)('%s: what its shell says afterwards is worth', async (_name, reason, hashes, unseen) => {
    const opaque = reason ? [{ code: reason.code, text: 'runs it' }] : [];
    const effects = reason && 'target' in reason ? [effect('code', reason.target)] : [];
    const made = analysis([program('eval', { opaque, effects })]);
    const verdict = (await engineOf('')).evaluate(request('x'), STATE, made, factsFor(made, { hashes }));
    if (unseen) expect(verdict.taints).toContain(unseen);
    else expect(verdict).not.toHaveProperty('taints');
    // In the background it runs in a subshell, which takes its changes with it.
    const beside = (await engineOf('')).evaluate(request('x', { background: true }), STATE, made, factsFor(made, { hashes }));
    expect(beside).not.toHaveProperty('taints');
  });

  test.each([
    ['defines the function builtin', { effects: [defined('builtin')] }, 'a function named builtin'],
    ['defines the function helper', { effects: [defined('helper')] }, undefined],
    ['sets what happens on DEBUG', { programs: [stating('sets what happens on EXIT DEBUG')] }, 'a DEBUG trap'],
    ['sets what happens on EXIT', { programs: [stating('sets what happens on EXIT')] }, undefined],
    ['loads a builtin from a file', { programs: [stating('loads a builtin from a file')] }, 'loaded code'],
  ] as const)('%s: who can speak for the shell', async (_name, { programs = [], effects = [] }: Partial<Analysis>, taints) => {
    const made = analysis(programs, { effects });
    const verdict = (await engineOf('')).evaluate(request('x'), STATE, made, factsFor(made));
    if (taints) expect(verdict.taints).toContain(taints);
    else expect(verdict).not.toHaveProperty('taints');
  });

  test('what throws is a deny with source error, whatever it was', async () => {
    verifies('P3');
    const engine = createPolicy({
      ...(await partsOf(ALLOW_LS)),
      tighten: () => {
        throw new Error('broken');
      },
    });
    const verdict = evaluate(engine, [program('ls')]);
    expect(verdict.decision).toBe('deny');
    expect(verdict.matches).toEqual([{ source: 'error', decision: 'deny', reason: expect.stringContaining('broken') }]);
    expect(verdict.digest).toMatch(/^[0-9a-f]{64}$/);
    const worse = engine.evaluate(request('x'), STATE, undefined as unknown as Analysis, undefined as unknown as SessionFacts);
    expect(worse.decision).toBe('deny');
  });
});

describe('deny', () => {
  test.each<[string, Program, string]>([
    ['another spelling of the place', program('/opt/x/evil now'), 'deny'],
    ['another letter case', program('EVIL'), 'deny'],
    ['behind a wrapper', program('evil', { via: ['env -S'] }), 'deny'],
    ['a name nobody knows could be it', program('?'), 'ask'],
    ['a name that begins differently cannot be it', program('?ls'), 'ask'],
    ['the word as data', program('echo evil'), 'ask'],
  ])('%s', async (_name, made, expected) => {
    expect(await decide(DENY_EVIL, [made])).toBe(expected);
  });

  test('a word nobody knows where the rule wants a certain text asks, and says why', async () => {
    const toml = `[[rule]]\nid = 'a'\ndecision = 'allow'\ncommand = 'rm **'\n[[rule]]\nid = 'no-rf'\ndecision = 'deny'\ncommand = 'rm -rf **'\n`;
    expect(await decide(toml, [program('rm x')])).toBe('allow');
    expect(await decide(toml, [program('rm -rf x')])).toBe('deny');
    const { decision, matches } = evaluate(await engineOf(toml), [program('rm ?')]);
    expect(decision).toBe('ask');
    expect(matches).toContainEqual(expect.objectContaining({ source: 'opaque', rule: 'no-rf', decision: 'ask' }));
  });

  test('looks at what names really resolve to', async () => {
    const made = analysis([program('ls')]);
    const engine = await engineOf(ALLOW_LS + DENY_EVIL);
    const facts = factsFor(made, { names: { ls: { kind: 'file', path: '/opt/evil' } } });
    expect(engine.evaluate(request('ls'), STATE, made, facts).decision).toBe('deny');
  });

  test('tags, effects and text each deny; all given conditions must hold', async () => {
    const toml = `[[rule]]\nid = 't'\ndecision = 'deny'\ntags = ['force-push']\n
[[rule]]\nid = 'e'\ndecision = 'deny'\neffects = { read = ['**/.env'] }\n
[[rule]]\nid = 'x'\ndecision = 'deny'\ntext = 'rm\\s+-rf'\n
[[rule]]\nid = 'both'\ndecision = 'deny'\ncommand = 'cat **'\neffects = { read = ['/etc/**'] }\n`;
    expect(await decide(toml, [program('git push', { tags: ['force-push', 'network'] })])).toBe('deny');
    expect(await decide(toml, [program('cat x', { effects: [effect('read', '/repo/.ENV')] })])).toBe('deny');
    expect(await decide(toml, analysis([program('x')], { effects: [effect('read', '/repo/a/.env')] }))).toBe('deny');
    expect(await decide(toml, [program('x')], 'RM  -RF y')).toBe('deny');
    expect(await decide(toml, [program('rm -rf y', { via: ['eval'] })], 'eval "$(x)"')).toBe('deny');
    expect(await decide(toml, [program('cat x', { effects: [effect('read', '/etc/passwd')] })])).toBe('deny');
    expect(await decide(toml, [program('head x', { effects: [effect('read', '/etc/passwd')] })])).toBe('ask');
  });

  test('sees through a symlink', async () => {
    const made = analysis([program('cat x', { effects: [effect('read', '/repo/x')] })]);
    const engine = await engineOf(`[[rule]]\nid = 'e'\ndecision = 'deny'\neffects = { read = ['/etc/**'] }\n`);
    const facts = factsFor(made, { paths: { '/repo/x': { real: '/etc/shadow', kind: 'file' } } });
    expect(engine.evaluate(request('cat x'), STATE, made, facts).decision).toBe('deny');
  });

  test('a tree that holds what is denied asks', async () => {
    const toml = `[[rule]]\nid = 'a'\ndecision = 'allow'\ncommand = 'grep **'\n[[rule]]\nid = 'e'\ndecision = 'deny'\neffects = { read = ['**/.env'] }\n`;
    expect(await decide(toml, [program('grep -r x .', { effects: [effect('read', '/repo/**')] })])).toBe('ask');
  });
});

describe('allow counts only with every effect granted', () => {
  const rule = (more: string) => `[[rule]]\nid = 'a'\ndecision = 'allow'\n${more}\n`;
  const sort = rule(`command = 'sort **'`);

  test.each<[string, string, Program, string]>([
    ['reading the workspace is plain', sort, program('sort f', { effects: [effect('read', '/repo/f')] }), 'allow'],
    ['reading elsewhere is not', sort, program('sort f', { effects: [effect('read', '/etc/f')] }), 'ask'],
    ['writing never is', sort, program('sort -o f', { effects: [effect('write', '/repo/f')] }), 'ask'],
    ['output that leads nowhere is', sort, program('sort', { effects: [effect('write', '/dev/null')] }), 'allow'],
    ['network is not', sort, program('sort', { effects: [effect('network', 'h')] }), 'ask'],
    ['a target nobody knows is not', sort, program('sort', { effects: [effect('read', '?/repo/')] }), 'ask'],
    [
      'a write that the rule grants',
      rule(`command = 'sort **'\neffects = { write = ['\${workspace}/**'] }`),
      program('sort -o f', { effects: [effect('write', '/repo/f')] }),
      'allow',
    ],
    [
      'but not outside of it',
      rule(`command = 'sort **'\neffects = { write = ['\${workspace}/**'] }`),
      program('sort -o f', { effects: [effect('write', '/repository/f')] }),
      'ask',
    ],
    [
      'nor into git',
      rule(`command = 'sort **'\neffects = { write = ['\${workspace}/**'] }`),
      program('sort -o f', { effects: [effect('write', '/repo/.git/hooks/pre-commit')] }),
      'ask',
    ],
    [
      'nor over the whole workspace, which holds git',
      rule(`command = 'sort **'\neffects = { write = ['\${workspace}/**'] }`),
      program('sort -o f', { effects: [effect('write', '/repo/**')] }),
      'ask',
    ],
    ['a wildcard without a spec', sort, program('sort x', { specified: false }), 'ask'],
    ['every word written out without a spec', rule(`command = 'mytool go'`), program('mytool go', { specified: false }), 'allow'],
    ['a program in a place of its own', sort, program('/repo/bin/sort x'), 'ask'],
    ['a program by its full system path', sort, program('/usr/bin/sort x'), 'allow'],
    ['a wrapper needs no rule of its own', sort, program('nohup', { tags: ['wrapper'] }), 'allow'],
    [
      'effects alone cover what they grant',
      rule(`effects = { write = ['~/out/**'] }`),
      program('touch', { effects: [effect('write', '/home/ana/out/x')] }),
      'allow',
    ],
    [
      'but nothing without a spec',
      rule(`effects = { write = ['~/out/**'] }`),
      program('touch', { specified: false, effects: [effect('write', '/home/ana/out/x')] }),
      'ask',
    ],
    [
      'nor what they do not grant',
      rule(`effects = { write = ['~/out/**'] }`),
      program('touch', { effects: [effect('write', '/home/ana/out/x'), effect('network', 'h')] }),
      'ask',
    ],
    [
      'a host by pattern',
      rule(`command = 'curl **'\neffects = { network = ['*.example.org'] }`),
      program('curl x', { effects: [effect('network', 'API.example.org')] }),
      'allow',
    ],
  ])('%s', async (_name, toml, made, expected) => {
    expect(await decide(toml, [made])).toBe(expected);
  });

  test('a redirection needs a grant of a rule that covers a program of the line', async () => {
    const line = (target: string) => analysis([program('sort')], { effects: [effect('write', target)] });
    expect(await decide(sort, line('/repo/out'))).toBe('ask');
    expect(await decide(rule(`command = 'sort **'\neffects = { write = ['\${workspace}/**'] }`), line('/repo/out'))).toBe(
      'allow',
    );
    expect(await decide(`${sort}[[rule]]\nid='w'\ndecision='allow'\neffects = { write = ['/tmp/**'] }\n`, line('/tmp/out'))).toBe(
      'allow',
    );
  });

  test('a text rule allows one program with a spec, and no effect of it', async () => {
    const toml = rule(`text = '^sort'`);
    expect(await decide(toml, [program('sort')], 'sort')).toBe('allow');
    expect(await decide(toml, [program('sort'), program('evil')], 'sort; evil')).toBe('ask');
    expect(await decide(toml, [program('sort', { effects: [effect('write', '/repo/x')] })], 'sort -o x')).toBe('ask');
  });
});

describe('facts only tighten', () => {
  const judge = async (more: Parameters<typeof factsFor>[1], query: object = {}) => {
    const made = analysis([program('ls', { effects: [effect('read', '/repo/a')] })], { query });
    return (await engineOf(ALLOW_LS)).evaluate(request('ls a'), STATE, made, factsFor(made, more)).decision;
  };

  test.each<[string, Parameters<typeof factsFor>[1], object, string]>([
    ['nothing special', {}, {}, 'allow'],
    ['an alias', { names: { ls: { kind: 'alias' } } }, {}, 'ask'],
    ['a function', { names: { ls: { kind: 'function' } } }, {}, 'ask'],
    ['a program elsewhere', { names: { ls: { kind: 'file', path: '/repo/b/ls' } } }, {}, 'ask'],
    ['a remembered location of another program', { names: { ls: { kind: 'file', path: '/bin/rm' } } }, {}, 'ask'],
    ['a builtin that is none', { names: { ls: { kind: 'builtin' } } }, {}, 'ask'],
    ['not told', { names: {} }, {}, 'ask'],
    ['a link out of the workspace', { paths: { '/repo/a': { real: '/etc/shadow', kind: 'file' } } }, {}, 'ask'],
    ['a path not told', { paths: {} }, {}, 'ask'],
    ['the shell does not accept it', { syntax: 'rejected' }, { text: 'ls a' }, 'ask'],
    ['the shell was not asked', { syntax: 'not-asked' }, { text: 'ls a' }, 'ask'],
    ['a pager', { variables: { GIT_PAGER: 'evil' } }, { variables: ['GIT_PAGER'] }, 'ask'],
    ['a pager that is none', { variables: { GIT_PAGER: 'cat' } }, { variables: ['GIT_PAGER'] }, 'allow'],
    [
      'certificates outside the workspace',
      { variables: { SSL_CERT_FILE: '/etc/ca.pem' } },
      { variables: ['SSL_CERT_FILE'] },
      'allow',
    ],
    ['certificates inside of it', { variables: { SSL_CERT_FILE: '/repo/ca.pem' } }, { variables: ['SSL_CERT_FILE'] }, 'ask'],
    ['a common editor', { variables: { EDITOR: 'vim' } }, { variables: ['EDITOR'] }, 'allow'],
    ['an editor that runs something', { variables: { EDITOR: 'vim -c :!evil' } }, { variables: ['EDITOR'] }, 'ask'],
    ['a variable not told', { variables: {} }, { variables: ['GIT_PAGER'] }, 'ask'],
    ['another home', { variables: { HOME: '/tmp' } }, { variables: ['HOME'] }, 'ask'],
    ['PATH with the workspace in it', { variables: { PATH: '/usr/bin:/repo/bin' } }, { variables: ['PATH'] }, 'ask'],
    ['PATH with a relative entry', { variables: { PATH: '.:/usr/bin' } }, { variables: ['PATH'] }, 'ask'],
    ['PATH as it should be', { variables: { PATH: '/usr/local/bin:/usr/bin' } }, { variables: ['PATH'] }, 'allow'],
    ['a number that runs something', { variables: { i: 'a[$(evil)]' } }, { numeric: ['i'] }, 'ask'],
    ['a number', { variables: { i: '41' } }, { numeric: ['i'] }, 'allow'],
    [
      'a link that was climbed out of',
      { paths: { '/repo/a': { real: '/repo/a', kind: 'file' }, '/repo/d': { real: '/x/d', kind: 'directory' } } },
      { crossed: ['/repo/d'] },
      'ask',
    ],
  ])('%s', async (_name, more, query, expected) => {
    verifies('P11');
    expect(await judge(more, query)).toBe(expected);
  });

  test('a granted write holds for where the path really leads', async () => {
    verifies('P11');
    const engine = await engineOf(
      `[[rule]]\nid = 'w'\ndecision = 'allow'\ncommand = 'tee **'\neffects = { write = ['\${workspace}/**'] }\n`,
    );
    const made = analysis([program('tee a', { effects: [effect('write', '/repo/a')] })]);
    const writing = (paths: Record<string, PathFact>) =>
      engine.evaluate(request('tee a'), STATE, made, factsFor(made, { paths })).decision;
    expect(writing({ '/repo/a': { real: '/repo/b', kind: 'file' } })).toBe('allow');
    expect(writing({ '/repo/a': { real: '/etc/passwd', kind: 'file' } })).toBe('ask');
    expect(writing({ '/repo/a': { real: '/repo/.git/config', kind: 'file' } })).toBe('ask');
    expect(writing({})).toBe('ask');
  });

  test('facts that could not be had', async () => {
    const made = analysis([program('ls')]);
    const verdict = (await engineOf(ALLOW_LS)).evaluate(request('ls'), STATE, made, { known: false, reason: 'no answer in 2 s' });
    expect(verdict.decision).toBe('ask');
    expect(verdict.matches).toContainEqual(
      expect.objectContaining({ source: 'facts', reason: expect.stringContaining('no answer in 2 s') }),
    );
  });

  test('a file that decides what runs asks, unless its content is known to be harmless', async () => {
    const engine = await engineOf(ALLOW_LS);
    const judged = (path: string, fact: object) => {
      const made = analysis([program('ls')], { query: { hashes: [path] } });
      return engine.evaluate(request('ls'), STATE, made, factsFor(made, { hashes: { [path]: fact } })).decision;
    };
    expect(judged('/repo/package.json', { sha256: 'ab', text: '{}' })).toBe('ask');
    expect(judged('/repo/package.json', { problem: 'missing' })).toBe('allow');
    expect(judged('/repo/package.json', { problem: 'too large' })).toBe('ask');
    expect(judged('/repo/package.json', {})).toBe('ask');
    expect(judged('/repo/.git/config', { sha256: 'ab', text: '[core]\n\tbare = false\n' })).toBe('allow');
    expect(judged('/repo/.git/config', { sha256: 'ab', text: '[core]\n\tfsmonitor = evil\n' })).toBe('ask');
    expect(judged('/repo/.git/config', { sha256: 'ab' })).toBe('ask');
  });
});

describe('risk and digest', () => {
  test('the highest tag or effect sets the risk and is named', async () => {
    const engine = await engineOf('');
    expect(evaluate(engine, [program('ls')])).toMatchObject({ risk: 'low' });
    expect(evaluate(engine, [program('rm', { tags: ['recursive', 'delete'] })])).toMatchObject({
      risk: 'medium',
      riskReason: 'tag delete',
    });
    expect(evaluate(engine, [program('x', { tags: ['force-push'] })])).toMatchObject({
      risk: 'high',
      riskReason: 'tag force-push',
    });
    expect(evaluate(engine, [program('x', { tags: ['constructor'] })])).toMatchObject({ risk: 'medium' });
    expect(evaluate(engine, [program('x', { effects: [effect('privilege')] })])).toMatchObject({
      risk: 'high',
      riskReason: 'privilege',
    });
  });

  test('the digest changes with everything the verdict depends on, and with nothing else', async () => {
    verifies('P4');
    const engine = await engineOf(ALLOW_LS);
    const made = analysis([program('ls')]);
    const facts = factsFor(made);
    const base = engine.evaluate(request('ls'), STATE, made, facts).digest;
    const changed = [
      engine.evaluate(request('ls '), STATE, made, facts),
      engine.evaluate(request('ls', { tty: true }), STATE, made, facts),
      engine.evaluate(request('ls', { stdin: '' }), STATE, made, facts),
      engine.evaluate(request('ls', { stdin: 'a' }), STATE, made, facts),
      engine.evaluate(request('ls', { background: true }), STATE, made, facts),
      engine.evaluate(request('ls', { cwd: '/x' }), STATE, made, facts),
      engine.evaluate(request('ls', { env: { A: '1' } }), STATE, made, facts),
      engine.evaluate(request('ls', { sessionId: 's2' }), STATE, made, facts),
      engine.evaluate(request('ls', { principal: { kind: 'model', id: 'm2', label: 'a model' } }), STATE, made, facts),
      engine.evaluate(request('ls'), { ...STATE, cwd: '/x' }, made, facts),
      engine.evaluate(request('ls'), { ...STATE, cwdId: '1:3' }, made, facts),
      engine.evaluate(request('ls'), { ...STATE, generation: 2 }, made, facts),
      engine.evaluate(request('ls'), { ...STATE, lineage: 'tainted' }, made, facts),
      engine.evaluate(request('ls'), { ...STATE, executor: 'bwrap' }, made, facts),
      engine.evaluate(request('ls'), STATE, made, factsFor(made, { variables: { A: '1' } })),
      engine.evaluate(request('ls'), STATE, made, factsFor(made, { hashes: { '/a': { sha256: '1' } } })),
      (await engineOf(`${ALLOW_LS}tell = true\n`)).evaluate(request('ls'), STATE, made, facts),
    ].map(verdict => verdict.digest);
    expect(new Set([base, ...changed]).size).toBe(changed.length + 1);
    const same = request('ls', {
      id: 'r2',
      description: 'x',
      origin: { toolCallId: 't' },
      principal: { kind: 'model', id: 'm1', label: 'other' },
    });
    expect(engine.evaluate(same, STATE, made, facts).digest).toBe(base);
  });
});

test.each<[string, number, string]>([
  ['a match within the first 64 KiB', 100, 'deny'],
  ['a match behind them: it could be there', 70_000, 'ask'],
])('an expression on a long line: %s', async (_, before, expected) => {
  const policy = await engineOf(
    "default = 'allow'\n[[rule]]\nid = 'no-evil'\ndecision = 'deny'\ntext = 'evil'\nmatch = ['evil']\nnot_match = ['good']",
  );
  const text = `${'x'.repeat(before)} evil ${'x'.repeat(70_000)}`;
  expect(evaluate(policy, [program('x')], text).decision).toBe(expected);
});
