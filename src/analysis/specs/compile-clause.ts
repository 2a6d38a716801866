import type { EffectKind } from '../../contract/analysis.js';
import { SpecError } from './spec-error.js';
import type { Action, Clause, Condition, Test } from './table.js';

const EFFECT_KINDS = new Set<string>(['code', 'state', 'config', 'environment', 'process', 'privilege', 'disclosure', 'exec']);
const HARMLESS: Action = { does: 'harmless' };

/** `write if -c -r, else read; tag delete` → clauses. Clauses are apart by `;`. */
export function compileClauses(text: string, place: string): Clause[] {
  return splitOutsideQuotes(text, ';')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => compileClause(part, place));
}

/** One action on its own, without a condition. */
export function compileAction(text: string, place: string): Action {
  const words = tokens(text);
  const [verb, ...rest] = words;
  switch (verb) {
    case undefined:
      throw new SpecError(place, 'an effect is missing');
    case 'harmless':
    case 'text':
    case 'pattern':
      return nothingElse(rest, HARMLESS, place);
    case 'language':
      return nothingElse(rest, { does: 'language' }, place);
    case 'read':
    case 'write':
      return pathAction(verb, rest, place);
    case 'network':
      return rest[0] === undefined ? { does: 'network' } : { does: 'network', host: unquote(rest[0]) };
    case 'data':
      return nothingElse(rest, { does: 'data' }, place);
    case 'script':
    case 'words':
    case 'program':
      return nothingElse(rest, { does: 'exec', as: verb }, place);
    case 'fed':
    case 'elsewhere': {
      const as = required(rest[0], place);
      if (as !== 'script' && as !== 'words' && as !== 'program') throw new SpecError(place, `"${verb} ${as}" is not understood`);
      return nothingElse(rest.slice(1), { does: 'exec', as, how: verb }, place);
    }
    case 'ask':
      return { does: 'ask', text: quoted(rest, place) };
    case 'tag':
      return nothingElse(rest.slice(1), { does: 'tag', tag: required(rest[0], place) }, place);
    case 'cwd':
      return { does: 'cwd', also: rest[0] === 'also' };
    case 'hash':
      if (rest.length > 1 && rest[1] !== 'up') throw new SpecError(place, `"${rest[1]}" is not understood`);
      return { does: 'hash', path: required(rest[0], place), up: rest[1] === 'up' };
    default:
      return effectAction(verb, rest, place);
  }
}

function effectAction(verb: string, rest: readonly string[], place: string): Action {
  if (!EFFECT_KINDS.has(verb)) throw new SpecError(place, `"${verb}" is not an effect`);
  const kind = verb as EffectKind;
  const at = rest.indexOf('on');
  const detail = quoted(at < 0 ? rest : rest.slice(0, at), place);
  return at < 0
    ? { does: 'effect', kind, detail }
    : { does: 'effect', kind, detail, target: unquote(required(rest[at + 1], place)) };
}

function pathAction(does: 'read' | 'write', rest: readonly string[], place: string): Action {
  const tree = rest[0] === 'tree';
  const path = tree ? rest[1] : rest[0];
  if (rest.length > (tree ? 2 : 1)) throw new SpecError(place, `too many words after "${does}"`);
  return path === undefined ? { does, tree } : { does, tree, path: unquote(path) };
}

function compileClause(text: string, place: string): Clause {
  const words = tokens(text);
  const at = words.findIndex(word => word === 'if' || word === 'unless');
  if (at < 0) return { action: compileAction(text, place), when: [] };
  const comma = words.findIndex((word, index) => index > at && word.endsWith(','));
  if (comma >= 0 && words[comma + 1] !== 'else') throw new SpecError(place, 'a comma is only for ", else"');
  const condition = words.slice(at + 1, comma < 0 ? undefined : comma + 1).map(word => word.replace(/,$/, ''));
  const action = compileAction(words.slice(0, at).join(' '), place);
  const when = compileConditions(condition, { negated: words[at] === 'unless', place });
  return comma < 0 ? { action, when } : { action, when, otherwise: compileAction(words.slice(comma + 2).join(' '), place) };
}

function compileConditions(words: readonly string[], context: { negated: boolean; place: string }): Condition[] {
  const conditions: Condition[] = [];
  let tests: Test[] = [];
  let negated = context.negated;
  const flush = (): void => {
    if (tests.length === 0) throw new SpecError(context.place, 'a condition is empty');
    conditions.push({ any: tests, negated });
    tests = [];
    negated = false;
  };
  for (const word of words) {
    if (word === 'and') flush();
    else if (word === 'not' && tests.length === 0) negated = true;
    else tests.push(compileTest(word));
  }
  flush();
  return conditions;
}

function compileTest(word: string): Test {
  const operands = /^operands([>=])(\d+)$/.exec(word);
  if (operands) return { operands: operands[1] as '>' | '=', count: Number(operands[2]) };
  if (word === 'operands') return { operands: '>', count: 0 };
  if (word.startsWith('-') || word.startsWith('+')) return { option: word };
  return { value: unquote(word) };
}

/** Words, a quoted string being one word that keeps its quotes. */
export function tokens(text: string): string[] {
  return text.match(/"[^"]*",?|\S+/g) ?? [];
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [''];
  let inside = false;
  for (const char of text) {
    if (char === '"') inside = !inside;
    if (char === separator && !inside) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

const unquote = (word: string): string => word.replace(/^"(.*)"$/s, '$1');

function quoted(words: readonly string[], place: string): string {
  const [word] = words;
  if (words.length !== 1 || word === undefined || !/^".*"$/.test(word))
    throw new SpecError(place, 'a sentence in double quotes is expected');
  return unquote(word);
}

function required(word: string | undefined, place: string): string {
  if (word === undefined) throw new SpecError(place, 'a word is missing');
  return word;
}

function nothingElse(rest: readonly string[], action: Action, place: string): Action {
  if (rest.length > 0) throw new SpecError(place, `"${rest.join(' ')}" is not understood`);
  return action;
}
