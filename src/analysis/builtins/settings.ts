import type { Word } from '../../contract/analysis.js';
import { type Call, effect, reason } from '../call.js';
import { fork } from '../flow.js';
import { parseNow } from '../parse.js';
import { resolveWord } from '../paths.js';
import { walkText } from '../scripts.js';
import { isKnown, leadOf } from '../word.js';
import { fieldsOf } from '../words.js';
import { type Builtin, readOptions } from './contract.js';

/** With these a pattern meets other files than were looked up before the line ran. */
const WIDENING = new Set(['dotglob', 'globstar', 'nocaseglob', 'extglob']);

/** Options that only change which files a pattern finds or what is shown. */
const HARMLESS_SHOPT = new Set(
  'nullglob dotglob globstar failglob nocaseglob checkwinsize histappend cmdhist huponexit checkhash inherit_errexit no_empty_cmd_completion'.split(
    ' ',
  ),
);

export const shopt: Builtin = ({ argv, flow }, program) => {
  const { given, operands } = readOptions(argv.slice(1), 'supqo');
  if (!given.has('s') && !given.has('u')) return;
  for (const word of operands) {
    if (WIDENING.has(leadOf(word))) flow.findings.widened.add(leadOf(word));
    if (!isKnown(word) || given.has('o') || !HARMLESS_SHOPT.has(word.text)) {
      program.effects.push(effect('state', word, 'changes how the shell reads or runs commands'));
    }
  }
};

export const ulimit: Builtin = ({ argv }, program) => {
  if (argv.slice(1).some(word => !/^-[a-zA-Z]+$/.test(leadOf(word))))
    program.effects.push(effect('state', undefined, 'changes limits of this shell'));
};

export const umask: Builtin = ({ argv }, program) => {
  if (argv.slice(1).some(word => !/^-[pS]+$/.test(leadOf(word))))
    program.effects.push(effect('state', argv.at(-1), 'changes the rights of files made from now on'));
};

export const bind: Builtin = (_, program) => {
  program.effects.push(effect('state', undefined, 'changes what keys do in this shell'));
};

export const completion: Builtin = (_, program) => {
  program.effects.push(effect('state', undefined, 'changes how this shell completes words'));
};

/** compgen runs the command of `-C`, the function of `-F`, and expands the words of `-W`. */
export const compgen: Builtin = (call, program) => {
  const { given, unclear } = readOptions(call.argv.slice(1), 'abcdefgjksuvo:A:G:W:F:C:X:P:S:V:');
  const { flow, span } = call;
  const command = given.get('C') ?? given.get('F');
  if (command) walkText(command, flow, { via: 'compgen', span });
  const words = given.get('W');
  if (words) expandWords(words, call);
  if (unclear) program.opaque.push(reason('unclear-option', 'gives compgen a word that may be an option', span));
};

/** The words of `-W` are expanded, and nothing in them is a command of its own. */
function expandWords(words: Word, { flow, span }: Call): void {
  const statements = isKnown(words) ? parseNow(`: ${words.text}`).script?.commands : undefined;
  const command = statements?.length === 1 ? statements[0]!.command : undefined;
  if (command?.type !== 'Command' || command.redirects.length > 0) {
    walkText(words, flow, { via: 'compgen -W', span });
    return;
  }
  const inner = fork(flow, { span });
  for (const argument of command.args) if (argument.type === 'Word') fieldsOf(argument, inner);
}

export const history: Builtin = ({ argv, flow }, program) => {
  const { given, operands } = readOptions(argv.slice(1), 'cd:anrwps');
  if (given.has('w') || given.has('a')) {
    for (const word of operands.slice(0, 1))
      for (const path of resolveWord(word, flow.state.directories)) program.effects.push(effect('write', path, 'history file'));
    if (operands.length === 0) program.effects.push(effect('write', undefined, 'history file'));
  }
  if (given.has('r') || given.has('n') || given.has('s') || given.has('c') || given.has('d') || given.has('p')) {
    program.effects.push(effect('state', undefined, 'changes the history'));
  }
};

/** fc runs earlier commands again, through an editor; only `-l` lists them. */
export const fc: Builtin = (call, program) => {
  const { given, operands } = readOptions(call.argv.slice(1), 'e:lnrs');
  if (given.has('l') && !given.has('e')) return;
  program.effects.push(effect('code', undefined, 'runs earlier commands again'));
  program.opaque.push(reason('history', 'runs earlier commands again', call.span));
  const editor = given.get('e');
  if (editor) walkText(editor, call.flow, { via: 'fc -e', span: call.span });
  else if (operands.length > 0) call.flow.findings.variables.add('FCEDIT');
};
