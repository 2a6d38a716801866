import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { noteCalls } from './code-calls.js';

/** Build tools whose `exec` starts any program in the environment of the project. */
const EXECUTES = /^(?:stack|cabal|dotnet|mix|sbt|nx)$/;
/** Where code stands in their words. */
const TAKES_CODE: Readonly<Record<string, RegExp>> = {
  rake: /^(?:-[eEp]|--execute(?:-\w+)*)$/,
  rails: /^(?:runner|r)$/,
  mix: /^(?:-e|--eval|eval)$/,
  crystal: /^eval$/,
  php: /^--execute/,
};

/** Build tools of which little is described: the programs and the code that their words plainly hold. */
export function buildWords(parsed: Parsed): void {
  const { into, operands, invocation } = parsed;
  const { program } = into;
  const words = invocation.argv.slice(1);
  const start = (argv: readonly Word[]): void => {
    if (argv.length > 0) into.start({ argv, via: program, unknownArguments: false });
  };
  const verb = operands[0] ? leadOf(operands[0]) : '';
  if (verb === 'exec' && EXECUTES.test(program)) start(behind(words) ?? operands.slice(1));
  if (verb === 'tool' && program === 'dotnet' && operands[1] && /^(run|exec)$/.test(leadOf(operands[1])))
    start(operands.slice(2));
  if (verb === 'cmd' && program === 'mix') start(operands.slice(1));
  if (verb === 'devenv' && program === 'meson') start(behind(words) ?? operands.slice(1));
  if (program === 'just') {
    const command = words.findIndex(word => /^(-c|--command|--shell|--chooser)$/.test(leadOf(word)));
    if (command >= 0) start(words.slice(command + 1, /^-(c|-command)$/.test(leadOf(words[command]!)) ? undefined : command + 2));
  }
  const code = TAKES_CODE[program];
  const at = code ? words.findIndex(word => code.test(leadOf(word))) : -1;
  if (at >= 0) for (const word of words.slice(at + 1, at + 4)) noteCalls(into, word);
}

function behind(words: readonly Word[]): readonly Word[] | undefined {
  const at = words.findIndex(word => isKnown(word) && word.text === '--');
  return at < 0 ? undefined : words.slice(at + 1);
}
