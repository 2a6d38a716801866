import type { Program, Word } from '../contract/analysis.js';
import { expandBraces, type Glob, glob, globCouldMatch, globMatches, invalid } from './globs.js';
import { type Certainty, leastSure, strongest, surest } from './match.js';

/** One word of a command pattern. */
export type Token = { readonly kind: 'rest' } | WordToken;

/** Any of the alternatives; an empty one in braces (`{--no-pager,}`) makes the word optional. */
export interface WordToken {
  readonly kind: 'word';
  /** Alternatives that are written out, and the same in lower case. */
  readonly literals: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
  readonly globs: readonly Glob[];
  readonly optional: boolean;
  /** A text that it certainly stands for. */
  readonly example: string;
}

/** Compiled from `git {log,diff} **`. */
export interface CommandGlob {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** false: every word is written out. */
  readonly wild: boolean;
  /** The first word, when it is always there and written out: the texts that it may be. */
  readonly names?: WordToken;
}

/**
 * Word globs on the planned argv. Words are split at white space, which counts for nothing inside braces; `'…'` and `"…"` hold a word with spaces; `\` takes away a
 * character's meaning; `{a,b}` are alternatives; `*` alone is one word, inside a word any run of its characters; `**`
 * is any number of words. Errors: `POLICY_INVALID`.
 */
export function compileCommand(source: string): CommandGlob {
  const tokens = splitWords(source).map(compileWord);
  const [first] = tokens;
  if (!first) throw invalid('a command pattern needs at least the name of a program');
  const wild = tokens.some(token => token.kind === 'rest' || token.globs.length > 0);
  const isWrittenOut = first.kind === 'word' && !first.optional && first.globs.length === 0;
  return { source, tokens, wild, ...(isWrittenOut && { names: first }) };
}

function compileWord(word: string): Token {
  if (word === '**') return { kind: 'rest' };
  const expanded = expandBraces(word);
  const alternatives = expanded.filter(text => text !== '').map(glob);
  const literals = alternatives.flatMap(pieces => (pieces.length === 1 ? [pieces[0]!] : []));
  return {
    kind: 'word',
    literals: new Set(literals),
    folded: new Set(literals.map(text => text.toLowerCase())),
    globs: alternatives.filter(pieces => pieces.length > 1),
    optional: expanded.length > 1 && alternatives.length < expanded.length,
    example: alternatives[0]?.join('') || 'x',
  };
}

/** Quotes keep spaces and turn every character inside into itself. */
function splitWords(source: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let braces = 0;
  for (let i = 0; i < source.length; i++) {
    const char = source[i]!;
    if (char === '{') braces++;
    if (char === '}') braces--;
    if (/\s/.test(char)) {
      if (braces > 0) continue;
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const close = source.indexOf(char, i + 1);
      if (close === -1) throw invalid(`"${source}" opens a quote at ${i + 1} that it does not close`);
      word = (word ?? '') + source.slice(i + 1, close).replace(/[\\{},*]/g, '\\$&');
      i = close;
    } else if (char === '\\' && i + 1 < source.length) word = `${word ?? ''}\\${source[++i]}`;
    else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/**
 * A line that the pattern certainly stands for: its first alternatives, `x` for every whole-word wildcard. Used to
 * learn which act a rule is about, and for examples in suggestions.
 */
export function prototypeWords(command: CommandGlob): string[] {
  return command.tokens.map(token => (token.kind === 'rest' ? 'x' : token.example));
}

/** How an argv is compared. `allow`: only what is certain. `forbid`: what could be meant counts as `maybe`. */
export type Mode = 'allow' | 'forbid';

export interface CommandMatcher {
  readonly mode: Mode;
  /** Does the program answer to this word of the pattern? */
  readonly isNamed: (token: WordToken) => Certainty;
}

export function matchCommand(command: CommandGlob, program: Program, matcher: CommandMatcher): Certainty {
  // Without a spec nobody knows what a word in a wildcard's place would do.
  if (matcher.mode === 'allow' && command.wild && !program.specified) return 'no';
  const { tokens } = command;
  const words = program.argv;
  let sure: Certainty = 'yes';
  // Most patterns are settled by words in fixed places and a rest.
  for (let at = 0; ; at++) {
    const token = tokens[at];
    if (token === undefined) return leastSure(sure, behindTheLast(words, matcher.mode)[at]!);
    if (token.kind === 'rest' && at === tokens.length - 1) return sure;
    const word = words[at];
    if (token.kind === 'rest' || token.optional || (word && mayVanish(word)))
      return leastSure(sure, matchFrom(at, command, { words, matcher }));
    if (!word) return 'no';
    sure = leastSure(sure, at === 0 ? matcher.isNamed(token) : wordMatches(token, word, matcher.mode));
    if (sure === 'no') return sure;
  }
}

/** How surely the tokens from `from` on match the words from there on. */
function matchFrom(from: number, { tokens }: CommandGlob, { words, matcher }: Pick<Row, 'words' | 'matcher'>): Certainty {
  // below[j]: how surely the tokens behind this one match the words from j on; rows are built from the end.
  let below = behindTheLast(words, matcher.mode);
  for (let i = tokens.length - 1; i >= from; i--) {
    const row = new Array<Certainty>(words.length + 1).fill('no');
    const around = { words, row, below, matcher };
    for (let j = words.length; j >= from; j--) row[j] = cell(tokens[i]!, j, around);
    below = row;
  }
  return below[from]!;
}

/** No token is left: the words must be over, too. One that nobody knows may still turn out to be none. */
function behindTheLast(words: readonly Word[], mode: Mode): Certainty[] {
  const row = new Array<Certainty>(words.length + 1).fill('no');
  row[words.length] = 'yes';
  for (let j = words.length - 1; j >= 0 && mode === 'forbid' && mayVanish(words[j]!); j--) row[j] = 'maybe';
  return row;
}

const mayVanish = (word: Word): boolean => 'opaque' in word && word.lead === '';

interface Row {
  readonly words: readonly Word[];
  readonly row: readonly Certainty[];
  readonly below: readonly Certainty[];
  readonly matcher: CommandMatcher;
}

function cell(token: Token, j: number, { words, row, below, matcher }: Row): Certainty {
  const optional = token.kind === 'rest' || token.optional;
  let best: Certainty = optional ? below[j]! : 'no';
  const word = words[j];
  if (word === undefined) return best;
  // A word nobody knows may become none or several: it is skipped, or stands for this token and for more.
  if (mayVanish(word) && matcher.mode === 'forbid') {
    best = surest(best, leastSure('maybe', surest(below[j]!, row[j + 1]!)));
  }
  if (token.kind === 'rest') return surest(best, row[j + 1]!);
  const fits = j === 0 ? matcher.isNamed(token) : wordMatches(token, word, matcher.mode);
  return fits === 'no' ? best : surest(best, leastSure(fits, below[j + 1]!));
}

const isStar = (pieces: Glob): boolean => pieces.length === 2 && pieces[0] === '' && pieces[1] === '';

function wordMatches({ literals, globs }: WordToken, word: Word, mode: Mode): Certainty {
  if ('text' in word) return literals.has(word.text) || globs.some(pieces => globMatches(pieces, word.text)) ? 'yes' : 'no';
  if (globs.some(isStar)) return 'yes';
  // The spec has read the options of this program: where an unknown word would matter, the part is opaque and asks.
  return mode === 'allow'
    ? 'no'
    : strongest([...[...literals].map(text => [text]), ...globs], pieces => globCouldMatch(pieces, word.lead));
}
