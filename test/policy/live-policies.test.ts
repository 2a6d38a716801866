import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Decision, Grant, PolicyChange } from '../../src/contract/policy.js';
import { type LivePolicies, loadPolicies, type PolicyChoice, projectPolicyPath } from '../../src/load-policies.js';
import { exampleFacts } from '../../src/policy/example-world.js';
import { fileGrants } from '../../src/policy/grant-file.js';
import { memoryGrants } from '../../src/policy/grants.js';
import { TrustStore } from '../../src/policy/trust.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { analyzer } from './analysed.js';
import { request, STATE } from './made.js';

// What a running gate makes of rules that change on disk: docs/decisions/0008.

const rule = (decision: Decision, command = 'ls **', more = '') =>
  `[[rule]]\nid = '${decision}-it'\ndecision = '${decision}'\ncommand = '${command}'\n${more}`;

const XDG = ['XDG_CONFIG_HOME', 'XDG_STATE_HOME'] as const;
let before: Partial<Record<string, string>>;
let root: string;
let workspace: string;
let own: string;
let place: { directory: string; uid: number };
beforeEach(() => {
  before = Object.fromEntries(XDG.map(name => [name, process.env[name]]));
  root = temporaryDirectory();
  process.env['XDG_CONFIG_HOME'] = join(root, 'config');
  process.env['XDG_STATE_HOME'] = join(root, 'state');
  workspace = join(root, 'workspace');
  mkdirSync(workspace);
  own = join(root, 'config/shellgate/policy.toml');
  place = { directory: join(root, 'etc'), uid: process.getuid!() };
});
afterEach(() => {
  for (const name of XDG) {
    const value = before[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

function write(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  // As editors do it, and so that the mode is right from the start.
  writeFileSync(`${path}.new`, text, { mode });
  chmodSync(`${path}.new`, mode);
  renameSync(`${path}.new`, path);
}

interface Opened {
  readonly policies: LivePolicies;
  readonly changes: readonly PolicyChange[];
  decide(text?: string): Promise<Decision>;
}

async function open(choice: Partial<PolicyChoice> = {}): Promise<Opened> {
  const policies = await loadPolicies({ workspace, analyzer, administrator: place, grants: memoryGrants(), ...choice });
  const changes: PolicyChange[] = [];
  policies.onChange(change => changes.push(change));
  return {
    policies,
    changes,
    async decide(text = 'ls') {
      const policy = await policies.current();
      const analysis = await analyzer.analyze(request(text), STATE, new AbortController().signal);
      return policy.evaluate(request(text), STATE, analysis, exampleFacts(analysis.query)).decision;
    },
  };
}

const kinds = (changes: readonly PolicyChange[]) => changes.map(({ kind }) => kind);

describe("the user's policy", () => {
  test('a valid change counts at the next verdict, with another hash', async () => {
    write(own, rule('allow'));
    const { policies, changes, decide } = await open();
    expect(await decide()).toBe('allow');
    const { hash } = policies.inForce.policy;
    write(own, rule('deny'));
    expect(await decide()).toBe('deny');
    const now = policies.inForce;
    expect(changes).toEqual([{ kind: 'loaded', names: [own], hash: now.policy.hash }]);
    expect(now.policy.hash).not.toBe(hash);
    expect(await decide()).toBe('deny');
    expect(changes).toHaveLength(1);
  });

  test('in place, of the same length, within the grain of the clock', async () => {
    write(own, rule('deny', 'aa **'));
    const { decide } = await open();
    for (let round = 0; round < 20; round++) {
      writeFileSync(own, rule('deny', 'ls **'));
      expect(await decide()).toBe('deny');
      writeFileSync(own, rule('deny', 'aa **'));
      expect(await decide()).toBe('ask');
    }
  });

  test('one that appears takes the place of the default profile, and cannot go away again', async () => {
    const { policies, decide } = await open();
    expect(policies.inForce.names).toEqual(['read-only.toml']);
    expect(await decide()).toBe('allow');
    write(own, rule('deny'));
    expect(await decide()).toBe('deny');
    expect(policies.inForce.names).toEqual([own]);
    rmSync(own);
    expect(await decide()).toBe('deny');
    expect(policies.inForce.names).toEqual([own]);
  });

  test('a change that says the same is not told', async () => {
    write(own, rule('allow'));
    const { changes, decide } = await open();
    write(own, `${rule('allow')}\n# a note\n`);
    expect(await decide()).toBe('allow');
    expect(changes).toEqual([]);
  });

  test.each<[string, () => void, string, RegExp]>([
    ['an unknown field', () => write(own, `${rule('allow')}comand = 'x'\n`), 'POLICY_INVALID', /did you mean "command"/],
    [
      'a contradicted example',
      () => write(own, rule('allow', 'ls **', "match = ['touch x']\n")),
      'POLICY_EXAMPLE',
      /lists {2}touch x {2}under match/,
    ],
    [
      'a pattern that does not compile',
      () => write(own, "[[rule]]\nid = 'a'\ndecision = 'deny'\ntext = 'a(b'\n"),
      'POLICY_INVALID',
      /text does not compile/,
    ],
    ['two rules with one id', () => write(own, `${rule('allow')}${rule('allow')}`), 'POLICY_INVALID', /id of another rule/],
    ['one that others can write', () => write(own, rule('allow'), 0o622), 'POLICY_UNREADABLE', /can be written by others/],
    ['one that others were let write', () => chmodSync(own, 0o646), 'POLICY_UNREADABLE', /can be written by others/],
    ['one that is gone', () => rmSync(own), 'POLICY_GONE', /not there any more/],
    [
      'a FIFO in its place',
      () => {
        rmSync(own);
        spawnSync('mkfifo', [own]);
      },
      'POLICY_UNREADABLE',
      /not a regular file/,
    ],
    ['a directory of it that is gone', () => rmSync(dirname(own), { recursive: true }), 'POLICY_GONE', /not there any more/],
  ])('%s: the old one stays in force, and that is told once', async (_, spoil, code, reason) => {
    write(own, rule('deny'));
    const { changes, decide } = await open();
    expect(await decide()).toBe('deny');
    spoil();
    for (let round = 0; round < 3; round++) expect(await decide()).toBe('deny');
    expect(changes).toEqual([{ kind: 'kept', code, place: expect.stringContaining(own), reason: expect.stringMatching(reason) }]);
    rmSync(own, { recursive: true, force: true });
    write(own, rule('ask'));
    expect(await decide()).toBe('ask');
    expect(kinds(changes)).toEqual(['kept', 'loaded']);
    spoil();
    expect(await decide()).toBe('ask');
    expect(kinds(changes)).toEqual(['kept', 'loaded', 'kept']);
  });

  test('several files: each for itself, a broken one stops no other', async () => {
    const [a, b] = [join(root, 'a.toml'), join(root, 'b.toml')];
    write(a, rule('allow'));
    write(b, rule('allow'));
    const { changes, decide } = await open({ sources: [a, b] });
    write(a, 'nothing =');
    write(b, rule('deny'));
    expect(await decide()).toBe('deny');
    expect(kinds(changes)).toEqual(['loaded', 'kept']);
  });

  test('at the start all problems of all files are one error', async () => {
    const [a, b] = [join(root, 'a.toml'), join(root, 'b.toml')];
    write(a, 'rules = 1');
    write(b, 'rules = 2');
    await expect(open({ sources: [a, b] })).rejects.toMatchObject({
      code: 'POLICY_INVALID',
      message: expect.stringMatching(/a\.toml, .*b\.toml were not loaded, nothing ran\.$/),
    });
  });

  test('a file of the project called like a profile is not the profile', async () => {
    verifies('P11');
    write(join(workspace, 'read-only'), rule('allow', 'touch **', "effects = { write = ['/**'] }\n"));
    const from = process.cwd();
    process.chdir(workspace);
    try {
      for (const sources of [undefined, 'read-only']) {
        expect(await (await open({ ...(sources && { sources }) })).decide('touch x')).toBe('ask');
      }
      expect(await (await open({ sources: './read-only' })).decide('touch x')).toBe('allow');
    } finally {
      process.chdir(from);
    }
  });
});

describe("the administrator's layer", () => {
  const file = (name: string, text: string, mode = 0o644) => write(join(place.directory, 'policy.d', name), text, mode);
  const config = (text: string, mode = 0o644) => write(join(place.directory, 'config.toml'), text, mode);

  test('what appears and changes there counts at once', async () => {
    const { decide } = await open();
    expect(await decide()).toBe('allow');
    file('10.toml', rule('ask'));
    expect(await decide()).toBe('ask');
    file('20.toml', rule('deny'));
    expect(await decide()).toBe('deny');
    file('20.toml', rule('deny', 'other **'));
    expect(await decide()).toBe('ask');
    expect(await decide('other')).toBe('deny');
  });

  test.each<[string, () => void]>([
    ['a file is gone', () => rmSync(join(place.directory, 'policy.d/10.toml'))],
    ['all of it is gone', () => rmSync(place.directory, { recursive: true })],
    ['a file is broken', () => file('10.toml', 'nothing =')],
    ['others can write a file', () => file('10.toml', '', 0o666)],
    ['others can write the directory', () => chmodSync(join(place.directory, 'policy.d'), 0o777)],
  ])('%s: its rules stay in force, once told', async (_, spoil) => {
    file('10.toml', rule('deny'));
    const { changes, decide } = await open();
    spoil();
    for (let round = 0; round < 3; round++) expect(await decide()).toBe('deny');
    expect(kinds(changes)).toEqual(['kept']);
  });

  test('nothing new counts from a directory that others can write, until it is right again', async () => {
    file('10.toml', rule('deny'));
    const { decide } = await open();
    chmodSync(join(place.directory, 'policy.d'), 0o777);
    file('10.toml', rule('deny', 'other **'));
    expect(await decide()).toBe('deny');
    chmodSync(join(place.directory, 'policy.d'), 0o755);
    expect(await decide()).toBe('allow');
  });

  test.each<[string, () => void]>([
    ['gone', () => rmSync(join(place.directory, 'config.toml'))],
    ['broken', () => config("lock = ['everything']")],
    ['open to others', () => config('', 0o666)],
  ])('a lock that is %s stays', async (_, spoil) => {
    config("lock = ['policy']\n");
    const { changes, decide } = await open();
    expect(await decide()).toBe('ask');
    spoil();
    for (let round = 0; round < 2; round++) expect(await decide()).toBe('ask');
    expect(kinds(changes)).toEqual(['kept']);
    config('lock = []');
    expect(await decide()).toBe('allow');
  });

  test('broken files below do not keep its word from counting', async () => {
    write(own, rule('allow'));
    const { decide } = await open();
    write(own, 'nothing =');
    write(projectPolicyPath(workspace), 'nothing =');
    file('10.toml', rule('deny'));
    expect(await decide()).toBe('deny');
  });
});

describe("a project's policy", () => {
  const path = () => projectPolicyPath(workspace);
  const trustFile = () => join(root, 'state/shellgate/trust.toml');
  const TEXT = rule('allow', 'touch **', "effects = { write = ['/**'] }\n") + rule('deny');

  test('counts as soon as it is there; its allows with a trust that another process gives, and no longer than that', async () => {
    verifies('P11');
    const { decide } = await open();
    expect(await decide()).toBe('allow');
    write(path(), TEXT);
    expect(await decide()).toBe('deny');
    expect(await decide('touch x')).toBe('ask');
    const elsewhere = new TrustStore(trustFile());
    await elsewhere.trust(path(), 'ana');
    expect(await decide('touch x')).toBe('allow');
    await elsewhere.distrust(path());
    expect(await decide('touch x')).toBe('ask');
    expect(await decide()).toBe('deny');
  });

  test.each<[string, () => void]>([
    ['gone', () => rmSync(path())],
    ['broken', () => write(path(), 'nothing =')],
    ['open to others', () => chmodSync(path(), 0o666)],
    ['trusted by a file that cannot be read', () => chmodSync(trustFile(), 0o666)],
    ['changed, and not trusted as it is now', () => write(path(), `${TEXT}reason = 'x'\n`)],
  ])('%s: its denies stay, its allows end', async (_, spoil) => {
    verifies('P11');
    write(path(), TEXT);
    await new TrustStore(trustFile()).trust(path(), 'ana');
    const { decide } = await open();
    expect(await decide('touch x')).toBe('allow');
    spoil();
    for (let round = 0; round < 2; round++) {
      expect(await decide('touch x')).toBe('ask');
      expect(await decide()).toBe('deny');
    }
  });
});

describe('remembered answers', () => {
  const grant: Grant = {
    id: 'g-1',
    scope: 'always',
    rule: { id: 'granted', decision: 'allow', command: 'touch **', effects: { write: ['/**'] } },
    principal: request('x').principal.id,
    executor: STATE.executor,
    hashes: {},
    createdAt: '2026-11-01T00:00:00Z',
    by: 'ana',
  };

  test('one that another process adds or revokes counts, or no longer counts, at the next verdict', async () => {
    const path = join(root, 'grants.toml');
    const { decide } = await open({ grants: fileGrants(path) });
    const elsewhere = fileGrants(path);
    expect(await decide('touch x')).toBe('ask');
    await elsewhere.add(grant);
    expect(await decide('touch x')).toBe('allow');
    expect(await elsewhere.revoke('g-1')).toBe(true);
    expect(await decide('touch x')).toBe('ask');
  });

  test.each<[string, (path: string) => void]>([
    ['broken', path => writeFileSync(path, 'grant = 1')],
    ['open to others', path => chmodSync(path, 0o666)],
    [
      'replaced by a directory',
      path => {
        rmSync(path);
        mkdirSync(path);
      },
    ],
  ])('while their file is %s none counts, and that is told once', async (_, spoil) => {
    const path = join(root, 'grants.toml');
    const grants = fileGrants(path);
    await grants.add(grant);
    const { changes, decide } = await open({ grants });
    expect(await decide('touch x')).toBe('allow');
    spoil(path);
    for (let round = 0; round < 3; round++) expect(await decide('touch x')).toBe('ask');
    expect(changes).toEqual([{ kind: 'ungranted', code: 'GRANTS_UNREADABLE', reason: expect.stringContaining(path) }]);
    rmSync(path, { recursive: true });
    await fileGrants(path).add(grant);
    expect(await decide('touch x')).toBe('allow');
  });
});
