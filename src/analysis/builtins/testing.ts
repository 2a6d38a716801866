import { referenceSubscript } from '../arithmetic.js';
import { reason } from '../call.js';
import { isKnown } from '../word.js';
import type { Builtin } from './contract.js';

/** `test` and `[`: only `-v` and `-R` evaluate their operand. */
export const test: Builtin = ({ argv, flow, span }) => {
  const words = argv.slice(1);
  for (const [index, word] of words.entries()) {
    if (isKnown(word)) {
      const operand = words[index + 1];
      if ((word.text === '-v' || word.text === '-R') && operand) referenceSubscript(operand, flow);
    } else if (!word.single && word.opaque === 'substitution') {
      // Unquoted, it may become `-v` and a name.
      flow.findings.reason(
        reason('unclear-option', 'tests the unquoted words of a substitution, which may hold an operator', span),
      );
    }
  }
};
