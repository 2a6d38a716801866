import { type Draft, readLine } from './compile-lines.js';
import { type Line, outline } from './outline.js';
import { SpecError } from './spec-error.js';
import type { Action, Table } from './table.js';

const UNLISTED: Action = { does: 'ask', text: 'an option that is not described' };

/**
 * Text of one `.spec` file → its programs. The table language is described in `docs/make-your-own-spec.md`.
 * Throws SpecError (`file:line: …`).
 */
export function compile(source: string, file: string): Table[] {
  const lines = outline(source, file);
  const blocks = new Map<string, readonly Line[]>();
  for (const line of lines) if (line.text.startsWith('block ')) blocks.set(line.text.slice(6).trim(), line.children);
  return lines
    .filter(line => !line.text.startsWith('block ') && !line.text.startsWith('programs:'))
    .map(line => compileTable(line, line.text.split(/\s+/), { blocks }));
}

/** Names the `programs:` line of a file promises. */
export function programsOf(source: string, file: string): string[] {
  const match = /^programs:\s*(.+)$/m.exec(source);
  if (!match) throw new SpecError(`${file}:1`, 'the line "programs: NAME…" is missing');
  return match[1]!.trim().split(/\s+/);
}

interface Context {
  readonly blocks: ReadonlyMap<string, readonly Line[]>;
  readonly parent?: Draft;
}

function compileTable(line: Line, names: string[], context: Context): Table {
  const { parent } = context;
  const draft: Draft = {
    names,
    options: new Map(parent?.anywhere ? parent.options : []),
    operands: [],
    bare: [],
    always: [],
    commands: new Map(),
    peels: new Set(),
    otherOptions: parent?.anywhere ? parent.otherOptions : UNLISTED,
    stops: false,
    abbreviates: parent?.abbreviates ?? true,
    dashWords: parent?.dashWords ?? false,
    firstCluster: false,
    numbers: false,
    variables: [],
    examples: [],
    anywhere: parent?.anywhere ?? false,
  };
  // What a line of the table says replaces what a block says.
  for (const name of uses(line))
    for (const inherited of blockLines(name, context)) readLine(inherited, { draft, own: undefined });
  const own = new Set<string>();
  for (const child of line.children) if (!/^(sub|use) /.test(child.text)) readLine(child, { draft, own });
  for (const sub of line.children.filter(child => child.text.startsWith('sub '))) {
    const subNames = sub.text.split(/\s+/).slice(1);
    const table = compileTable(sub, subNames, { blocks: context.blocks, parent: draft });
    for (const name of subNames) draft.commands.set(name, table);
  }
  checkConditions(draft, line.place);
  return draft;
}

/** A condition on an option that no line describes would never hold. */
function checkConditions(table: Table, place: string): void {
  const clauses = [
    ...table.always,
    ...table.bare,
    ...table.operands.flatMap(operand => operand.clauses),
    ...[...table.options.values()].flatMap(option => option.clauses),
  ];
  for (const test of clauses.flatMap(clause => clause.when).flatMap(condition => condition.any)) {
    if (!('option' in test)) continue;
    const option = table.options.get(test.option);
    if (!option) throw new SpecError(place, `${table.names.join(' ')}: a condition names ${test.option}, which is not described`);
    if (option.listed)
      throw new SpecError(place, `${table.names.join(' ')}: a condition names ${test.option}, which needs a line of its own`);
  }
}

const uses = (line: Line): Line[] => line.children.filter(child => child.text.startsWith('use '));

function blockLines(use: Line, { blocks }: Context): readonly Line[] {
  const block = blocks.get(use.text.slice(4).trim());
  if (!block) throw new SpecError(use.place, `no "${use.text.replace('use', 'block')}" in this file`);
  return block;
}
