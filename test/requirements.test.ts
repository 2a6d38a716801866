import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from './requirements.js';

const folder = import.meta.dirname;
const citations = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !name.startsWith('requirements'))
  .map(name => readFileSync(join(folder, name), 'utf8'))
  .flatMap(source =>
    [...source.matchAll(/verifies\(([^)]*)\)/gs)].flatMap(match => [...match[1]!.matchAll(/'([^']+)'/g)].map(id => id[1]!)),
  );

test('every requirement in force is cited by a test', () => {
  const uncited = Object.keys(REQUIREMENTS).filter(id => !citations.includes(id));
  expect(uncited).toEqual([]);
});
