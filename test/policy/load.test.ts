import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ShellgateError } from '../../src/contract/error.js';
import { loadPolicy, validatePolicy } from '../../src/policy/load.js';
import { jsonPositions, tomlPositions } from '../../src/policy/positions.js';
import { placeOf, problemsOf } from '../../src/policy/problem.js';
import { analysis, effect, program, splitting } from './made.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'shellgate-policy-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const load = (text: string, name = 'team.toml') => loadPolicy({ texts: [{ name, text }], analyzer: splitting });

async function errorOf(text: string, name?: string): Promise<ShellgateError> {
  return load(text, name).then(
    () => expect.fail('it was loaded'),
    error => error,
  );
}

const GIT_READ = `default = 'ask'

[[rule]]
id = 'git-read'
decision = 'allow'
command = 'git log **'
`;

describe('messages (screens h)', () => {
  test('an unknown field, with its place, carets and the nearest name', async () => {
    const error = await errorOf("\n\n\n[[rule]]\nid = 'git-read'\ndecision = 'allow'\ntags = ['x']\n\ncommands = 'git log **'\n");
    expect(error).toMatchObject({ code: 'POLICY_INVALID', place: 'team.toml:9:1' });
    expect(error.message).toBe(
      [
        'rule "git-read" has no field "commands"; did you mean "command"?',
        "   9 | commands = 'git log **'",
        '     | ^^^^^^^^',
        '1 problem; team.toml was not loaded, nothing ran.',
      ].join('\n'),
    );
  });

  test('what a misspelled field makes a rule lack is not told as well; problems come in the order of their lines', async () => {
    const text =
      "[[rule]]\nid = 'a'\ndecison = 'allow'\ncomand = 'ls'\neffects = { writes = ['/x'] }\n[[rule]]\nid = 'b'\ncommand = 'ls'\n";
    const { problems } = await validatePolicy({ texts: [{ name: 'team.toml', text }], analyzer: splitting });
    expect(problems.map(problem => `${placeOf(problem)} ${problem.message}`)).toEqual([
      'team.toml:3:1 rule "a" has no field "decison"; did you mean "decision"?',
      'team.toml:4:1 rule "a" has no field "comand"; did you mean "command"?',
      'team.toml:5:13 rule "a" knows no effect "writes"; did you mean "write"?',
      'team.toml:6:1 rule "b" field "decision" is missing; it is one of "allow", "ask", "deny"',
    ]);
  });

  test('a contradicted example, with the reason', async () => {
    const analyzer = {
      analyze: async ({ text }: { text: string }) =>
        analysis([program(text, text.includes('--output') ? { effects: [effect('write', '/workspace/x')] } : {})]),
    };
    const text = `${GIT_READ}match = [\n  'git log -5',\n  'git log --output=x',\n]\nnot_match = ['git log']\n`;
    const { problems, examples } = await validatePolicy({ texts: [{ name: 'team.toml', text }], analyzer });
    expect(problems.map(placeOf)).toEqual(['team.toml:9', 'team.toml:11']);
    expect(problems[0]).toMatchObject({
      code: 'POLICY_EXAMPLE',
      message:
        'rule "git-read" lists  git log --output=x  under match, but does not allow it:\n' +
        '           writes /workspace/x (ask). Move it to not_match, or grant the effect.',
    });
    expect(problems[1]!.message).toContain('under not_match, but allows it');
    expect(examples.map(({ agrees }) => agrees)).toEqual([true, false, false]);
  });

  test('all problems of all files at once, and what did not happen', async () => {
    const texts = [
      { name: 'a.toml', text: "[[rule]]\nid = 'a'\ndecision = 'maybe'\ncommand = 'ls'\n" },
      { name: 'b.toml', text: "[[rule]]\nid = 'b'\ndecision = 'deny'\n" },
    ];
    const error = await loadPolicy({ texts, analyzer: splitting }).catch(caught => caught);
    expect(problemsOf(error)).toHaveLength(2);
    expect(error.message).toContain('shellgate: POLICY_INVALID b.toml:1:1  rule "b" has nothing to match');
    expect(error.message).toMatch(/2 problems; a\.toml, b\.toml were not loaded, nothing ran\.$/);
  });

  test.each<[string, string, string, RegExp]>([
    ['a syntax error', "[[rule]]\nid = 'a\n", 'team.toml:2:8', /^not TOML: /],
    ['a duplicate key', "[[rule]]\nid = 'a'\nid = 'b'\n", 'team.toml:3:1', /^not TOML: /],
    [
      'a wrong decision',
      "[[rule]]\nid = 'a'\ndecision = 'yes'\ncommand = 'x'\n",
      'team.toml:3:1',
      /field "decision" is one of "allow", "ask", "deny"/,
    ],
    ['a missing field', "\n[[rule]]\ndecision = 'ask'\ncommand = 'x'\n", 'team.toml:2:1', /rule 1 field "id" is missing/],
    ['a wrong type', "[[rule]]\nid = 'a'\ndecision = 'ask'\ntags = 'x'\n", 'team.toml:4:1', /field "tags" must be array/],
    [
      'an unknown effect',
      "[[rule]]\nid = 'a'\ndecision = 'ask'\neffects = { writes = ['/x'] }\n",
      'team.toml:4:13',
      /knows no effect "writes"; did you mean "write"\?/,
    ],
    ['an unknown table', "[[rules]]\nid = 'a'\n", 'team.toml:1:1', /has no field "rules"; did you mean "rule"\?/],
    [
      'an id twice',
      "[[rule]]\nid = 'a'\ndecision = 'ask'\ncommand = 'x'\n[[rule]]\nid = 'a'\ndecision = 'ask'\ncommand = 'y'\n",
      'team.toml:6:1',
      /rule "a" has the id of another rule \(line 1\)/,
    ],
    [
      'a pattern that does not compile',
      "[[rule]]\nid = 'a'\ndecision = 'deny'\ntext = 'a(b'\n",
      'team.toml:4:1',
      /rule "a" text does not compile: /,
    ],
    ['lookaround', "[[rule]]\nid = 'a'\ndecision = 'deny'\ntext = 'a(?=b)'\n", 'team.toml:4:1', /text does not compile/],
    [
      'an open brace',
      "[[rule]]\nid = 'a'\ndecision = 'deny'\ncommand = 'git {a,b'\n",
      'team.toml:4:1',
      /command does not compile: .* does not close/,
    ],
    [
      'an allow of every program',
      "[[rule]]\nid = 'a'\ndecision = 'allow'\ncommand = '* --version'\n",
      'team.toml:4:1',
      /begins with the name of a program/,
    ],
    [
      'a relative path',
      "[[rule]]\nid = 'a'\ndecision = 'allow'\neffects = { read = ['src'] }\n",
      'team.toml:4:1',
      /a path pattern begins with/,
    ],
  ])('%s', async (_name, text, place, message) => {
    const error = await errorOf(text);
    expect(error).toMatchObject({ code: 'POLICY_INVALID', place });
    expect(error.message).toMatch(message);
  });

  test('JSON through the same schema', async () => {
    const rule = { id: 'a', decision: 'deny', command: 'evil **' };
    expect((await load(JSON.stringify({ rule: [rule] }), 'x.json')).rules).toHaveLength(1);
    const error = await errorOf(JSON.stringify({ rule: [{ ...rule, comand: 'x' }] }, null, 2), 'x.json');
    expect(error).toMatchObject({ place: 'x.json:7:7' });
    expect(error.message).toContain('did you mean "command"?');
    expect(await errorOf('{"rule": [}', 'x.json')).toMatchObject({
      code: 'POLICY_INVALID',
      message: expect.stringMatching(/^not JSON: /),
    });
  });

  test('shell text needs no escapes', async () => {
    const { rules } = await load(`${GIT_READ}match = ['git log --format="%h %s" -5', '''git log 'a b' ''']\n`);
    expect(rules[0]!.rule.match).toEqual(['git log --format="%h %s" -5', "git log 'a b' "]);
  });

  test('the hash is that of the rules, not of their layout', async () => {
    const [a, b, c] = await Promise.all([load(GIT_READ), load(`# note\n\n${GIT_READ}`), load(GIT_READ.replace('**', '*'))]);
    expect(a.hash).not.toBe(c.hash);
    expect(a.default).toBe('ask');
    expect(b.rules[0]!.rule.place).toBe('team.toml:5');
  });
});

