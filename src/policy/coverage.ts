import type { Analysis, Effect, Program } from '../contract/analysis.js';
import type { SessionFacts } from '../contract/facts.js';
import type { Match } from '../contract/policy.js';
import type { CompiledRule } from './compiled-rule.js';
import type { Context } from './context.js';
import { grantsEffect, isInside, realPath, targetPath } from './effect-pattern.js';
import { effectReason } from './effect-reason.js';
import { strangePlace } from './fact-checks.js';
import { unmatchedReason } from './matched-files.js';
import { isEffectOnly, type RuleIndex } from './rule-index.js';
import { allowsProgram } from './rule-match.js';

/** Output that leads nowhere. */
const NOWHERE = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin']);

/** What allow rules say about a line: which cover what, and what nobody covers. */
export interface Coverage {
  readonly matches: readonly Match[];
  /** Per program: what no rule allows, in words. Empty: it is allowed. */
  readonly missing: readonly (readonly Gap[])[];
  /** The same for the line's own effects. */
  readonly line: readonly Gap[];
}

/** One thing that no rule allows. A grant may fill it. */
export interface Gap {
  readonly reason: string;
  /** Absent: no rule names the program at all. */
  readonly effect?: Effect;
  /** The program stands here, which is no place for programs. */
  readonly place?: { readonly name: string; readonly path: string };
}

/** `granted`: rules that allow beside those of the policies. */
export function coverage(context: Context, rules: RuleIndex, granted: readonly CompiledRule[] = []): Coverage {
  const matches: Match[] = [];
  const active = new Set<CompiledRule>();
  const missing = context.subjects.map((subject, part) => {
    const about = rules.allowing(subject.proper);
    const covering = (granted.length === 0 ? about : [...about, ...granted]).filter(compiled =>
      allowsProgram(compiled, subject, context),
    );
    for (const compiled of covering) {
      active.add(compiled);
      matches.push(allowMatch(compiled.rule, part));
    }
    return programGaps(subject.program, covering, context);
  });
  const line: Gap[] = [];
  const effects = lineEffects(context.analysis);
  if (effects.length > 0) {
    const effectOnly = [...rules.effectOnly, ...granted.filter(isEffectOnly)];
    const covering = [...active, ...effectOnly.filter(compiled => !active.has(compiled))];
    for (const effect of effects) {
      if (isPlain(effect, context) || covering.some(compiled => grants(compiled, effect, context))) continue;
      line.push({ reason: effectReason(effect, context), effect });
    }
    for (const compiled of effectOnly) {
      if (!active.has(compiled) && effects.some(effect => grants(compiled, effect, context)))
        matches.push(allowMatch(compiled.rule));
    }
  }
  return { matches, missing, line };
}

/** A line in which nothing is found still does something for the shell: it sets variables, or nothing at all. */
const VARIABLES: Effect = { kind: 'state', target: { text: 'variables' }, detail: 'only sets variables of the shell' };

const lineEffects = ({ programs, effects }: Analysis): readonly Effect[] =>
  programs.length === 0 && effects.length === 0 ? [VARIABLES] : effects;

const allowMatch = ({ id, reason, place }: CompiledRule['rule'], part?: number): Match => ({
  source: 'rule',
  decision: 'allow',
  reason: reason ?? `rule ${id} allows it`,
  rule: id,
  ...(place !== undefined && { place }),
  ...(part !== undefined && { part }),
});

