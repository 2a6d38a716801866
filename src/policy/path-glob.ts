import { expandBraces, type Glob, glob, globMatches, invalid } from './globs.js';
import type { Certainty } from './match.js';

/** What the names in a path pattern stand for. */
export interface Place {
  readonly workspace: string;
  readonly home: string;
}

type Segment = Glob | '**';

/** Compiled from `${workspace}/**`. `root`: what the segments stand below; '' is the root directory. */
export interface PathGlob {
  readonly root: '' | 'workspace' | 'home';
  readonly segments: readonly Segment[];
}

/**
 * Path patterns: `/…`, `~/…`, `${workspace}/…` or `**` + `/…`; `*` is any run of characters inside one segment, `**`
 * any number of segments (so `/a/**` is also `/a` itself), `{a,b}` alternatives. Errors: `POLICY_INVALID`.
 */
export function compilePaths(patterns: readonly string[]): PathGlob[] {
  return patterns.flatMap(pattern =>
    expandBraces(pattern.replaceAll('${workspace}', '\0')).map(text => compilePath(text, pattern)),
  );
}

function compilePath(text: string, source: string): PathGlob {
  const [root, rest] = text.startsWith('\0')
    ? (['workspace', text.slice(1)] as const)
    : text === '~' || text.startsWith('~/')
      ? (['home', text.slice(1)] as const)
      : (['', text.startsWith('**') ? `/${text}` : text] as const);
  if ((rest !== '' && !rest.startsWith('/')) || (root === '' && rest === '') || rest.includes('\0')) {
    throw invalid(`a path pattern begins with /, ~/, \${workspace} or **; "${source}" does not`);
  }
  const names = rest.split('/').filter(name => name !== '' && name !== '.');
  if (names.includes('..')) throw invalid(`a path pattern has no ".."; "${source}" has`);
  return { root, segments: names.map(name => (name === '**' ? '**' : glob(name))) };
}

const MOST_SPLIT = 256;
const splits = new Map<string, readonly string[]>();

/** The names in a path. The few paths of a line are held against many patterns, so they are split once. */
function split(path: string): readonly string[] {
  const known = splits.get(path);
  if (known) return known;
  const names = path.split('/').filter(name => name !== '');
  if (splits.size >= MOST_SPLIT) splits.clear();
  splits.set(path, names);
  return names;
}

/** Patterns, found by a name that a path must hold to match them. */
export interface PathGlobs {
  readonly all: readonly PathGlob[];
  readonly byName: ReadonlyMap<string, readonly PathGlob[]>;
  /** Those that no single name is needed for. */
  readonly others: readonly PathGlob[];
}

export function indexPaths(all: readonly PathGlob[]): PathGlobs {
  const byName = new Map<string, PathGlob[]>();
  const others: PathGlob[] = [];
  for (const pattern of all) {
    const name = pattern.segments.find(segment => segment !== '**' && segment.length === 1)?.[0];
    if (name === undefined) others.push(pattern);
    else byName.set(name, [...(byName.get(name) ?? []), pattern]);
  }
  return { all, byName, others };
}

/** Does any of the patterns match? Only those are tried whose name the path holds; the rest would say no. */
export function anyOf(globs: PathGlobs, path: string, matches: (pattern: PathGlob) => boolean): boolean {
  return globs.others.some(matches) || (globs.byName.size > 0 && split(path).some(name => globs.byName.get(name)?.some(matches)));
}

/** Does the path match? `path` is absolute and lexically normal. */
export function pathMatches(pattern: PathGlob, path: string, place: Place): boolean {
  const names = namesBelow(pattern, path, place);
  return names !== undefined && segmentsMatch(pattern.segments, names);
}

/** The path's names below the pattern's root, or undefined when it is not below it. */
function namesBelow(pattern: PathGlob, path: string, place: Place): readonly string[] | undefined {
  if (pattern.root === '') return split(path);
  const root = place[pattern.root];
  if (path === root) return [];
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return root !== '' && path.startsWith(prefix) ? split(path).slice(split(root).length) : undefined;
}

/** Does the pattern end in names that the path does not end in? Most patterns are done with here. */
function endsOtherwise(segments: readonly Segment[], names: readonly string[]): boolean {
  const last = segments.at(-1);
  if (last === undefined) return names.length > 0;
  return last !== '**' && (names.length === 0 || !globMatches(last, names.at(-1)!));
}

