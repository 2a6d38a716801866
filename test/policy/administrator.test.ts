import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Decision } from '../../src/contract/policy.js';
import { loadPolicies, projectPolicyPath, userTrust } from '../../src/load-policies.js';
import { type AdministratorPlace, administratorFiles, administratorLocks } from '../../src/policy/administrator.js';
import { exampleFacts } from '../../src/policy/example-world.js';
import { memoryGrants } from '../../src/policy/grants.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { analyzer } from './analysed.js';
import { request, STATE } from './made.js';

const uid = process.getuid!();
const ALLOW_LS = "[[rule]]\nid = 'ls'\ndecision = 'allow'\ncommand = 'ls **'\n";
const DENY_LS = "[[rule]]\nid = 'no-ls'\ndecision = 'deny'\ncommand = 'ls **'\nreason = 'not here'\n";

let place: AdministratorPlace;
let workspace: string;
beforeEach(() => {
  place = { directory: join(temporaryDirectory(), 'shellgate'), uid };
  workspace = temporaryDirectory();
  mkdirSync(place.directory, { mode: 0o755 });
});

function write(path: string, text: string, mode = 0o644): string {
  const full = join(place.directory, path);
  mkdirSync(join(full, '..'), { recursive: true, mode: 0o755 });
  writeFileSync(full, text);
  chmodSync(full, mode);
  return full;
}

/** What becomes of `ls` under the user's own sources and the administrator's files. */
async function decision(sources = 'read-only', administrator = place): Promise<Decision> {
  const { inForce } = await loadPolicies({ sources, workspace, analyzer, administrator, grants: memoryGrants() });
  const analysis = await analyzer.analyze(request('ls'), STATE, new AbortController().signal);
  return inForce.policy.evaluate(request('ls'), STATE, analysis, exampleFacts(analysis.query)).decision;
}

describe("the administrator's layer", () => {
  test('no directory, an empty one, and one with nothing to say change nothing', async () => {
    expect(await decision('read-only', { directory: join(place.directory, 'absent'), uid })).toBe('allow');
    expect(await decision()).toBe('allow');
    write('policy.d/notes.txt', 'not a policy');
    write('config.toml', '');
    expect(await decision()).toBe('allow');
  });

  test('its denies stand over the user’s policy, its allows beside it', async () => {
    write('policy.d/10.toml', DENY_LS);
    expect(await decision()).toBe('deny');
    write('policy.d/10.toml', ALLOW_LS);
    const own = join(workspace, 'own.toml');
    writeFileSync(own, '', { mode: 0o600 });
    expect(await decision(own)).toBe('allow');
  });

  test('locked: what is below only tightens, a trusted project too', async () => {
    verifies('P11');
    write('config.toml', "lock = ['policy']\n");
    expect(await decision('read-only')).toBe('ask');
    const project = projectPolicyPath(workspace);
    mkdirSync(join(project, '..'));
    writeFileSync(project, ALLOW_LS, { mode: 0o600 });
    await userTrust().trust(project, 'ana');
    try {
      expect(await decision('read-only')).toBe('ask');
      const loaded = await loadPolicies({ sources: 'read-only', workspace, analyzer, administrator: place });
      expect(loaded.inForce.project).toMatchObject({ inForce: 0, ignored: 1 });
      expect(loaded.inForce.names).toEqual(['read-only.toml (locked)', `${project} (locked)`]);
      write('policy.d/10.toml', ALLOW_LS);
      expect(await decision('read-only')).toBe('allow');
      writeFileSync(project, DENY_LS, { mode: 0o600 });
      expect(await decision('read-only')).toBe('deny');
    } finally {
      await userTrust().distrust(project);
    }
  });

  test.each<[string, () => unknown, string, string?]>([
    ['a config that others can write', () => write('config.toml', '', 0o666), 'POLICY_UNREADABLE'],
    ['a policy that its group can write', () => write('policy.d/a.toml', ALLOW_LS, 0o664), 'POLICY_UNREADABLE'],
    ['a directory that others can write', () => chmodSync(place.directory, 0o777), 'POLICY_UNREADABLE'],
    [
      'a policy directory that others can write',
      () => chmodSync(join(write('policy.d/a.toml', ''), '..'), 0o777),
      'POLICY_UNREADABLE',
    ],
    ['a file where the directory belongs', () => write('policy.d', ''), 'POLICY_UNREADABLE'],
    ['a link that leads nowhere', () => symlinkSync('/nonexistent/x', join(place.directory, 'config.toml')), 'POLICY_UNREADABLE'],
    [
      'something else than a lock',
      () => write('config.toml', "lock = ['everything']"),
      'CONFIG_INVALID',
      'lock.0 must be one of "policy"',
    ],
    [
      'an unknown field',
      () => write('config.toml', "locks = ['policy']"),
      'CONFIG_INVALID',
      'has no field "locks"; did you mean "lock"?',
    ],
    ['no TOML', () => write('config.toml', 'lock = ['), 'CONFIG_INVALID'],
    ['a broken policy', () => write('policy.d/a.toml', 'rules = 1'), 'POLICY_INVALID'],
  ])('is never passed over: %s', async (_, arrange, code, message = '') => {
    arrange();
    await expect(decision()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('what does not belong to the administrator is not the administrator’s', () => {
    const foreign = { ...place, uid: uid + 1 };
    expect(() => administratorFiles(foreign)).toThrow('not to the administrator');
    write('config.toml', "lock = ['policy']");
    expect(administratorLocks(place)?.has('policy')).toBe(true);
    expect(() => administratorLocks(foreign)).toThrow(`belongs to uid ${uid}`);
    rmSync(place.directory, { recursive: true });
    expect(administratorFiles(foreign)).toEqual([]);
    expect(administratorLocks(foreign)).toBeUndefined();
  });
});
