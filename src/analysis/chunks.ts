import type { Word } from '../contract/analysis.js';
import { known, type OpaqueCode, unknown } from './word.js';

/**
 * A piece of a word between the expansions and the split into fields. `plain` text may hold braces, globs and a tilde;
 * `expanded` text came from an unquoted parameter and may hold globs and separators; `quoted` text is only itself.
 * `bare` came from `$name`, whose name goes on with whatever braces put behind it.
 */
export type Chunk =
  | { readonly kind: 'text'; readonly text: string; readonly mode: 'plain' | 'quoted' | 'expanded'; readonly bare?: true }
  | {
      readonly kind: 'opaque';
      readonly code: OpaqueCode;
      readonly quoted: boolean;
      readonly lead: string;
      readonly bare?: true;
      /** A pattern that the value has matched, and whether text was put around what matched. */
      readonly pattern?: string;
      readonly composed?: true;
      /** The value is one word, not all that the pattern meets. */
      readonly single?: true;
    }
  | { readonly kind: 'break' }
  | { readonly kind: 'nothing' };

type OpaqueChunk = Extract<Chunk, { kind: 'opaque' }>;

export const plain = (text: string): Chunk => ({ kind: 'text', text, mode: 'plain' });
export const quoted = (text: string): Chunk => ({ kind: 'text', text, mode: 'quoted' });
export const opaque = (code: OpaqueCode, how: 'quoted' | 'unquoted', lead = ''): Chunk => ({
  kind: 'opaque',
  code,
  quoted: how === 'quoted',
  lead,
});

/** A value as it stands in a word. */
export function valueChunk(word: Word, how: 'quoted' | 'unquoted'): Chunk {
  if (!('text' in word)) {
    const { opaque: code, lead, pattern, composed, single } = word;
    // Names that were found, and not by a pattern that can be looked up again, are cut in ways that nobody can say.
    const isCut = how === 'unquoted' && code === 'glob' && pattern === undefined;
    const chunk: OpaqueChunk = {
      kind: 'opaque',
      code: isCut ? 'variable' : (code as OpaqueCode),
      quoted: how === 'quoted',
      lead: isCut ? '' : lead,
    };
    return pattern === undefined ? chunk : { ...chunk, pattern, ...(composed && { composed }), ...(single && { single }) };
  }
  return { kind: 'text', text: word.text, mode: how === 'quoted' ? 'quoted' : 'expanded' };
}

/** Unquoted text: `\c` is c itself, backslash-newline is nothing. */
export function unquotedText(text: string): Chunk[] {
  if (!text.includes('\\')) return text === '' ? [] : [plain(text)];
  const chunks: Chunk[] = [];
  let run = '';
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '\\') {
      run += text[at];
      continue;
    }
    at += 1;
    const next = text[at];
    if (next === '\n') continue;
    if (run !== '') chunks.push(plain(run));
    run = '';
    chunks.push(quoted(next ?? '\\'));
  }
  if (run !== '') chunks.push(plain(run));
  return chunks;
}

/** Text in double quotes or in a here-document: a backslash is special only before a few characters. */
export function doubleQuotedText(text: string, where: 'quotes' | 'document'): string {
  if (!text.includes('\\')) return text;
  return where === 'quotes' ? text.replace(/\\(\n|[$`"\\])/g, keep) : text.replace(/\\(\n|[$`\\])/g, keep);
}
const keep = (_: string, character: string): string => (character === '\n' ? '' : character);

/** Where a pattern begins; a bracket only counts with one that closes it. */
function globIn(text: string): number {
  const star = text.search(/[*?]/);
  const open = text.indexOf('[');
  const bracket = open >= 0 && text.indexOf(']', open + 2) >= 0 ? open : -1;
  return star < 0 ? bracket : bracket < 0 ? star : Math.min(star, bracket);
}
/** A value longer than this is not carried on: repeated doubling would fill the memory. */
const MAX_VALUE = 256 * 1024;
const SEPARATORS = /[ \t\n]+/;

/** How far an opaque word can be trusted, least first. */
const TRUST: readonly string[] = ['glob', 'number', 'process-substitution'];
const lessTrusted = (a: OpaqueCode | undefined, b: OpaqueCode): OpaqueCode => {
  if (a === undefined || a === b) return b;
  if (!TRUST.includes(a)) return a;
  return TRUST.includes(b) ? 'variable' : b;
};

/** Puts chunks together as fields: splits, notices globs, drops what is empty and unquoted. */
export class FieldBuilder {
  readonly fields: Word[] = [];
  #text = '';
  #opaque: OpaqueCode | undefined;
  /** What followed the opaque part as known text: a `..` there leaves the lead. */
  #rest = '';
  #present = false;
  #single = true;
  /** Every character of it that looks like one belongs to the pattern. */
  #isPattern = true;
  /** The pattern that came with a value, and whether something was put around what it matched. */
  #matched: { readonly pattern: string; readonly composed: boolean; readonly single: boolean } | undefined;
  /** Was a known value cut where the session's IFS would cut it? */
  split = false;
  /** Patterns of values that stand unquoted: a match with a space in its name becomes several words. */
  readonly cut: string[] = [];
  readonly #splitting: 'default' | 'unknown' | 'off';

