import type { Word } from '../../contract/analysis.js';
import { arithmeticVariable, referenceSubscript } from '../arithmetic.js';
import { type Call, reason } from '../call.js';
import { lookup } from '../parameters.js';
import { isKnown, leadOf } from '../word.js';
import type { Builtin } from './contract.js';

/** Is it `-v` or `-R`, or may it become that? */
const isReference = (word: Word): boolean =>
  isKnown(word)
    ? /^-[vR]$/.test(word.text)
    : word.opaque !== 'number' && ['-v', '-R'].some(option => option.startsWith(word.lead));

/**
 * `[ $x ]`: a value may become several words, `-v` and a subscript that is evaluated among them. What the line set shows
 * here; of the session's own variables the facts tell whether they are numbers, or nothing.
 */
function unquotedVariables({ node, flow, span }: Call): void {
  for (const argument of node?.args ?? []) {
    const only = argument.type === 'Word' && argument.parts?.length === 1 ? argument.parts[0] : undefined;
    if (only?.type !== 'SimpleExpansion' || !/^\$[A-Za-z_]\w*$/.test(only.text)) continue;
    const name = only.text.slice(1);
    const word = lookup(name, flow);
    if (isKnown(word) || word.opaque !== 'variable' || word.lead !== '' || word.single) continue;
    if (flow.state.variables.has(name))
      flow.findings.reason(reason('unclear-option', `tests $${name} without quotes, and its value may hold an operator`, span));
    else arithmeticVariable(name, flow);
  }
}

/** `test` and `[`: only `-v` and `-R` evaluate their operand. */
export const test: Builtin = call => {
  const { argv, flow, span } = call;
  unquotedVariables(call);
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
