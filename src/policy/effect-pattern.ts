import type { Effect, EffectKind } from '../contract/analysis.js';
import type { SessionFacts } from '../contract/facts.js';
import type { EffectPatterns } from '../contract/policy.js';
import { expandBraces, type Glob, glob, globCouldMatch, globMatches } from './globs.js';
import { type Certainty, strongest, surest } from './match.js';
import {
  anyOf,
  compilePaths,
  couldBeBelow,
  couldBeMet,
  coversTree,
  indexPaths,
  type PathGlob,
  type PathGlobs,
  type Place,
  pathMatches,
} from './path-glob.js';

export const EFFECT_KINDS: readonly EffectKind[] = [
  'read',
  'write',
  'network',
  'exec',
  'code',
  'state',
  'config',
  'environment',
  'process',
  'privilege',
  'disclosure',
];

export interface PathEffectGlobs {
  readonly paths: PathGlobs;
  /** For deny and ask: file systems that ignore case exist, so `.ENV` is `.env`. */
  readonly folded: PathGlobs;
}

export interface EffectGlobs {
  readonly paths: Readonly<Partial<Record<'read' | 'write', PathEffectGlobs>>>;
  readonly texts: Readonly<Partial<Record<string, readonly Glob[]>>>;
}

/** Errors: `POLICY_INVALID`. */
export function compileEffects(patterns: EffectPatterns): EffectGlobs {
  const paths: { read?: PathEffectGlobs; write?: PathEffectGlobs } = {};
  const texts: Record<string, readonly Glob[]> = {};
  for (const [kind, list] of Object.entries(patterns)) {
    if (kind === 'read' || kind === 'write') {
      const compiled = (patterns: readonly string[]) => indexPaths(compilePaths(patterns));
      paths[kind] = { paths: compiled(list ?? []), folded: compiled((list ?? []).map(foldPattern)) };
    } else texts[kind] = (list ?? []).flatMap(expandBraces).map(text => glob(kind === 'network' ? text.toLowerCase() : text));
  }
  return { paths, texts };
}

const foldPattern = (pattern: string): string =>
  pattern.replace(/(\$\{workspace\})|[^$]+|\$/g, (part, name?: string) => name ?? part.toLowerCase());

/** Where the patterns' names point, and what is known about the paths. */
export interface EffectPlace extends Place {
  readonly facts: SessionFacts;
}

export const isPathKind = (kind: string): kind is 'read' | 'write' => kind === 'read' || kind === 'write';

/** The directory or file of a target, without the `/**` that means everything below. */
export function targetPath(text: string): { readonly path: string; readonly tree: boolean } {
  return text.endsWith('/**') ? { path: text.slice(0, -3) || '/', tree: true } : { path: text, tree: false };
}

/** The path with its symlinks resolved, if that was asked and told. */
export function realPath(facts: SessionFacts, path: string): string | undefined {
  return facts.known ? facts.paths[path]?.real : undefined;
}

export const isInside = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);

/** Does this effect certainly stay within the patterns, by its name and by its real place? */
export function grantsEffect(globs: EffectGlobs, effect: Effect, place: EffectPlace): boolean {
  const { target } = effect;
  if (!isPathKind(effect.kind)) {
    const patterns = globs.texts[effect.kind] ?? [];
    if (!target) return patterns.some(pattern => isAnything(pattern) || globMatches(pattern, UNNAMED));
    if ('opaque' in target) return patterns.some(isAnything);
    const text = effect.kind === 'network' ? target.text.toLowerCase() : target.text;
    return patterns.some(pattern => globMatches(pattern, text));
  }
  const patterns = globs.paths[effect.kind]?.paths;
  if (!patterns) return false;
  if (!target || 'opaque' in target) return patterns.all.some(({ root, segments }) => root === '' && segments.join() === '**');
  const { path, tree } = targetPath(target.text);
  const within = (candidate: string) =>
    anyOf(patterns, candidate, pattern => {
      if (effect.kind === 'write' && isInMetadata(candidate, pattern)) return false;
      return tree ? coversTree(pattern, candidate, place) : pathMatches(pattern, candidate, place);
    });
  const isWholeRepository = effect.kind === 'write' && tree && holdsRepository(path, place.workspace);
  if (isWholeRepository && !patterns.all.some(pattern => names(pattern, '.git'))) return false;
  const real = realPath(place.facts, path);
  return real !== undefined && within(path) && (real === path || within(real));
}