describe('files', () => {
  const write = (name: string, text = GIT_READ, mode = 0o600) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const loadFile = (path: string) => loadPolicy({ files: [path], analyzer: splitting });

  test('one that others can write is not loaded', async () => {
    await expect(loadFile(write('p.toml', GIT_READ, 0o602))).rejects.toMatchObject({
      code: 'POLICY_UNREADABLE',
      message: expect.stringContaining('can be written by others (mode 602); chmod go-w it'),
    });
    await expect(loadFile(write('q.toml', GIT_READ, 0o644))).resolves.toMatchObject({ names: [join(directory, 'q.toml')] });
  });

  test('what is checked is the file behind a link', async () => {
    const target = write('p.toml', GIT_READ, 0o666);
    symlinkSync(target, join(directory, 'link.toml'));
    await expect(loadFile(join(directory, 'link.toml'))).rejects.toMatchObject({ code: 'POLICY_UNREADABLE' });
  });

  test.each<[string, (path: string) => void, RegExp]>([
    ['missing', () => {}, /does not exist; expected a policy file or one of ask-all, read-only, workspace/],
    ['a FIFO', path => void spawnSync('mkfifo', [path]), /is not a regular file/],
    ['too large', path => writeFileSync(path, `#${'x'.repeat(1024 * 1024)}`, { mode: 0o600 }), /a policy has at most/],
    ['not UTF-8', path => writeFileSync(path, Buffer.from([0x23, 0xff]), { mode: 0o600 }), /is not UTF-8/],
  ])('%s', async (_name, make, message) => {
    const path = join(directory, 'p.toml');
    make(path);
    const error = await loadFile(path).catch(caught => caught);
    expect(error.code).toMatch(/^POLICY_/);
    expect(error.place).toBe(path);
    expect(error.message).toMatch(message);
  });
});

