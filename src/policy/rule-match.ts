import type { Analysis, Program, Word } from '../contract/analysis.js';
import { baseName, isTrustedBinary } from './binaries.js';
import { type CommandGlob, type CommandMatcher, matchCommand } from './command-glob.js';
import type { CompiledRule } from './compiled-rule.js';
import type { Context } from './context.js';
import { forbidsAny, grantsEffect } from './effect-pattern.js';
import { withoutGlobalOptions } from './global-options.js';
import { type Glob, globCouldMatch, globMatches } from './globs.js';
import { type Certainty, leastSure, surest } from './match.js';

/** What a deny or ask rule says about the line itself, worked out once for all programs of the line. */
export interface LineMatch {
  /** By what the line redirects or sets. */
  readonly effects: Certainty;
  readonly text: boolean;
}

export function matchLine({ rule, text, effects }: CompiledRule, context: Context): LineMatch {
  const { request, analysis, place } = context;
  const texts = rule.decision === 'deny' ? [request.text, ...nestedTexts(analysis)] : [request.text];
  return {
    effects: effects ? forbidsAny(effects, analysis.effects, place) : 'no',
    text: text !== undefined && texts.some(candidate => text.matcher(candidate).find()),
  };
}

/** Does a deny or ask rule speak of this program? Its own effects count, and what the line redirects. */
export function forbidsProgram(
  compiled: CompiledRule,
  program: Program,
  { context, line }: { readonly context: Context; readonly line: LineMatch },
): Certainty {
  const { rule, command, text, effects } = compiled;
  if ((!command && !rule.tags && !effects) || (text && !line.text)) return 'no';
  let sure: Certainty = command ? commandForbids(compiled, program, context) : 'yes';
  if (sure !== 'no' && rule.tags && !rule.tags.every(tag => program.tags.includes(tag))) sure = 'no';
  if (sure === 'no' || !effects) return sure;
  const own = forbidsAny(effects, program.effects, context.place);
  return leastSure(sure, command || rule.tags ? surest(own, line.effects) : own);
}

/** Does a deny or ask rule speak of the line as a whole: its text, or what it does itself? */
export function forbidsLine({ rule, command, text, effects }: CompiledRule, line: LineMatch): Certainty {
  if (command || rule.tags || (text && !line.text)) return 'no';
  return effects ? line.effects : text ? 'yes' : 'no';
}

const joined = new WeakMap<Analysis, readonly string[]>();

/** Each program as its words, joined: what a wrapper, quotes or a nested script hide from an expression on the line. */
function nestedTexts(analysis: Analysis): readonly string[] {
  const known = joined.get(analysis);
  if (known) return known;
  const texts = analysis.programs.map(({ argv }) => argv.map(word => ('text' in word ? word.text : word.lead)).join(' '));
  joined.set(analysis, texts);
  return texts;
}

function commandForbids({ acts, command }: CompiledRule, program: Program, context: Context): Certainty {
  const name = 'text' in program.name ? baseName(program.name.text) : undefined;
  if (acts.some(act => act.name === name && act.tags.every(tag => program.tags.includes(tag)))) return 'yes';
  const isNamed = (pieces: Glob) => couldBeNamed(pieces, program, context);
  const isAnyOf = (names: ReadonlySet<string>) => {
    let sure: Certainty = 'no';
    for (const one of names) {
      sure = surest(sure, isNamed([one]));
      if (sure === 'yes') break;
    }
    return sure;
  };
  return matchProgram(command!, program, { mode: 'forbid', isNamed, isAnyOf });
}

/** As it stands, or without what stands between the program and its sub-command. */
function matchProgram(command: CommandGlob, program: Program, matcher: CommandMatcher): Certainty {
  const sure = matchCommand(command, program, matcher);
  const argv = sure === 'yes' ? undefined : withoutGlobalOptions(program, matcher.mode);
  return argv ? surest(sure, matchCommand(command, { ...program, argv }, matcher)) : sure;
}

/** A deny means the program however it is reached: by path, by another letter case, by what the name resolves to. */
function couldBeNamed(pieces: Glob, program: Program, { facts }: Context): Certainty {
  const asPath = pieces.some(piece => piece.includes('/'));
  const folded = pieces.map(piece => piece.toLowerCase());
  const short = (path: string) => (asPath ? path : baseName(path)).toLowerCase();
  const { name } = program;
  if ('opaque' in name) return globCouldMatch(folded, short(name.lead));
  const candidates = [name.text];
  if (facts.known) {
    const fact = Object.hasOwn(facts.names, name.text) ? facts.names[name.text] : undefined;
    if (fact?.path !== undefined) candidates.push(fact.path);
    const real = facts.paths[fact?.path ?? name.text]?.real;
    if (real !== undefined) candidates.push(real);
  }
  for (const { kind, target } of program.effects) {
    if (kind === 'exec' && target && 'text' in target && baseName(target.text) === baseName(name.text))
      candidates.push(target.text);
  }
  return candidates.some(candidate => globMatches(folded, short(candidate))) ? 'yes' : 'no';
}

/**
 * Does an allow rule cover this program? Its command must match with certainty; a rule of effects alone covers a
 * program with a spec when it grants one of its effects. What is left ungranted is for the caller to see.
 */
export function allowsProgram(compiled: CompiledRule, program: Program, context: Context): boolean {
  const { rule, command, text, effects } = compiled;
  if (command && allowsCommand(command, program, context) !== 'yes') return false;
  if (rule.tags && !(program.specified && rule.tags.every(tag => program.tags.includes(tag)))) return false;
  if (
    text &&
    !(program.specified && context.analysis.programs.length === 1 && text.matcher(context.request.text.trim()).find())
  ) {
    return false;
  }
  if (command || rule.tags || text) return true;
  return (
    program.specified && effects !== undefined && program.effects.some(effect => grantsEffect(effects, effect, context.place))
  );
}

function allowsCommand(command: CommandGlob, program: Program, context: Context): Certainty {
  const names = properNames(program.name, context);
  return matchProgram(command, program, {
    mode: 'allow',
    isNamed: pieces => (pieces.length === 1 && names.includes(pieces[0]!) ? 'yes' : 'no'),
    isAnyOf: wanted => (names.some(name => wanted.has(name)) ? 'yes' : 'no'),
  });
}

/** An allow means the program of that name in its proper place; a path must be written out in the rule. */
function properNames(name: Word, { binaries }: Context): readonly string[] {
  if ('opaque' in name) return [];
  return isTrustedBinary(name.text, binaries) ? [name.text, baseName(name.text)] : [name.text];
}