/** Row by row, so a pattern with many stars costs names × segments and no more. */
function segmentsMatch(segments: readonly Segment[], names: readonly string[]): boolean {
  if (endsOtherwise(segments, names)) return false;
  const stars = segments.indexOf('**');
  if (stars === -1 || stars === segments.length - 1) {
    // The common forms: no `**`, or one at the end.
    const fixed = stars === -1 ? segments : segments.slice(0, -1);
    if (stars === -1 ? names.length !== fixed.length : names.length < fixed.length) return false;
    return fixed.every((segment, index) => globMatches(segment as Glob, names[index]!));
  }
  let below = names.map(() => false);
  below.push(true);
  for (let i = segments.length - 1; i >= 0; i--) {
    const segment = segments[i]!;
    const row = new Array<boolean>(names.length + 1).fill(false);
    for (let j = names.length; j >= 0; j--) {
      if (segment === '**') row[j] = below[j]! || (j < names.length && row[j + 1]!);
      else if (j < names.length) row[j] = below[j + 1]! && globMatches(segment, names[j]!);
    }
    below = row;
  }
  return below[0]!;
}

/** A name that only a wildcard matches. */
const ANY_NAME = '\u{10ffff}';
/** The directory itself, what is directly in it, and what is far below. */
const DEPTHS = [[], [ANY_NAME], [ANY_NAME, ANY_NAME, ANY_NAME]];

/**
 * Everything below `directory`, or some of it? Matched with names that only wildcards match, at several depths: a
 * pattern that holds for all of them holds for whatever is there.
 */
export function treeMatches(pattern: PathGlob, directory: string, place: Place): Certainty {
  if (coversTree(pattern, directory, place)) return 'yes';
  return couldBeBelow(pattern, directory, place) ? 'maybe' : 'no';
}

/** Everything below `directory`? */
export function coversTree(pattern: PathGlob, directory: string, place: Place): boolean {
  const names = namesBelow(pattern, directory, place);
  return names !== undefined && DEPTHS.every(deeper => segmentsMatch(pattern.segments, [...names, ...deeper]));
}

/** Could some path that begins with `directory` match? */
export function couldBeBelow(pattern: PathGlob, directory: string, place: Place): boolean {
  const root = pattern.root === '' ? '/' : place[pattern.root];
  const names = split(directory);
  const rootNames = split(root);
  const common = Math.min(names.length, rootNames.length);
  for (let i = 0; i < common; i++) if (names[i] !== rootNames[i]) return false;
  const inside = names.slice(rootNames.length);
  for (let i = 0; i < inside.length; i++) {
    const segment = pattern.segments[i];
    if (segment === undefined) return false;
    if (segment === '**') return true;
    if (!globMatches(segment, inside[i]!)) return false;
  }
  return true;
}

/**
 * Could a file that a shell's pattern meets match? By the beginning and the end of its name alone: `*.ts` meets no
 * `.env`. A shell that takes more for a pattern, or gives hidden files to `*`, is asked about elsewhere.
 */
export function couldBeMet({ segments }: PathGlob, shellPattern: string): boolean {
  const wanted = segments.at(-1);
  const name = split(shellPattern).at(-1) ?? '';
  if (wanted === undefined || wanted === '**' || /[()|\\]/.test(name)) return true;
  const wild = name.search(/[*?[]/);
  if (wild < 0) return globMatches(wanted, name);
  const [first, last] = [wanted[0]!, wanted.at(-1)!];
  if (first.startsWith('.') && !name.startsWith('.')) return false;
  const begins = name.slice(0, wild);
  const ends = name.slice(Math.max(name.lastIndexOf('*'), name.lastIndexOf('?'), name.lastIndexOf(']')) + 1);
  const isLonger = (text: string): boolean => wanted.length === 1 && text.length > first.length;
  const begin = Math.min(begins.length, first.length);
  const end = Math.min(ends.length, last.length);
  return (
    !isLonger(begins) &&
    !isLonger(ends) &&
    begins.slice(0, begin) === first.slice(0, begin) &&
    ends.slice(ends.length - end) === last.slice(last.length - end)
  );
}
