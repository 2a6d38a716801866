import type { Word } from '../../contract/analysis.js';
import type { Call } from '../call.js';
import type { DraftProgram } from '../findings.js';
import type { Outcome, ShellState } from '../state.js';
import { isKnown, leadOf } from '../word.js';

/**
 * Reads one call of a shell builtin: what it does goes to the program and to the findings, what it changes to the state.
 * Returns the states by its status; nothing: the path's state, either way.
 */
export type Builtin = (call: Call, program: DraftProgram) => Outcome | undefined;

export const dead = (state: ShellState): ShellState => (state.dead ? state : { ...state, dead: true });

export interface Options {
  /** Option letters that are set, with the word of those that take one. */
  readonly given: ReadonlyMap<string, Word | undefined>;
  readonly operands: readonly Word[];
  /** true: a word whose value is unknown stands where an option may. */
  readonly unclear: boolean;
  /** Every option is one that the builtin has; with another one it only fails. */
  readonly understood: boolean;
}

/**
 * Reads bash-style options: clusters, attached or separate values. `letters`: as getopts wants them, `p:` takes a word;
 * a `+` in front: `+x` takes back what `-x` gives.
 */
export function readOptions(words: readonly Word[], letters: string): Options {
  const given = new Map<string, Word | undefined>();
  let unclear = false;
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at]!;
    if (!isKnown(word)) {
      if (word.lead === '' || word.lead.startsWith('-'))
        unclear ||= word.opaque !== 'number' && word.opaque !== 'process-substitution';
      break;
    }
    const { text } = word;
    if (text === '--') {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    for (let letter = 1; letter < text.length; letter += 1) {
      const name = text[letter]!;
      const takes = letters[letters.indexOf(name) + 1] === ':' && letters.includes(name);
      if (!takes) {
        given.set(text[0] === '+' ? `+${name}` : name, undefined);
        continue;
      }
      const attached = text.slice(letter + 1);
      if (attached === '') at += 1;
      given.set(name, attached === '' ? words[at] : { text: attached });
      break;
    }
  }
  const bare = letters.replaceAll(':', '');
  const understood = [...given.keys()].every(name => bare.includes(bare.startsWith('+') ? name.replace(/^\+/, '') : name));
  return { given, operands: words.slice(at), unclear, understood };
}

/** `name=value` apart; the value of an opaque word is what follows its lead. */
export function splitAssignment(word: Word): {
  readonly name: string;
  readonly value: Word | undefined;
  readonly append: boolean;
} {
  const lead = leadOf(word);
  const match = /^([^=]*?)(\+?)=([\s\S]*)$/.exec(lead);
  if (!match) return { name: lead, value: undefined, append: false };
  const [, name, plus, rest] = match as unknown as [string, string, string, string];
  return { name, value: isKnown(word) ? { text: rest } : { ...word, lead: rest }, append: plus === '+' };
}
