import type { RE2JS } from 're2js';
import type { Analysis, Program, Word } from '../contract/analysis.js';
import { baseName } from './binaries.js';
import { type CommandGlob, type CommandMatcher, matchCommand, type WordToken } from './command-glob.js';
import type { CompiledRule } from './compiled-rule.js';
import type { Context } from './context.js';
import { forbidsAny, grantsEffect } from './effect-pattern.js';
import { withoutGlobalOptions } from './global-options.js';
import { type Glob, globCouldMatch, globMatches } from './globs.js';
import { type Certainty, leastSure, strongest, surest } from './match.js';
import { packageProgram } from './package-programs.js';
import type { Subject } from './subject.js';
import { optionNames, otherSpellings } from './synonyms.js';

/** What a deny or ask rule says about the line itself, worked out once for all programs of the line. */
export interface LineMatch {
  /** By what the line redirects or sets. */
  readonly effects: Certainty;
  readonly text: Certainty;
}

const NOTHING: LineMatch = { effects: 'no', text: 'no' };

/** Characters that one expression is held against, of the line and of all that is nested in it. What lies beyond could match. */
const MOST_TEXT = 64 * 1024;

export function matchLine({ rule, text, effects }: CompiledRule, context: Context): LineMatch {
  const { request, analysis, place } = context;
  if (!text && (!effects || analysis.effects.length === 0)) return NOTHING;
  const texts = rule.decision === 'deny' ? [request.text, ...nestedTexts(analysis)] : [request.text];
  return {
    effects: effects ? forbidsAny(effects, analysis.effects, place) : 'no',
    text: text ? isFoundIn(texts, text) : 'no',
  };
}

function isFoundIn(texts: readonly string[], expression: RE2JS): Certainty {
  let left = MOST_TEXT;
  for (const text of texts) {
    if (left <= 0) return 'maybe';
    if (expression.matcher(text.slice(0, left)).find()) return 'yes';
    left -= text.length;
  }
  return left < 0 ? 'maybe' : 'no';
}

const isWhollyFound = (text: string, expression: RE2JS): boolean => text.length <= MOST_TEXT && expression.matcher(text).find();

/** Does a deny or ask rule speak of this program? Its own effects count, and what the line redirects. */
export function forbidsProgram(
  compiled: CompiledRule,
  subject: Subject,
  { context, line }: { readonly context: Context; readonly line: LineMatch },
): Certainty {
  const { rule, command, text, effects } = compiled;
  const { program } = subject;
  if ((!command && !rule.tags && !effects) || (text && line.text === 'no')) return 'no';
  if (rule.tags && !rule.tags.every(tag => program.tags.includes(tag))) return 'no';
  const sure = leastSure(command ? commandForbids(compiled, subject) : 'yes', text ? line.text : 'yes');
  if (sure === 'no' || !effects) return sure;
  const own = forbidsAny(effects, program.effects, context.place);
  return leastSure(sure, command || rule.tags ? surest(own, line.effects) : own);
}