describe('positions', () => {
  const at = (source: string, key: string, of = tomlPositions) => {
    const position = of(source).get(key);
    return position && source.split('\n')[position.line - 1]!.slice(position.column - 1, position.column - 1 + position.length);
  };

  test.each<[string, string, string]>([
    ["a = 1 # b = 2\n'q.r' = 3\n", 'q.r', "'q.r'"],
    ['[t]\nkey = """\nfake = 1\n"""\nnext = 2', 't.next', 'next'],
    ["[[r]]\nx = 1\n[[r]]\nx = '''\n[[r]]'''\ny = 3", 'r.1.y', 'y'],
    ['[[r]]\n[r.sub]\nz = 1\n[[r]]\n[r.sub]\nz = 22', 'r.1.sub.z', 'z'],
    ['a = { b = [1, { c = "x" }], d = 4 }', 'a.b.1.c', 'c'],
    ['a = { b = [1, { c = "x" }], d = 4 }', 'a.d', 'd'],
    ["m = [\n  'x', # no\n  'y',\n]", 'm.1', "'y'"],
    ['s = "a\\"]b"\nt = 1', 't', 't'],
    ['a.b . c = 1', 'a.b.c', 'a.b . c'],
  ])('%j %s', (source, key, expected) => {
    expect(at(source, key)).toBe(expected);
  });

  test('JSON', () => {
    expect(at('{ "a": [ {"b": "}"}, {"b": 2} ] }', 'a.1.b', jsonPositions)).toBe('"b"');
  });

  test.each(['[', '[[', '"', "'''", 'a = [', 'a = {', '= =', '\u0000', 'a = "\\'])('does not hang on %j', source => {
    expect(() => tomlPositions(source)).not.toThrow();
    expect(() => jsonPositions(source)).not.toThrow();
  });
});
