import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Decision } from '../../src/contract/policy.js';
import { createPolicy } from '../../src/policy/create-policy.js';
import { combine, type Layer } from '../../src/policy/layers.js';
import { loadPolicy } from '../../src/policy/load.js';
import { LiveProject } from '../../src/policy/project.js';
import { TrustStore } from '../../src/policy/trust.js';
import { verifies } from '../helpers/verifies.js';
import { evaluate, program, RISKS, splitting } from './made.js';

const rule = (decision: Decision, command: string) =>
  `[[rule]]\nid = '${decision}-${command.split(' ')[0]}'\ndecision = '${decision}'\ncommand = '${command}'\n`;
const policyOf = (text: string) => loadPolicy({ texts: [{ name: 'x.toml', text }], analyzer: splitting });
const decide = (layers: readonly Layer[], words: string) =>
  evaluate(createPolicy(combine(layers, { risks: RISKS })), [program(words)]).decision;

describe('layers', () => {
  test('the strictest wins, whatever the order', async () => {
    const above = await policyOf(rule('deny', 'curl **') + rule('ask', 'npm **'));
    const own = await policyOf(rule('allow', 'curl **') + rule('allow', 'npm **') + rule('allow', 'ls **'));
    const administrator: Layer = { name: 'administrator', authority: 'full', policies: [above] };
    const user: Layer = { name: 'user', authority: 'full', policies: [own] };
    for (const layers of [
      [administrator, user],
      [user, administrator],
    ]) {
      expect(decide(layers, 'curl x')).toBe('deny');
      expect(decide(layers, 'npm ci')).toBe('ask');
      expect(decide(layers, 'ls')).toBe('allow');
    }
  });

  test('the strictest default counts; none is ask', async () => {
    const withDefault = async (decision: Decision): Promise<Layer> => ({
      name: 'user',
      authority: 'full',
      policies: [await policyOf(`default = '${decision}'`)],
    });
    expect(decide([], 'x')).toBe('ask');
    expect(decide([await withDefault('allow')], 'x')).toBe('allow');
    expect(decide([await withDefault('allow'), await withDefault('deny')], 'x')).toBe('deny');
    expect(decide([{ ...(await withDefault('allow')), authority: 'tighten' }], 'x')).toBe('ask');
  });

  test('a layer that may only tighten allows nothing', async () => {
    verifies('P11');
    const policies = [await policyOf(rule('allow', 'ls **') + rule('deny', 'evil **'))];
    expect(decide([{ name: 'project', authority: 'tighten', policies }], 'ls')).toBe('ask');
    expect(decide([{ name: 'project', authority: 'tighten', policies }], 'evil')).toBe('deny');
    expect(decide([{ name: 'project', authority: 'full', policies }], 'ls')).toBe('allow');
  });

  test('the hash is that of everything the verdict comes from', async () => {
    const policies = [await policyOf(rule('allow', 'ls **'))];
    const layer: Layer = { name: 'project', authority: 'full', policies };
    const hashes = [
      combine([layer], { risks: RISKS }),
      combine([{ ...layer, authority: 'tighten' }], { risks: RISKS }),
      combine([layer, layer], { risks: RISKS }),
      combine([layer], { risks: {} }),
      combine([layer], { risks: RISKS, binaries: ['/x'] }),
      combine([layer], { risks: RISKS, floor: [{ id: 'more', reason: 'x', tags: ['x'] }] }),
    ].map(({ hash }) => hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe("a project's own policy", () => {
  const OWN = rule('allow', 'ls **') + rule('deny', 'evil **');
  let directory: string;
  let file: string;
  let trust: TrustStore;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'shellgate-trust-'));
    file = join(directory, 'policy.toml');
    trust = new TrustStore(join(directory, 'state', 'trust.toml'));
    write(OWN);
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });
  const write = (text: string) => {
    writeFileSync(file, text);
    chmodSync(file, 0o600);
  };
  const layer = async (path = file) => {
    const project = new LiveProject(path, { trust, analyzer: splitting });
    await project.open();
    return project.layer();
  };

  test('tightens until a person trusted that content in that place', async () => {
    verifies('P11');
    expect(await layer()).toMatchObject({ authority: 'tighten', trusted: false, inForce: 1, notInForce: 1 });
    await trust.trust(file, 'ana');
    expect(await layer()).toMatchObject({ authority: 'full', trusted: true, inForce: 2, notInForce: 0 });
    write(`${rule('allow', 'ls **')}# changed\n`);
    expect(await layer()).toMatchObject({ authority: 'tighten', trusted: false });
  });

  test('the same content in another place is not trusted, nor one that was taken back', async () => {
    await trust.trust(file, 'ana');
    const copy = join(directory, 'copy.toml');
    writeFileSync(copy, OWN, { mode: 0o600 });
    expect(await layer(copy)).toMatchObject({ trusted: false });
    expect(await trust.distrust(file)).toBe(true);
    expect(await trust.distrust(file)).toBe(false);
    expect(await layer()).toMatchObject({ trusted: false });
  });

  test('one that cannot be read is an error: its denies would be lost', async () => {
    write('[[rule]]\n');
    await expect(layer()).rejects.toMatchObject({ code: 'POLICY_INVALID' });
  });
});