/** Does a deny or ask rule speak of the line as a whole: its text, or what it does itself? */
export function forbidsLine({ rule, command, text, effects }: CompiledRule, line: LineMatch): Certainty {
  if (command || rule.tags) return 'no';
  if (!effects) return line.text;
  return text ? leastSure(line.effects, line.text) : line.effects;
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

function commandForbids({ acts, command }: CompiledRule, subject: Subject): Certainty {
  const { program } = subject;
  if (acts.length > 0) {
    const name = nameOf(program);
    if (acts.some(act => act.name === name && act.tags.every(tag => program.tags.includes(tag)))) return 'yes';
  }
  const own = commandNames(command!, subject);
  const started = own === 'yes' ? undefined : startedBy(program);
  return started ? surest(own, commandNames(command!, started)) : own;
}

function commandNames(command: CommandGlob, subject: Subject): Certainty {
  if (command.names && couldBeNamed(command.names, subject) === 'no') return 'no';
  return matchProgram(command, subject.program, { mode: 'forbid', isNamed: token => couldBeNamed(token, subject) });
}

/** `yarn run NAME` as the program of that name. */
function startedBy(program: Program): Subject | undefined {
  const argv = packageProgram(nameOf(program), withoutGlobalOptions(program, 'forbid') ?? program.argv);
  const name = argv?.[0];
  if (!argv || !name || !('text' in name)) return undefined;
  return {
    program: { ...program, name, argv },
    proper: [],
    reached: [name.text.toLowerCase(), baseName(name.text).toLowerCase()],
  };
}

/** As it stands, or without what stands between the program and its sub-command. */
function matchProgram(command: CommandGlob, program: Program, matcher: CommandMatcher): Certainty {
  const sure = matchCommand(command, program, matcher);
  if (sure === 'yes') return sure;
  const bare = withoutGlobalOptions(program, matcher.mode);
  const others = matcher.mode === 'forbid' ? otherSpellings(nameOf(program), bare ?? program.argv) : [];
  const all = bare ? [bare, ...others] : others;
  const moved = matcher.mode === 'forbid' ? [program.argv, ...all].flatMap(argv => optionsMoved(command, argv)) : [];
  return [...all, ...moved].reduce<Certainty>(
    (surer, argv) => surest(surer, matchCommand(command, { ...program, argv }, matcher)),
    sure,
  );
}

const MOST_WORDS = 64;

/** A pattern's option may stand anywhere among the words, alone or in a cluster: `npm install x -g` for `npm install -g **`. */
function optionsMoved({ tokens }: CommandGlob, argv: readonly Word[]): readonly (readonly Word[])[] {
  const at = tokens.findIndex(token => token.kind === 'word' && token.example.startsWith('-'));
  const before = tokens.slice(0, at);
  if (at < 1 || argv.length > MOST_WORDS || before.some(token => token.kind === 'rest' || token.optional)) return [];
  const [program] = argv;
  const name = program && 'text' in program ? baseName(program.text) : '';
  const found: (readonly Word[])[] = [];
  for (const [index, word] of argv.entries()) {
    if (index < at || !('text' in word) || !word.text.startsWith('-')) continue;
    if (word.text === '--') break;
    const value = argv.slice(index + 1, index + 2);
    for (const text of optionNames(name, word.text)) {
      const rest = [...argv.slice(at, index), ...argv.slice(index + 1)];
      found.push([...argv.slice(0, at), { text }, ...rest]);
      if (index > at) found.push([...argv.slice(0, at), { text }, ...value, ...argv.slice(at, index), ...argv.slice(index + 2)]);
    }
  }
  return found;
}

const nameOf = ({ name }: Program): string => ('text' in name ? baseName(name.text) : '');

function couldBeNamed({ folded, globs }: WordToken, { program: { name }, reached }: Subject): Certainty {
  if ('text' in name) {
    if (reached.some(one => folded.has(one))) return 'yes';
    return globs.some(pieces => reached.some(one => globMatchesName(pieces, one))) ? 'yes' : 'no';
  }
  const lead = name.lead.toLowerCase();
  const names = [...[...folded].map(text => [text]), ...globs.map(fold)];
  return strongest(names, pieces => globCouldMatch(pieces, isPath(pieces) ? lead : baseName(lead)));
}

/** A pattern without a slash is about the last name of a path. */
const globMatchesName = (pieces: Glob, name: string): boolean =>
  (isPath(pieces) || !name.includes('/')) && globMatches(fold(pieces), name);

const isPath = (pieces: Glob): boolean => pieces.some(piece => piece.includes('/'));
const fold = (pieces: Glob): Glob => pieces.map(piece => piece.toLowerCase());

/**
 * Does an allow rule cover this program? Its command must match with certainty; a rule of effects alone covers a
 * program with a spec when it grants one of its effects. What is left ungranted is for the caller to see.
 */
export function allowsProgram(compiled: CompiledRule, { program, proper }: Subject, context: Context): boolean {
  const { rule, command, text, effects } = compiled;
  if (command && allowsCommand(command, program, proper) !== 'yes') return false;
  if (rule.tags && !(program.specified && rule.tags.every(tag => program.tags.includes(tag)))) return false;
  if (
    text &&
    !(program.specified && context.analysis.programs.length === 1 && isWhollyFound(context.request.text.trim(), text))
  ) {
    return false;
  }
  if (command || rule.tags || text) return true;
  return (
    program.specified && effects !== undefined && program.effects.some(effect => grantsEffect(effects, effect, context.place))
  );
}

function allowsCommand(command: CommandGlob, program: Program, proper: readonly string[]): Certainty {
  const isNamed = ({ literals }: WordToken) => (proper.some(name => literals.has(name)) ? 'yes' : 'no');
  return matchProgram(command, program, { mode: 'allow', isNamed });
}
