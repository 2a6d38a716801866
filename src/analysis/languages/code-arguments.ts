import type { Token } from './code-lexer.js';
import type { CodeLanguage } from './code-tables.js';

/** One argument of a call, as far as the text fixes it. */
export interface Argument {
  readonly text?: string;
  /** What it begins with, where that is all that is fixed. */
  readonly lead?: string;
  /** Of a list: its elements, undefined where they are not fixed. */
  readonly list?: readonly (string | undefined)[];
  /** `{…}`: options of a call, or an environment. */
  readonly object?: true;
}

/** An argument as words of an argv. */
export const listIn = ({ text, list }: Argument): readonly (string | undefined)[] => list ?? [text];

/** Longer than any call that a person writes; each of a hundred calls may be read so far. */
const MOST_TOKENS = 300;
/** Brackets inside of brackets of one argument. */
const MOST_NESTED = 5;
const OPEN = /^[([{]$/;
const CLOSE = /^[)\]}]$/;
/** Words that end arguments without parentheses, or mean that the name before them was no call. */
const ENDS = /^(?:if|unless|or|and|do|for|foreach|while|then|end|as|from|import|in|is|not|when|until)$/;
/** Functions whose result holds the text of their argument. */
const PASSING = /^(?:split|encode|str|String|Path|quote|shellsplit|parse|expanduser|resolve|join|format|f|c|array|list|tuple)$/;

/** The arguments of the call whose name stands at `at`; undefined: it is not called there. */
export function argumentsIn(tokens: readonly Token[], at: number, language: CodeLanguage): readonly Argument[] | undefined {
  const next = tokens[at + 1];
  if (language.lisp) return isOpening(tokens[at - 1], '(') ? lispArguments(tokens, at + 1) : undefined;
  if (isOpening(next, '(')) return cut(between(tokens, at + 1));
  if (!language.bare || next === undefined) return undefined;
  // `system { "evil" } "x"` of Perl names the program in a block.
  if (isOpening(next, '{')) return cut(between(tokens, at + 1));
  if (next.kind === 'string' || next.kind === 'words' || isOpening(next, '[') || (next.kind === 'name' && !ENDS.test(next.text)))
    return cut(line(tokens, at + 1));
  return undefined;
}

const isOpening = (token: Token | undefined, text: string): boolean => token?.kind === 'mark' && token.text === text;

/** The tokens inside of the bracket at `at`. */
function between(tokens: readonly Token[], at: number): readonly Token[] {
  let depth = 0;
  for (let index = at; index < Math.min(tokens.length, at + MOST_TOKENS); index += 1) {
    const token = tokens[index]!;
    if (token.kind !== 'mark') continue;
    if (OPEN.test(token.text)) depth += 1;
    if (CLOSE.test(token.text)) depth -= 1;
    if (depth === 0) return tokens.slice(at + 1, index);
  }
  return tokens.slice(at + 1, at + MOST_TOKENS);
}

/** The tokens up to the end of the statement. */
function line(tokens: readonly Token[], at: number): readonly Token[] {
  let depth = 0;
  let index = at;
  for (; index < Math.min(tokens.length, at + MOST_TOKENS); index += 1) {
    const token = tokens[index]!;
    if (token.kind === 'name' && ENDS.test(token.text)) break;
    if (token.kind !== 'mark') continue;
    if (OPEN.test(token.text)) depth += 1;
    if (CLOSE.test(token.text)) depth -= 1;
    if (depth < 0 || /[;\n]/.test(token.text)) break;
  }
  return tokens.slice(at, index);
}

function lispArguments(tokens: readonly Token[], at: number): readonly Argument[] {
  return line(tokens, at).flatMap(token => (token.kind === 'string' && token.text !== undefined ? [{ text: token.text }] : []));
}

/** Arguments apart by commas. */
function cut(tokens: readonly Token[], depth = 0): readonly Argument[] {
  return depth > MOST_NESTED ? [] : pieces(tokens).map(piece => argument(piece, depth));
}

function pieces(tokens: readonly Token[]): (readonly Token[])[] {
  const found: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === 'mark' && OPEN.test(token.text)) depth += 1;
    if (token.kind === 'mark' && CLOSE.test(token.text)) depth -= 1;
    if (depth === 0 && token.kind === 'mark' && token.text === ',') found.push([]);
    else if (!(token.kind === 'mark' && token.text === '\n')) found.at(-1)!.push(token);
  }
  return found.filter(piece => piece.length > 0);
}

function argument(given: readonly Token[], depth: number): Argument {
  const tokens = withoutKeyword(given);
  const [first, second] = tokens;
  if (first?.kind === 'words') return { list: first.words };
  // A command between backticks is found as one.
  if (first?.kind === 'run') return {};
  if (first?.kind === 'mark' && OPEN.test(first.text)) return bracketed(tokens, depth);
  if (first?.kind === 'name') {
    const at = tokens.findIndex(token => isOpening(token, '('));
    const name = at > 0 ? tokens[at - 1] : undefined;
    // `shlex.split("evil a")`, `c("a", "b")`.
    if (name?.kind === 'name' && PASSING.test(name.text)) {
      const inside = cut(between(tokens, at), depth + 1);
      return inside.length === 1 ? inside[0]! : { list: inside.map(one => one.text) };
    }
    return second?.kind === 'string' && tokens.length === 2 && second.text !== undefined ? { text: second.text } : {};
  }
  return fixedText(tokens);
}

/** `args=[…]`, `cmd: […]`. */
function withoutKeyword(tokens: readonly Token[]): readonly Token[] {
  const [name, mark] = tokens;
  return name?.kind === 'name' && mark?.kind === 'mark' && /^[=:]$/.test(mark.text) ? tokens.slice(2) : tokens;
}

/** A list, a tuple, parentheses around one thing, or an object that holds a list. */
function bracketed(tokens: readonly Token[], depth: number): Argument {
  const inside = cut(between(tokens, 0), depth + 1);
  const [first] = tokens;
  if (first?.kind === 'mark' && first.text === '{') return { ...(inside.find(one => one.list) ?? inside[0]), object: true };
  const isOne =
    first?.kind === 'mark' && first.text === '(' && !tokens.some(token => token.kind === 'mark' && token.text === ',');
  return isOne ? (inside[0] ?? {}) : { list: inside.flatMap(one => (one.list ? [...one.list] : [one.text])) };
}

/** Strings one after the other, or joined by an operator; where something else follows, what they begin with. */
function fixedText(tokens: readonly Token[]): Argument {
  let text = '';
  for (const token of tokens) {
    if (token.kind === 'string' && token.text !== undefined) text += token.text;
    else if (token.kind === 'string') return { lead: text + (token.lead ?? '') };
    else if (token.kind === 'mark' && token.text === '[') return { text };
    else if (!(token.kind === 'mark' && /^[+.~<>&]$/.test(token.text))) {
      // `"evil".split()` is the text of what stands in front, `" ".join([…])` is its list.
      if (token.kind !== 'name' || !PASSING.test(token.text)) return text === '' ? {} : { lead: text };
      const at = tokens.indexOf(token);
      return token.text === 'join' ? (cut(between(tokens, at + 1), MOST_NESTED - 2)[0] ?? {}) : { text };
    }
  }
  return tokens.length > 0 ? { text } : {};
}
