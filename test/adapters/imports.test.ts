import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');
const SDK = /^(ai|ai7|@ai-sdk\/.*|@openai\/.*|openai)(\/|$)/;

/** Every package that loading a file of src would load, with the file that asks for it. Type-only imports load nothing. */
function loadedBy(entry: string): Map<string, string> {
  const packages = new Map<string, string>();
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = readFileSync(file, 'utf8');
    const statements = /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^'"`;]*?\bfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;
    for (const [, plain, lazy] of source.matchAll(statements)) {
      const target = (plain ?? lazy)!;
      if (target.startsWith('.')) visit(resolve(dirname(file), target.replace(/\.js$/, '.ts')));
      else packages.set(target, file);
    }
  };
  visit(entry);
  return packages;
}

const ADAPTERS = readdirSync(join(SRC, 'adapters')).map(name => `adapters/${name}`);

test.each(['index.ts', 'cli/main.ts', ...ADAPTERS])('%s loads no SDK', entry => {
  const loaded = [...loadedBy(join(SRC, entry)).keys()];
  expect(loaded.filter(name => SDK.test(name))).toEqual([]);
});

test('the walk would see one: the library and zod are found', () => {
  expect([...loadedBy(join(SRC, 'index.ts')).keys()]).toEqual(expect.arrayContaining(['zod', 'node:crypto']));
  expect(SDK.test('ai') && SDK.test('@openai/agents/sandbox')).toBe(true);
});

test('the SDKs are optional peers, and the adapters are exports of their own', () => {
  const { peerDependencies, peerDependenciesMeta, dependencies, exports } = JSON.parse(
    readFileSync(join(SRC, '../package.json'), 'utf8'),
  );
  expect(peerDependencies).toEqual({ ai: '>=6', '@openai/agents': '>=0.20' });
  for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
  expect(Object.keys(dependencies).filter(name => SDK.test(name))).toEqual([]);
  expect(Object.keys(exports)).toEqual(expect.arrayContaining(['.', './ai', './openai']));
});
