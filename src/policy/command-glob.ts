import type { Program, Word } from '../contract/analysis.js';
import { expandBraces, type Glob, glob, globCouldMatch, globMatches, invalid } from './globs.js';
import { type Certainty, leastSure, surest } from './match.js';

/** One word of a command pattern. */
type Token =
  | { readonly kind: 'rest' }
  /** Any of the alternatives; an empty one in braces (`{--no-pager,}`) makes the word optional. */
  | { readonly kind: 'word'; readonly alternatives: readonly Glob[]; readonly optional: boolean };

/** Compiled from `git {log,diff} **`. */
export interface CommandGlob {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** false: every word is written out. */
  readonly wild: boolean;
  /** The texts that the first word may be; absent when it is a wildcard. */
  readonly names?: ReadonlySet<string>;
}

/**
 * Word globs on the planned argv. Words are split at white space, which counts for nothing inside braces; `'…'` and `"…"` hold a word with spaces; `\` takes away a
 * character's meaning; `{a,b}` are alternatives; `*` alone is one word, inside a word any run of its characters; `**`
 * is any number of words. Errors: `POLICY_INVALID`.
 */
export function compileCommand(source: string): CommandGlob {
  const tokens = splitWords(source).map((word): Token => {
    if (word === '**') return { kind: 'rest' };
    const expanded = expandBraces(word);
    const alternatives = expanded.filter(text => text !== '').map(glob);
    return { kind: 'word', alternatives, optional: expanded.length > 1 && alternatives.length < expanded.length };
  });
  if (tokens.length === 0) throw invalid('a command pattern needs at least the name of a program');
  const wild = tokens.some(token => token.kind === 'rest' || token.alternatives.some(pieces => pieces.length > 1));
  const names = literalNames(tokens[0]!);
  return { source, tokens, wild, ...(names && { names }) };
}

function literalNames(first: Token): ReadonlySet<string> | undefined {
  if (first.kind === 'rest' || first.optional || first.alternatives.some(pieces => pieces.length > 1)) return undefined;
  return new Set(first.alternatives.map(pieces => pieces[0]!));
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
  return command.tokens.map(token => {
    if (token.kind === 'rest') return 'x';
    const text = token.alternatives[0]?.join('') ?? '';
    return text === '' ? 'x' : text;
  });
}

/** How an argv is compared. `allow`: only what is certain. `forbid`: what could be meant counts as `maybe`. */
export type Mode = 'allow' | 'forbid';

export interface CommandMatcher {
  readonly mode: Mode;
  /** Does the program answer to this name? */
  readonly isNamed: (name: Glob) => Certainty;
  /** The same for a pattern whose names are all written out: `no` settles it. */
  readonly isAnyOf: (names: ReadonlySet<string>) => Certainty;
}

export function matchCommand(command: CommandGlob, program: Program, matcher: CommandMatcher): Certainty {
  // Without a spec nobody knows what a word in a wildcard's place would do.
  if (matcher.mode === 'allow' && command.wild && !program.specified) return 'no';
  if (command.names && matcher.isAnyOf(command.names) === 'no') return 'no';
  const { tokens } = command;
  const words = program.argv;
  // best[j]: how surely the tokens from i on match the words from j on; rows are built from the end.
  let below = behindTheLast(words, matcher.mode);
  for (let i = tokens.length - 1; i >= 0; i--) {
    const row = new Array<Certainty>(words.length + 1).fill('no');
    for (let j = words.length; j >= 0; j--) row[j] = cell(tokens[i]!, j, { words, row, below, matcher });
    below = row;
  }
  return below[0]!;
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
  for (const pieces of token.alternatives) {
    const fits = j === 0 ? matcher.isNamed(pieces) : wordMatches(pieces, word, matcher.mode);
    if (fits !== 'no') best = surest(best, leastSure(fits, below[j + 1]!));
    if (best === 'yes') break;
  }
  return best;
}

const isStar = (pieces: Glob): boolean => pieces.length === 2 && pieces[0] === '' && pieces[1] === '';

export function wordMatches(pieces: Glob, word: Word, mode: Mode): Certainty {
  if ('text' in word) return globMatches(pieces, word.text) ? 'yes' : 'no';
  // The spec has read the options of this program: where an unknown word would matter, the part is opaque and asks.
  if (mode === 'allow') return isStar(pieces) ? 'yes' : 'no';
  return isStar(pieces) ? 'yes' : globCouldMatch(pieces, word.lead);
}
