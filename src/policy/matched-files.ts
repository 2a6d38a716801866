import type { Analysis, Effect } from '../contract/analysis.js';
import type { SessionFacts } from '../contract/facts.js';
import { baseName } from './binaries.js';

/**
 * The analysis with a read of each file that its patterns match here and now, beside the read of everything below: a
 * pattern that is allowed may still meet a file that holds secrets, or a link that leads out. It only tightens.
 */
export function withMatches(analysis: Analysis, facts: SessionFacts): Analysis {
  if (!facts.known || !analysis.query.globs?.length) return analysis;
  const { globs = {} } = facts;
  const matched = (effect: Effect): readonly Effect[] => {
    const { glob, into } = effect;
    if (glob === undefined || !Object.hasOwn(globs, glob)) return [effect];
    const named = (path: string): string => (into === undefined ? path : `${into}/${baseName(path)}`);
    return [effect, ...globs[glob]!.matches.map(path => ({ ...effect, target: { text: named(path) } }))];
  };
  return { ...analysis, programs: analysis.programs.map(each => ({ ...each, effects: each.effects.flatMap(matched) })) };
}

/** A file named like an option (`-rf`, `+x`, `@list`) is one to the program that is given the pattern `*`. */
export function dashedReason(pattern: string, facts: SessionFacts): string | undefined {
  if (!facts.known) return undefined;
  const fact = facts.globs && Object.hasOwn(facts.globs, pattern) ? facts.globs[pattern] : undefined;
  if (!fact) return `what ${pattern} matches was not told, and one of them could be an option`;
  const folder = fixedPart(pattern);
  const option = fact.matches.find(path => /^[-+@]/.test(path.slice(folder.length)));
  return option === undefined ? undefined : `${option} is named like an option, and ${pattern} gives it as one`;
}

/** A file named `a b` is two words, and one named `a*` a pattern, where what `*` has matched stands unquoted. */
export function cutReason(pattern: string, facts: SessionFacts): string | undefined {
  if (!facts.known) return undefined;
  const fact = facts.globs && Object.hasOwn(facts.globs, pattern) ? facts.globs[pattern] : undefined;
  if (!fact) return `what ${pattern} matches was not told, and one of them could be several words`;
  const folder = fixedPart(pattern);
  const cut = fact.matches.find(path => path !== pattern && /[\s*?[\\]/.test(path.slice(folder.length)));
  return cut === undefined ? undefined : `${cut} becomes other words where it stands unquoted`;
}

const fixedPart = (pattern: string): string => pattern.slice(0, pattern.lastIndexOf('/', pattern.search(/[*?[]/)) + 1);

/** Why the matches that were looked up may not be all of them. */
export function unmatchedReason(pattern: string, facts: SessionFacts): string | undefined {
  if (!facts.known) return undefined;
  const options = facts.variables['BASHOPTS']?.split(':') ?? [];
  const wider = options.find(
    option => option === 'dotglob' || option === 'nocaseglob' || (option === 'globstar' && pattern.includes('**')),
  );
  if (wider !== undefined) return `${pattern} matches more than usual in this session (${wider})`;
  const fact = facts.globs && Object.hasOwn(facts.globs, pattern) ? facts.globs[pattern] : undefined;
  return fact?.complete === false ? `${pattern} matches more files than could be looked at` : undefined;
}
