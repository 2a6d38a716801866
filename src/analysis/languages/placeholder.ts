import type { Word } from '../../contract/analysis.js';
import { isKnown, leadOf } from '../specs/paths.js';

/** A word in which `mark` will be replaced by something unknown: what stands before it stays known. */
export function replaceIn(word: Word, mark: string, by: Word): Word {
  const at = leadOf(word).indexOf(mark);
  if (at < 0) return word;
  const before = leadOf(word).slice(0, at);
  if (isKnown(word) && word.text === mark) return by;
  // Only a word that is nothing but the mark is a plain path; anything else is made of two parts.
  return {
    opaque: isKnown(by) ? 'replaced' : by.opaque === 'glob' ? 'replaced' : by.opaque,
    lead: before + leadOf(by),
  };
}

/** A part of a word, as little known as the word. */
export const part = (word: Word, text: string): Word => (isKnown(word) ? { text } : { opaque: word.opaque, lead: text });