function programGaps(program: Program, covering: readonly CompiledRule[], context: Context): Gap[] {
  const gaps: Gap[] = [];
  const isWrapper = program.specified && program.tags.includes('wrapper');
  if (covering.length === 0 && !isWrapper) gaps.push({ reason: `no rule covers ${nameOf(program)}` });
  for (const effect of program.effects) {
    if (isPlain(effect, context) || covering.some(rule => grants(rule, effect, context))) continue;
    // A name in a folder that is written whole is there for what asks about names.
    if (effect.into !== undefined || isLookedUp(effect, context)) continue;
    if (isFartherAway(effect, program.effects, context)) continue;
    // The pattern has been named; its matches would only repeat it.
    if (effect.glob !== undefined && gaps.some(gap => gap.effect?.glob === effect.glob)) continue;
    gaps.push({ reason: effectReason(effect, context), effect });
  }
  const path = 'text' in program.name ? strangePlace(program.name.text, context) : undefined;
  if (path !== undefined && 'text' in program.name) {
    const name = program.name.text;
    gaps.push({ reason: `${name} is ${path}, which is no place for system programs`, place: { name, path } });
  }
  return gaps;
}

const grants = ({ effects }: CompiledRule, effect: Effect, { place }: Context): boolean =>
  effects !== undefined && grantsEffect(effects, effect, place);

/** Needs no grant of its own: reading inside the workspace, output that leads nowhere, code that is not there. */
function isPlain({ kind, target }: Effect, { place }: Context): boolean {
  if (kind === 'code' && target && 'text' in target) return isMissing(target.text, place.facts);
  if (kind !== 'read' && kind !== 'write') return false;
  if (!target || 'opaque' in target) return false;
  if (NOWHERE.has(target.text)) return true;
  if (kind === 'write') return false;
  const { path } = targetPath(target.text);
  const real = realPath(place.facts, path);
  return real !== undefined && isInside(path, place.workspace) && isInside(real, place.workspace);
}

/**
 * What a pattern writes is all of its matches, and each of them stands beside it as a write of its own. `*` alone is the
 * directory, whatever stands in it today.
 */
function isLookedUp({ kind, target, glob }: Effect, { place: { facts } }: Context): boolean {
  if (kind !== 'write' || glob === undefined || !target || !('text' in target) || !target.text.endsWith('/**')) return false;
  if (/^[*?/]*$/.test(glob.slice(target.text.length - '**'.length))) return false;
  const isTold = facts.known && facts.globs !== undefined && Object.hasOwn(facts.globs, glob);
  return isTold && facts.globs[glob]!.complete && unmatchedReason(glob, facts) === undefined;
}

/** Code of a file that is looked for upwards (`package.json#test`): the nearest one that is there is the one that runs. */
function isFartherAway(effect: Effect, all: readonly Effect[], { place }: Context): boolean {
  const own = scriptPlace(effect);
  return (
    own !== undefined &&
    all.some(other => {
      const nearer = scriptPlace(other);
      if (nearer === undefined || nearer.script !== own.script) return false;
      return nearer.folder.startsWith(`${own.folder}/`) && isThere(nearer.file, place.facts);
    })
  );
}

function scriptPlace({ kind, target }: Effect): { script: string; folder: string; file: string } | undefined {
  const parts = kind === 'code' && target && 'text' in target ? /^((.*)\/[^/#]+)#(.*)$/s.exec(target.text) : null;
  return parts ? { file: parts[1]!, folder: parts[2]!, script: parts[3]! } : undefined;
}

const isThere = (path: string, facts: SessionFacts): boolean =>
  facts.known && Object.hasOwn(facts.hashes, path) && facts.hashes[path]?.sha256 !== undefined;

/** Code of a file that is not there (`package.json#test`) does not run. */
function isMissing(target: string, facts: SessionFacts): boolean {
  const path = target.split('#')[0]!;
  // What a descriptor or a process holds is there, whatever a look at the file system says.
  if (/^\/(dev|proc)\//.test(path)) return false;
  return facts.known && Object.hasOwn(facts.hashes, path) && facts.hashes[path]?.problem === 'missing';
}

const nameOf = ({ name, argv }: Program): string => {
  const words = argv.slice(0, 2).map(word => ('text' in word ? word.text : '…'));
  return 'text' in name ? words.join(' ') : 'a program that cannot be known';
};
