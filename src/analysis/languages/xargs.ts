import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown } from '../specs/paths.js';
import { replaceIn } from './placeholder.js';

const FROM_INPUT: Word = { opaque: 'input', lead: '' };

/** xargs: what it reads becomes arguments of its command, in place of a mark or behind the rest. */
export function xargs(parsed: Parsed): void {
  const mark =
    parsed.values('-I', '-i', '--replace').at(-1) ?? (parsed.has('-I', '-i', '--replace') ? { text: '{}' } : undefined);
  const command: readonly Word[] = parsed.operands.length > 0 ? parsed.operands : [{ text: 'echo' }];
  if (mark && !isKnown(mark)) parsed.into.ask('opaque-placeholder', 'xargs -I: what it replaces is not known');
  const argv =
    mark && isKnown(mark) && mark.text !== ''
      ? command.map((word, index) => (index === 0 && !isKnown(word) ? word : replaceIn(word, mark.text, FROM_INPUT)))
      : [...command, FROM_INPUT];
  parsed.into.start({ argv, via: parsed.into.program, unknownArguments: true });
}
