import type { Word } from '../contract/analysis.js';

/** Why a word is opaque. The code says how far it can be trusted: a glob names existing files, a number is digits. */
export type OpaqueCode =
  | 'glob'
  | 'variable'
  | 'substitution'
  | 'download'
  | 'process-substitution'
  | 'number'
  | 'tilde'
  | 'brace'
  | 'positional'
  | 'unparsed'
  | 'arguments';

export const known = (text: string): Word => ({ text });
export const unknown = (opaque: OpaqueCode, lead = ''): Word => ({ opaque, lead });
export const isKnown = (word: Word | undefined): word is { readonly text: string } => word !== undefined && 'text' in word;

/** The text of a known word, or what is known to stand in front. */
export const leadOf = (word: Word): string => ('text' in word ? word.text : word.lead);

export const sameWord = (a: Word, b: Word): boolean =>
  'text' in a
    ? 'text' in b && a.text === b.text
    : !('text' in b) && a.opaque === b.opaque && a.lead === b.lead && a.pattern === b.pattern && a.composed === b.composed;

/** The longest text both begin with. */
function commonLead(a: string, b: string): string {
  let end = 0;
  while (end < a.length && end < b.length && a[end] === b[end]) end += 1;
  return a.slice(0, end);
}

const isNumeric = (word: Word): boolean => ('text' in word ? /^[+-]?\d+$/.test(word.text) : word.opaque === 'number');

/** One word that stands for either. */
export function joinWords(a: Word, b: Word): Word {
  if (sameWord(a, b)) return a;
  if (isNumeric(a) && isNumeric(b)) return unknown('number');
  const lead = commonLead(leadOf(a), leadOf(b));
  if (!('text' in a) && !('text' in b) && a.opaque === b.opaque) return { opaque: a.opaque, lead };
  return unknown('variable', lead);
}

/** Words as one string, as `eval` and `$*` join them. */
export function concatWords(words: readonly Word[], separator: string): Word {
  let text = '';
  for (const [index, word] of words.entries()) {
    if (index > 0) text += separator;
    // Digits behind other text are no number.
    if (!isKnown(word))
      return { opaque: word.opaque === 'number' && text !== '' ? 'variable' : word.opaque, lead: text + word.lead };
    text += word.text;
  }
  return known(text);
}

/** What a pattern has matched in one directory says nothing about the files of another. */
export const displaced = (word: Word): Word =>
  isKnown(word) || word.pattern === undefined || word.pattern.startsWith('/') ? word : unknown('variable', word.lead);
