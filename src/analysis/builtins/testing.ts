import type { Word } from '../../contract/analysis.js';
import { referenceSubscript } from '../arithmetic.js';
import { reason } from '../call.js';
import { isKnown, leadOf } from '../word.js';
import type { Builtin } from './contract.js';

/** Is it `-v` or `-R`, or may it become that? */
const isReference = (word: Word): boolean =>
  isKnown(word)
    ? /^-[vR]$/.test(word.text)
    : word.opaque !== 'number' && ['-v', '-R'].some(option => option.startsWith(word.lead));

/** `test` and `[`: only `-v` and `-R` evaluate their operand. */
export const test: Builtin = ({ argv, flow, span }) => {
  const words = argv.slice(1);
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (before && isReference(before) && (isKnown(before) || leadOf(word).includes('['))) referenceSubscript(word, flow);
    if (!isKnown(word) && !word.single && (word.opaque === 'substitution' || word.opaque === 'download')) {
      // Unquoted, it may become `-v` and a name.
      flow.findings.reason(
        reason('unclear-option', 'tests the unquoted words of a substitution, which may hold an operator', span),
      );
    }
  }
};
