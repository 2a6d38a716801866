import { SpecError } from './spec-error.js';

/** A line of a `.spec` file with the lines indented below it. */
export interface Line {
  readonly text: string;
  readonly place: string;
  readonly children: Line[];
}

/** Lines by indentation. Blank lines and lines that begin with `#` are left out. */
export function outline(source: string, file: string): Line[] {
  const roots: Line[] = [];
  const open: { indent: number; line: Line }[] = [];
  for (const [index, raw] of source.split('\n').entries()) {
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) continue;
    const place = `${file}:${index + 1}`;
    if (raw.includes('\t')) throw new SpecError(place, 'a tab; indent with spaces');
    const indent = raw.length - raw.trimStart().length;
    while (open.length > 0 && open.at(-1)!.indent >= indent) open.pop();
    const line: Line = { text, place, children: [] };
    const parent = open.at(-1)?.line;
    if (!parent && indent > 0) throw new SpecError(place, 'indented below nothing');
    (parent ? parent.children : roots).push(line);
    open.push({ indent, line });
  }
  return roots;
}