  constructor(splitting: 'default' | 'unknown' | 'off') {
    this.#splitting = splitting;
  }

  add(chunk: Chunk): void {
    if (chunk.kind === 'break') this.end('keep');
    else if (chunk.kind === 'nothing') return;
    else if (chunk.kind === 'opaque') this.#addOpaque(chunk);
    else if (chunk.mode === 'expanded' && this.#splitting !== 'off') this.#addExpanded(chunk.text);
    else this.#addText(chunk.text, chunk.mode);
  }

  /** Ends the current field. `keep`: even if nothing is in it. */
  end(empty: 'keep' | 'drop'): void {
    if (this.#present || empty === 'keep') this.fields.push(this.#word());
    this.#text = '';
    this.#rest = '';
    this.#opaque = undefined;
    this.#present = false;
    this.#single = true;
    this.#isPattern = true;
    this.#matched = undefined;
  }

  #word(): Word {
    if (this.#opaque === undefined) return known(this.#text);
    const code = this.#code(this.#opaque);
    const single = this.#splitting === 'off' || (this.#single && (code !== 'glob' || this.#matched?.single === true));
    if (code === 'glob' && this.#isPattern) {
      const pattern = this.#text + this.#rest;
      const composed = this.#matched !== undefined && (this.#matched.composed || this.#matched.pattern !== pattern);
      return { ...unknown(code, this.#text), ...(single && { single }), pattern, ...(composed && { composed }) };
    }
    return single ? { ...unknown(code, this.#text), single: true } : unknown(code, this.#text);
  }

  // `dir/*/../../x` names something outside of `dir`, and `a[1` in front of digits is no number.
  #code(code: OpaqueCode): OpaqueCode {
    const isTrusted =
      code === 'glob' ? !this.#rest.includes('..') : code !== 'number' || /^[-+]?\d*$/.test(this.#text + this.#rest);
    return isTrusted ? code : 'variable';
  }

  #addOpaque({ quoted: isQuoted, ...chunk }: OpaqueChunk): void {
    const { lead, pattern, composed, single } = chunk;
    const code = isQuoted || this.#splitting === 'off' ? chunk.code : this.#cutCode(chunk);
    if (!isQuoted && this.#splitting === 'default' && /[ \t\n]/.test(lead)) {
      this.#addExpanded(lead);
      this.#addOpaque({ kind: 'opaque', code, lead: '', quoted: isQuoted });
      return;
    }
    const isFirst = this.#opaque === undefined;
    if (isFirst) this.#text += lead;
    if (isFirst && pattern !== undefined && !/[*?[\]\\]/.test(this.#text)) {
      this.#rest = pattern.slice(lead.length);
      this.#matched = { pattern, composed: composed === true, single: single === true };
    } else this.#isPattern = false;
    this.#opaque = lessTrusted(this.#opaque, code);
    if (!isQuoted) this.#single = false;
    this.#present = true;
  }

  /** What an unquoted value is: of what a pattern has matched, each name has to be a single word for it to stay that. */
  #cutCode({ code, pattern, composed }: Pick<OpaqueChunk, 'code' | 'pattern' | 'composed'>): OpaqueCode {
    if (pattern === undefined) return code;
    if (composed || this.#splitting === 'unknown') return 'variable';
    this.cut.push(pattern);
    this.split = true;
    return code;
  }

  #addText(text: string, mode: 'plain' | 'quoted' | 'expanded'): void {
    if (mode === 'quoted') this.#present = true;
    if (text === '') return;
    this.#present = true;
    if (mode === 'quoted' && /[*?[\]\\]/.test(text)) this.#isPattern = false;
    if (this.#opaque !== undefined) {
      this.#rest += text;
      if (mode !== 'quoted' && globIn(text) >= 0) this.#single = false;
      return;
    }
    const glob = mode === 'quoted' || this.#splitting === 'off' ? -1 : globIn(text);
    if (glob < 0) {
      this.#text += text;
      if (this.#text.length > MAX_VALUE && mode !== 'plain') this.#opaque = 'variable';
    } else {
      this.#text += text.slice(0, glob);
      this.#rest = text.slice(glob);
      this.#opaque = 'glob';
    }
  }

  #addExpanded(text: string): void {
    if (this.#splitting === 'unknown') {
      this.#addOpaque({ kind: 'opaque', code: 'variable', lead: '', quoted: false });
      return;
    }
    this.split = true;
    const pieces = text.split(SEPARATORS);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.end('drop');
      this.#addText(piece, 'expanded');
    }
  }
}
