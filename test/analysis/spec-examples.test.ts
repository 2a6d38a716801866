import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { LANGUAGES } from '../../src/analysis/languages/index.js';
import { compile, programsOf } from '../../src/analysis/specs/compile.js';
import { checkExamples } from '../../src/analysis/specs/examples.js';
import type { Table } from '../../src/analysis/specs/table.js';

const FOLDER = resolve(import.meta.dirname, '../../src/analysis/specs');
const FILES = readdirSync(FOLDER).filter(name => name.endsWith('.spec'));

const languagesOf = (table: Table): string[] => [
  ...(table.language ? [table.language] : []),
  ...[...table.commands.values()].flatMap(languagesOf),
];

test.each(FILES)('%s: compiles, names what it holds, and its examples hold', file => {
  const source = readFileSync(resolve(FOLDER, file), 'utf8');
  const tables = compile(source, file);
  expect(tables.flatMap(table => table.names).sort()).toEqual(programsOf(source, file).sort());
  for (const name of tables.flatMap(languagesOf)) expect(Object.keys(LANGUAGES)).toContain(name);
  expect(tables.flatMap(checkExamples)).toEqual([]);
});

test('no program is described twice', () => {
  const names = FILES.flatMap(file => programsOf(readFileSync(resolve(FOLDER, file), 'utf8'), file));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