/** Grants an effect whose target the text leaves to configuration (`git push`), and no other of its kind. */
export const UNNAMED = '(not named)';

const isAnything = (pattern: Glob): boolean => pattern.length === 2 && pattern.join('') === '';

/** Directories whose content becomes code or policy: a wildcard of a granted write does not reach into them. */
const METADATA = ['.git', '.shellgate'];

const names = (pattern: PathGlob, name: string): boolean =>
  pattern.segments.some(segment => segment !== '**' && segment.length === 1 && segment[0] === name);

const isInMetadata = (path: string, pattern: PathGlob): boolean =>
  METADATA.some(name => !names(pattern, name) && path.toLowerCase().split('/').includes(name));

/** Does the tree take in the workspace's own repository? */
const holdsRepository = (path: string, workspace: string): boolean => `${workspace}/`.startsWith(path === '/' ? '/' : `${path}/`);

/** Would this effect, or could it, do what the patterns forbid? */
export function forbidsEffect(globs: EffectGlobs, effect: Effect, place: EffectPlace): Certainty {
  const { target } = effect;
  if (!isPathKind(effect.kind)) {
    const patterns = globs.texts[effect.kind] ?? [];
    if (patterns.length === 0) return 'no';
    if (!target) return patterns.some(isAnything) ? 'yes' : 'maybe';
    const known = 'opaque' in target ? target.lead : target.text;
    const text = effect.kind === 'network' ? known.toLowerCase() : known;
    if ('opaque' in target) return strongest(patterns, pattern => globCouldMatch(pattern, text));
    return patterns.some(pattern => globMatches(pattern, text)) ? 'yes' : 'no';
  }
  const patterns = globs.paths[effect.kind]?.folded;
  if (!patterns) return 'no';
  if (!target) return patterns.all.length > 0 ? 'maybe' : 'no';
  const folded = { workspace: place.workspace.toLowerCase(), home: place.home.toLowerCase() };
  if ('opaque' in target) {
    const lead = target.lead.toLowerCase();
    // `..` may follow any lead, so only a lead that is fixed up to a file's own directory tells anything.
    const directory = lead.startsWith('/') ? lead.slice(0, lead.lastIndexOf('/')) || '/' : '/';
    return patterns.all.some(pattern => couldBeBelow(pattern, directory, folded)) ? 'maybe' : 'no';
  }
  const { path, tree } = targetPath(target.text);
  const real = realPath(place.facts, path);
  const how = { tree, folded, met: effect.glob?.toLowerCase() };
  const named = forbidsPath(patterns, path.toLowerCase(), how);
  return real === undefined || real === path ? named : surest(named, forbidsPath(patterns, real.toLowerCase(), how));
}

interface PathReading {
  /** Everything below the path as well. */
  readonly tree: boolean;
  readonly folded: Place;
  /** The shell's pattern that says what of the tree, in lower case. */
  readonly met: string | undefined;
}

function forbidsPath(patterns: PathGlobs, path: string, { tree, folded, met }: PathReading): Certainty {
  // Whoever touches everything below a place touches the place itself: `tar cf - .env`.
  const matches = (pattern: PathGlob, at: string, place: Place): boolean =>
    pathMatches(pattern, at, place) || (tree && coversTree(pattern, at, place));
  if (anyOf(patterns, path, pattern => matches(pattern, path, folded))) return 'yes';
  const could = (pattern: PathGlob): boolean =>
    couldBeBelow(pattern, path, folded) && (met === undefined || couldBeMet(pattern, met));
  return tree && patterns.all.some(could) ? 'maybe' : 'no';
}

/** The strictest reading of several effects: `yes` when one of them is certain. */
export function forbidsAny(globs: EffectGlobs, effects: readonly Effect[], place: EffectPlace): Certainty {
  return strongest(effects, effect => forbidsEffect(globs, effect, place));
}
