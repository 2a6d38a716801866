import { posix } from 'node:path';
import type { Word } from '../contract/analysis.js';
import { visitArithmetic } from './arithmetic.js';
import { expandBraces } from './braces.js';
import { type Chunk, doubleQuotedText, FieldBuilder, opaque, plain, quoted, unquotedText, valueChunk } from './chunks.js';
import { type Flow, separate } from './flow.js';
import { expandParameter, lookup, specialParameter } from './parameters.js';
import type { WordNode, WordPart } from './parse.js';
import { substitutionValue } from './substitution.js';
import { isKnown, known, unknown } from './word.js';

/** Nothing in it that bash would expand, split, unquote or match. */
const ORDINARY = /^[^\\{~*?[\]]*$/;

type How = 'quoted' | 'unquoted';

/** One part of a word as chunks; substitutions in it are walked as commands. */
function partChunks(part: WordPart, flow: Flow, how: How): readonly Chunk[] {
  switch (part.type) {
    case 'Literal':
      return how === 'quoted' ? [quoted(doubleQuotedText(part.text, 'quotes'))] : unquotedText(part.text);
    case 'SingleQuoted':
      return [quoted(part.value)];
    case 'AnsiCQuoted':
      return [ansiC(part.value, part.text)];
    case 'DoubleQuoted':
    case 'LocaleString': {
      const inside = part.parts.flatMap(child => partChunks(child, flow, 'quoted'));
      // Quotes make a field even of nothing, except of `"$@"` without parameters.
      return inside.some(({ kind }) => kind === 'nothing') ? inside : [quoted(''), ...inside];
    }
    case 'SimpleExpansion':
      return simpleExpansion(part.text.slice(1), flow, how);
    case 'ParameterExpansion':
      return expandParameter(part, flow, how);
    case 'CommandExpansion': {
      const value = part.script ? substitutionValue(part.script, flow) : unknown('unparsed');
      return [valueChunk(value, how)];
    }
    case 'ArithmeticExpansion':
      return [valueChunk(part.expression ? visitArithmetic(part.expression, flow) : unknown('number'), how)];
    case 'ProcessSubstitution':
      // `>(sh)` is fed by whoever writes to it.
      if (part.script)
        flow.walkScript(
          part.script,
          separate(flow, { beside: true, stdin: part.operator === '>' ? { kind: 'pipe' } : flow.stdin }),
        );
      return [opaque('process-substitution', 'quoted', '/dev/fd/')];
    case 'Glob':
      if (part.parts) visitParts(part.parts, flow);
      return [plain(part.text)];
    case 'ExtendedGlob':
      if (part.parts) visitParts(part.parts, flow);
      return [opaque('glob', 'unquoted')];
    case 'BraceExpansion':
      if (!part.parts) return unquotedText(part.text);
      return [plain('{'), ...part.parts.flatMap(child => partChunks(child, flow, how)), plain('}')];
  }
}

/** bash ends such a string at a NUL, and what an escape beyond ASCII gives depends on the locale. */
function ansiC(value: string, text: string): Chunk {
  const uncertain =
    value.includes('\0') || /\\(c|\n|[4-7][0-7]{2}|x\{)/.test(text) || (/[^\x01-\x7f]/.test(value) && /\\[xuU0-7]/.test(text));
  return uncertain ? opaque('unparsed', 'quoted') : quoted(value);
}

/** For what an expansion does, not for its value. */
export function visitParts(parts: readonly WordPart[], flow: Flow): void {
  for (const part of parts) partChunks(part, flow, 'unquoted');
}

function simpleExpansion(name: string, flow: Flow, how: How): readonly Chunk[] {
  if (name === '@' || name === '*') return positional(name, flow, how);
  const special = specialParameter(name, flow);
  return [special ? valueChunk(special, how) : { ...valueChunk(lookup(name, flow), how), ...(how === 'unquoted' && BARE) }];
}

const BARE = { bare: true } as const;

function positional(name: '@' | '*', flow: Flow, how: How): readonly Chunk[] {
  const words = flow.state.positional;
  if (!words) return [opaque('positional', 'unquoted')];
  if (words.length === 0) return how === 'quoted' && name === '*' ? [quoted('')] : [{ kind: 'nothing' }];
  if (name === '*' && flow.state.splitting === 'unknown') return [opaque('positional', how)];
  const joined = how === 'quoted' && name === '*' && words.length > 1;
  if (joined) lookup('IFS', flow);
  const separator: Chunk = joined ? quoted(' ') : { kind: 'break' };
  return words.flatMap((word, index) => (index > 0 ? [separator, valueChunk(word, how)] : [valueChunk(word, how)]));
}

function chunksOf(node: WordNode, flow: Flow): readonly Chunk[] {
  if (!node.parts) return unquotedText(node.text);
  return node.parts.flatMap(part => partChunks(part, flow, 'unquoted'));
}

/** The directory that a tilde prefix names. undefined: not one that is known here. */
function tildeTarget(prefix: string, flow: Flow): Word {
  if (prefix === '') return lookup('HOME', flow);
  if (prefix === '+') return lookup('PWD', flow);
  return unknown('tilde');
}

function tilde(chunks: readonly Chunk[], flow: Flow): readonly Chunk[] {
  const first = chunks[0];
  if (first?.kind !== 'text' || first.mode !== 'plain') return chunks;
  const match = /^((?:[A-Za-z_]\w*=)?)~([^/]*)/.exec(first.text);
  if (!match) return chunks;
  const rest = first.text.slice(match[0].length);
  // A prefix that goes on in quotes or in an expansion is no tilde prefix.
  if (rest === '' && chunks.length > 1) return chunks;
  const target = tildeTarget(match[2]!, flow);
  const value = isKnown(target) ? quoted(target.text) : opaque(target.opaque === 'variable' ? 'variable' : 'tilde', 'quoted');
  return [plain(match[1]!), value, plain(rest), ...chunks.slice(1)].filter(
    chunk => chunk.kind !== 'text' || chunk.text !== '' || chunk.mode === 'quoted',
  );
}

const isBalanced = (text: string): boolean => text.split('{').length === text.split('}').length;

/** A word as the fields it becomes: braces, tilde, parameters, substitutions, splitting, globs (opaque), quotes. */
export function fieldsOf(node: WordNode, flow: Flow): readonly Word[] {
  if (!node.parts && ORDINARY.test(node.text)) return [known(node.text)];
  if (!flow.findings.step()) return [unknown('unparsed')];
  const builder = new FieldBuilder(flow.state.splitting);
  const whole = chunksOf(node, flow);
  // bash counts the braces of `${x#{}` with those around it.
  if (node.parts?.some(part => part.type === 'ParameterExpansion' && !isBalanced(part.text))) return [unknown('brace')];
  for (const chunks of expandBraces(whole)) {
    for (const chunk of tilde(chunks, flow)) builder.add(chunk);
    builder.end('drop');
  }
  if (builder.split) lookup('IFS', flow);
  for (const pattern of builder.cut) noteCut(pattern, flow);
  return builder.fields;
}

/** No name that the pattern matches may have a space in it, or the shell makes several words of it. */
function noteCut(pattern: string, { state, findings, elsewhere }: Flow): void {
  if (elsewhere) return;
  if (pattern.startsWith('/')) findings.cut.set(pattern, pattern);
  else if (state.directories) for (const place of state.directories) findings.cut.set(posix.join(place, pattern), pattern);
  else findings.reason({ code: 'variable', text: `${pattern} stands for names that may be cut in several words` });
}

/** A word where bash neither splits nor matches: the value of an assignment, of `case`, of a here-string. */
export function valueIn(node: WordNode, flow: Flow): Word {
  if (!node.parts && ORDINARY.test(node.text)) return known(node.text);
  const builder = new FieldBuilder('off');
  const all = chunksOf(node, flow);
  for (const chunk of tilde(all, flow)) builder.add(chunk.kind === 'break' ? quoted(' ') : chunk);
  builder.end('keep');
  const value = builder.fields[0] ?? known('');
  return isKnown(value) && node.text.includes(':~') ? unknown('tilde', value.text.split(':~')[0]) : value;
}

/** The text of an unquoted here-document's body, its expansions walked. */
export function documentText(parts: readonly WordPart[] | undefined, text: string, flow: Flow): Word {
  if (!parts) return known(doubleQuotedText(text, 'document'));
  const builder = new FieldBuilder('off');
  for (const part of parts) {
    if (part.type === 'Literal') builder.add(quoted(doubleQuotedText(part.text, 'document')));
    else for (const chunk of partChunks(part, flow, 'quoted')) builder.add(chunk.kind === 'break' ? quoted(' ') : chunk);
  }
  builder.end('keep');
  return builder.fields[0] ?? known('');
}
