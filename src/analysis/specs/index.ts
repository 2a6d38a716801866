import { readdirSync, readFileSync } from 'node:fs';
import type { CommandSpec, SpecLookup } from '../spec.js';
import { compile, programsOf } from './compile.js';
import { evaluate } from './evaluate.js';
import type { Table } from './table.js';

const FOLDER = new URL('./', import.meta.url);

interface SpecFile {
  readonly file: string;
  readonly source: string;
  specs?: ReadonlyMap<string, CommandSpec>;
}

let files: ReadonlyMap<string, SpecFile> | undefined;

/** Names → files, by the `programs:` line of each. The tables are compiled when one of their programs is first asked for. */
function index(): ReadonlyMap<string, SpecFile> {
  const byName = new Map<string, SpecFile>();
  for (const file of readdirSync(FOLDER)
    .filter(name => name.endsWith('.spec'))
    .sort()) {
    const entry = { file, source: readFileSync(new URL(file, FOLDER), 'utf8') };
    for (const name of programsOf(entry.source, file)) byName.set(name, entry);
  }
  return byName;
}

/** Specs of a table: one for each of its names. */
export function specsOf(tables: readonly Table[]): Map<string, CommandSpec> {
  const specs = new Map<string, CommandSpec>();
  for (const table of tables)
    for (const name of table.names) specs.set(name, { name, read: invocation => evaluate(table, invocation) });
  return specs;
}

/** Spec of a program by its base name; undefined: none of our tables describes it. */
export const specs: SpecLookup = name => {
  files ??= index();
  const known = files.has(name) ? name : (VERSIONED.exec(name)?.[1] ?? name);
  const entry = files.get(known);
  if (!entry) return undefined;
  entry.specs ??= specsOf(compile(entry.source, entry.file));
  return entry.specs.get(known);
};

/** Interpreters are installed under names with their version: `python3.12`, `lua5.4`. */
const VERSIONED = /^(python|pypy|pip|perl|ruby|irb|php|lua|tclsh|node|clang\+?\+?|gcc|g\+\+)[-.]?\d[\d.]*$/;

/** Every program that has a spec. */
export function specifiedPrograms(): string[] {
  files ??= index();
  return [...files.keys()];
}
