import { type Chunk, opaque, plain } from './chunks.js';

/** More fields than this from one word and the word is opaque. */
const MAX_FIELDS = 256;

/** A plain character, or a whole chunk that braces cannot look into. */
type Atom = string | Chunk;

class TooMany extends Error {}

function atomsOf(chunks: readonly Chunk[]): Atom[] {
  return chunks.flatMap((chunk): Atom[] => (chunk.kind === 'text' && chunk.mode === 'plain' ? [...chunk.text] : [chunk]));
}

function chunksOf(atoms: readonly Atom[]): Chunk[] {
  const chunks: Chunk[] = [];
  let run = '';
  for (const atom of atoms) {
    if (typeof atom === 'string') {
      run += atom;
      continue;
    }
    if (run !== '') chunks.push(plain(run));
    run = '';
    chunks.push(atom);
  }
  if (run !== '') chunks.push(plain(run));
  return chunks;
}

interface Group {
  readonly open: number;
  readonly close: number;
  readonly alternatives: readonly (readonly Atom[])[];
}

/**
 * Index of the brace that closes the one at `open`, as bash looks for it, and the commas between at its own level. One with
 * neither a comma nor `..` before it closes nothing: `{a}b,c}` is `a}b c`.
 */
function matching(atoms: readonly Atom[], open: number): { close: number; commas: number[] } | undefined {
  let depth = 0;
  let isList = false;
  const commas: number[] = [];
  for (let at = open + 1; at < atoms.length; at += 1) {
    const atom = atoms[at];
    if (atom === '{') depth += 1;
    else if (atom === '}' && depth > 0) depth -= 1;
    else if (atom === '}' && isList) return { close: at, commas };
    else if (depth === 0 && atom === ',') {
      commas.push(at);
      isList = true;
    } else if (depth === 0 && atom === '.' && atoms[at + 1] === '.' && atoms[at + 2] !== '}') isList = true;
  }
  return undefined;
}

function between(atoms: readonly Atom[], edges: readonly number[]): Atom[][] {
  return edges.slice(1).map((edge, index) => atoms.slice(edges[index]! + 1, edge));
}

const pad = (value: number, width: number): string => {
  const digits = String(Math.abs(value)).padStart(value < 0 ? width - 1 : width, '0');
  return value < 0 ? `-${digits}` : digits;
};

/** `a..b` and `a..b..step`. undefined: not a sequence. */
function sequence(inside: readonly Atom[]): string[] | undefined {
  if (!inside.every(atom => typeof atom === 'string')) return undefined;
  const parts = inside.join('').split('..');
  if (parts.length < 2 || parts.length > 3) return undefined;
  const [first, last, by] = parts as [string, string, string?];
  const letters = /^[a-zA-Z]$/.test(first) && /^[a-zA-Z]$/.test(last);
  const numbers = /^[+-]?\d+$/.test(first) && /^[+-]?\d+$/.test(last);
  if ((!letters && !numbers) || (by !== undefined && !/^[+-]?\d+$/.test(by))) return undefined;
  const from = letters ? first.charCodeAt(0) : Number(first);
  const to = letters ? last.charCodeAt(0) : Number(last);
  const step = Math.abs(Number(by ?? 1)) || 1;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || Math.abs(to - from) / step >= MAX_FIELDS) throw new TooMany();
  const padded = numbers && [first, last].some(text => /^-?0\d/.test(text));
  const width = padded ? Math.max(first.length, last.length) : 0;
  const values: string[] = [];
  for (let value = from; from <= to ? value <= to : value >= to; value += from <= to ? step : -step) {
    values.push(letters ? String.fromCharCode(value) : padded ? pad(value, width) : String(value));
  }
  return values;
}

/** The first brace that expands, as bash finds it. */
function firstGroup(atoms: readonly Atom[]): Group | undefined {
  for (let open = 0; open < atoms.length; open += 1) {
    if (atoms[open] !== '{') continue;
    const found = matching(atoms, open);
    if (!found) continue;
    const { close, commas } = found;
    if (commas.length > 0) return { open, close, alternatives: between(atoms, [open, ...commas, close]) };
    const inside = atoms.slice(open + 1, close);
    // A comma deeper inside makes it a list of one: `{1..{a,b}}` is `1..a 1..b`.
    if (inside.includes(',')) return { open, close, alternatives: [inside] };
    const values = sequence(inside);
    if (values) return { open, close, alternatives: values.map(value => [...value]) };
    open = close; // what is no sequence stands as it is, braces in it too
  }
  return undefined;
}

function expand(atoms: readonly Atom[], budget: { left: number }): Atom[][] {
  const group = firstGroup(atoms);
  if (!group) {
    budget.left -= 1;
    if (budget.left < 0) throw new TooMany();
    return [[...atoms]];
  }
  const before = atoms.slice(0, group.open);
  const behind = expand(atoms.slice(group.close + 1), budget);
  const fields: Atom[][] = [];
  for (const alternative of group.alternatives) {
    for (const inner of expand(alternative, budget)) {
      for (const rest of behind) {
        fields.push([...before, ...inner, ...rest]);
        if (fields.length > MAX_FIELDS) throw new TooMany();
      }
    }
  }
  return fields;
}

/** Braces come before parameters: `$x{a,b}` is `$xa $xb`, and `{$,}x` holds `$x`. */
const isRenamed = (field: readonly Atom[]): boolean =>
  field.some((atom, index) => {
    const next = field[index + 1];
    if (typeof next !== 'string') return false;
    if (typeof atom === 'string') return atom === '$' && /[\w@*#?$!({-]/.test(next);
    return 'bare' in atom && /\w/.test(next);
  });

/**
 * Brace expansion of one word, before any other. A word that would give more than 256 fields comes back as one opaque
 * field. The length of what is looked at is bounded too: the search for the first group is quadratic in open braces.
 */
export function expandBraces(chunks: readonly Chunk[]): readonly (readonly Chunk[])[] {
  if (!chunks.some(chunk => chunk.kind === 'text' && chunk.mode === 'plain' && chunk.text.includes('{'))) return [chunks];
  const atoms = atomsOf(chunks);
  const braces = atoms.reduce<number>((count, atom) => count + (atom === '{' ? 1 : 0), 0);
  if (braces === 0 || !atoms.includes('}')) return [chunks];
  const lead = chunksOf(atoms.slice(0, atoms.indexOf('{')));
  const unknown = [[...lead, opaque('brace', 'unquoted')]];
  if (braces > 64 || atoms.length > 20_000) return unknown;
  try {
    const fields = expand(atoms, { left: MAX_FIELDS });
    return fields.some(isRenamed) ? [[opaque('brace', 'unquoted')]] : fields.map(chunksOf);
  } catch (error) {
    if (error instanceof TooMany) return unknown;
    throw error;
  }
}
