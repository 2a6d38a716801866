import { StringDecoder } from 'node:string_decoder';
import { isHidden } from '../display.js';

/**
 * A line editor acts on control characters and cannot place a cursor among invisible ones. While a text is edited, each
 * of them is stood in for by a private character of one cell, and put back afterwards.
 */
export interface StandIns {
  hide(text: string): string;
  reveal(text: string): string;
  /** As hide, with each stand-in as a sign that can be seen. */
  draw(hidden: string): string;
  /** What was read from the terminal, as far as the editor may see it: an editing key, or text in hidden form. */
  fromKeys(bytes: Uint8Array): { readonly keys: string; readonly pasted: string };
}

const FIRST_PRIVATE = 0xe000;
const LAST_PRIVATE = 0xf8ff;
/** Ctrl-A B E F H K U W and delete: single keys that edit and do nothing else. */
const EDITING_KEYS = new Set('\x01\x02\x05\x06\x08\x0b\x15\x17\x7f');
/** Arrows, home, end, delete, word by word; held down, several come in one read. */
const EDITING_SEQUENCE = /^(?:\x1b(?:\[[CDHF]|\[[1347]~|O[CDHF]|\[1;[35][CD]|[bfd\x7f]))+$/;

export function createStandIns(text: string): StandIns {
  const signs = new Map<string, string>();
  const originals = new Map<string, string>();
  const decoder = new StringDecoder('utf8');
  let next = FIRST_PRIVATE;

  function standIn(original: string): string {
    const known = signs.get(original);
    if (known) return known;
    while (text.includes(String.fromCharCode(next))) next += 1;
    // Thousands of different hidden characters are an attack on the editor: the rest is drawn as one sign and lost.
    const sign = String.fromCharCode(Math.min(next, LAST_PRIVATE));
    next += 1;
    signs.set(original, sign);
    originals.set(sign, original);
    return sign;
  }

  const hide = (part: string) => Array.from(part, each => (isHidden(each) ? standIn(each) : each)).join('');
  return {
    hide,
    reveal: hidden => Array.from(hidden, each => originals.get(each) ?? each).join(''),
    draw: hidden => Array.from(hidden, each => (originals.has(each) ? symbolFor(originals.get(each)!) : each)).join(''),
    fromKeys(bytes) {
      const typed = decoder.write(Buffer.from(bytes));
      const isEditing = typed.length === 1 ? EDITING_KEYS.has(typed) : EDITING_SEQUENCE.test(typed);
      if (isEditing) return { keys: typed, pasted: '' };
      const isText = !typed.startsWith('\x1b') && (typed.length > 1 || typed >= ' ' || typed === '\t');
      // Else: an answer of the terminal itself, or a key that does nothing here.
      return { keys: '', pasted: isText ? hide(typed.replace(/\r\n?/g, '\n')) : '' };
    },
  };
}

function symbolFor(original: string): string {
  if (original === '\n') return '⏎';
  if (original === '\t') return '⇥';
  if (original < ' ') return String.fromCharCode(0x2400 + original.charCodeAt(0));
  return '␦';
}
