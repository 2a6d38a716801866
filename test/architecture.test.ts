import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

// The import table of the house: a room may import itself, its layer's exceptions and what is listed here.
// `types` means type-only imports.
const SRC = resolve(import.meta.dirname, '../src');
type Allowed = readonly (string | { types: string })[];
const ROOMS: Record<string, Allowed> = {
  contract: [],
  'platform.ts': ['contract'],
  analysis: ['contract', 'platform.ts'],
  policy: ['contract', 'platform.ts'],
  approval: ['contract', 'platform.ts'],
  family: ['contract', 'platform.ts'],
  executor: ['contract', 'platform.ts'],
  output: ['contract', 'platform.ts'],
  redaction: ['contract', 'platform.ts'],
  audit: ['contract', 'platform.ts'],
  session: ['contract', 'platform.ts', 'output'],
  'gate.ts': [{ types: 'contract' }],
};
const LAYER_0_TO_3 = Object.keys(ROOMS);
const COMPOSITION = [
  'create-gate.ts',
  'local-shell-tool.ts',
  'config.ts',
  'execution.ts',
  'local-gate.ts',
  'local-session.ts',
  'session-environment.ts',
  'load-policies.ts',
  'start-sink.ts',
  'version.ts',
];
for (const root of COMPOSITION) {
  ROOMS[root] = [...LAYER_0_TO_3, ...COMPOSITION];
}
// Its function form returns the documents' text (docs/decisions/0004).
ROOMS['local-shell-tool.ts'] = [...ROOMS['local-shell-tool.ts']!, 'tools'];
ROOMS['environment'] = ['contract'];
ROOMS['tools'] = ['contract', 'output'];
// The tools' own composition root: what a gate does not hand over (classification, redaction, a spool).
ROOMS['create-tools.ts'] = [...LAYER_0_TO_3, ...COMPOSITION, 'tools'];
ROOMS['plugins'] = ['contract', 'output'];
ROOMS['adapters'] = ['contract', 'output', 'tools'];
ROOMS['mcp'] = ['contract', 'tools', 'environment'];
ROOMS['server'] = ['contract', 'tools', 'environment'];
const ANYTHING = new Set(['index.ts', 'cli']);

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name));
}

const roomOf = (file: string): string => relative(SRC, file).split('/')[0]!;

function importsOf(file: string): { typeOnly: boolean; target: string }[] {
  const source = readFileSync(file, 'utf8');
  const found: { typeOnly: boolean; target: string }[] = [];
  for (const match of source.matchAll(/(?:^|\n)\s*(?:import|export)\s+(type\s+)?[^'"`;]*?from\s+'([^']+)'/g)) {
    found.push({ typeOnly: match[1] !== undefined, target: match[2]! });
  }
  for (const match of source.matchAll(/(?:^|\n)\s*import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g)) {
    found.push({ typeOnly: false, target: (match[1] ?? match[2])! });
  }
  return found;
}

test('every file imports only what its room may', () => {
  const wrong: string[] = [];
  for (const file of sourceFiles(SRC)) {
    const room = roomOf(file);
    if (ANYTHING.has(room)) continue;
    const allowed = ROOMS[room];
    if (!allowed) {
      wrong.push(`${relative(SRC, file)}: room "${room}" is not in the table`);
      continue;
    }
    for (const { typeOnly, target } of importsOf(file)) {
      if (!target.startsWith('.')) continue;
      const other = roomOf(resolve(dirname(file), target.replace(/\.js$/, '.ts')));
      if (other === room) continue;
      const ok = allowed.some(entry => (typeof entry === 'string' ? entry === other : typeOnly && entry.types === other));
      if (!ok) wrong.push(`${relative(SRC, file)} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('contract imports nothing but zod', () => {
  for (const file of sourceFiles(join(SRC, 'contract'))) {
    for (const { target } of importsOf(file))
      expect(target.startsWith('./') || target === 'zod', `${file}: ${target}`).toBe(true);
  }
});

test('the gate fits on one screen, and the only cast that makes an authorized request is there', () => {
  const lines = readFileSync(join(SRC, 'gate.ts'), 'utf8').split('\n');
  const body = lines.slice(
    lines.findIndex(line => line.startsWith('export async function')),
    lines.indexOf('}') + 1,
  );
  expect(body.length).toBeLessThan(80);
  const casts = sourceFiles(SRC).filter(file => /as unknown as Authorized|as Authorized/.test(readFileSync(file, 'utf8')));
  expect(casts.map(file => relative(SRC, file))).toEqual(['gate.ts']);
});

test('only platform.ts asks for the platform', () => {
  const asking = sourceFiles(SRC).filter(file => /process\.platform/.test(readFileSync(file, 'utf8')));
  expect(asking.map(file => relative(SRC, file)).filter(file => file !== 'platform.ts')).toEqual([]);
});

test('nouns are short: every contract file stays under 130 lines, others under 300', () => {
  const long = sourceFiles(SRC).flatMap(file => {
    const source = readFileSync(file, 'utf8');
    const lines = source.split('\n').length;
    const limit = roomOf(file) === 'contract' ? 130 : 300;
    return lines > limit && !/^\/\/ Longer than /.test(source) ? [`${relative(SRC, file)}: ${lines} lines`] : [];
  });
  expect(long).toEqual([]);
});
