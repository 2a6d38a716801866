import type { Word } from '../../contract/analysis.js';
import type { Parsed } from './evaluate.js';
import { isKnown, leadOf } from './paths.js';
import type { Action, CommandPlace } from './table.js';
import { splitWords } from './words.js';

/** The operands from a place on are another program; `lxc exec NAME -- COMMAND` has dashes before it. */
export function startRest(parsed: Parsed, { from, as, elsewhere }: CommandPlace): void {
  const rest = parsed.operands.slice(from - 1);
  const argv = rest.slice(from > 1 && rest[0] && leadOf(rest[0]) === '--' ? 1 : 0);
  if (argv.length === 0) return;
  if (parsed.operands.slice(0, from - 1).some(word => !isKnown(word) && word.lead === ''))
    parsed.into.ask('opaque-command', `${parsed.into.program}: where its command starts is not known`);
  const via = parsed.path.join(' ');
  if (as === 'argv') parsed.into.start({ argv, via, unknownArguments: false, elsewhere });
  else parsed.into.start({ script: joined(argv), shell: 'sh', via, elsewhere });
}

/** Words that a program joins with blanks and gives to a shell: as much of the text as is certain. */
export function joined(words: readonly Word[]): Word {
  const unknown = words.findIndex(word => !isKnown(word));
  const lead = (unknown < 0 ? words : words.slice(0, unknown + 1)).map(leadOf).join(' ');
  return unknown < 0 ? { text: lead } : { opaque: 'variable', lead };
}

type Exec = Extract<Action, { does: 'exec' }>;

/** The word of an option or operand is started. `via`: what names it, for the person. */
export function startWord({ as, how }: Exec, word: Word, { into, via }: { into: Parsed['into']; via: string }): void {
  const elsewhere = how === 'elsewhere';
  if (how === 'fed') into.feeds(word);
  if (as === 'script') {
    into.start({ script: word, shell: 'sh', via, elsewhere });
    return;
  }
  const words = as === 'program' || !isKnown(word) ? [word] : splitWords(word.text)?.map(text => ({ text }));
  if (!words) into.ask('unreadable-command', `${via}: "${leadOf(word)}" cannot be read as words`);
  else if (words.length > 0) into.start({ argv: words, via, unknownArguments: as === 'program', elsewhere });
}
