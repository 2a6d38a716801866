import type { Word } from '../../contract/analysis.js';
import { referenceSubscript } from '../arithmetic.js';
import { assignVariable } from '../assignments.js';
import { type Call, effect, reason } from '../call.js';
import type { Flow } from '../flow.js';
import { lookup } from '../parameters.js';
import { formatted } from '../printed.js';
import { walkText } from '../scripts.js';
import { concatWords, isKnown, known, leadOf, unknown } from '../word.js';
import { type Builtin, readOptions } from './contract.js';
import { prints } from './control.js';

/** Sets the variable that a word names to something only known later. */
function assignNamed(word: Word, flow: Flow, value: Word = unknown('variable')): void {
  referenceSubscript(word, flow);
  if (!isKnown(word)) {
    flow.findings.effect(effect('environment', undefined, 'sets a variable whose name is not known'));
    return;
  }
  const name = word.text.replace(/\[[\s\S]*/, '');
  if (/^[A-Za-z_]\w*$/.test(name)) assignVariable(name, name === word.text ? value : unknown('variable'), flow);
}

function descriptor(word: Word | undefined, call: Call): void {
  if (!word || (isKnown(word) && /^\d$/.test(word.text))) return;
  call.flow.findings.reason(
    reason(
      'protocol-descriptor',
      "reads a descriptor that may be a connection between shellgate and the session's shell",
      call.span,
    ),
  );
}

function unclearOption(call: Call): void {
  call.flow.findings.reason(reason('unclear-option', `gives ${leadOf(call.argv[0]!)} a word that may be an option`, call.span));
}

export const read: Builtin = call => {
  const { given, operands, unclear } = readOptions(call.argv.slice(1), 'a:d:ei:n:N:p:rst:u:');
  if (unclear) unclearOption(call);
  descriptor(given.get('u'), call);
  const array = given.get('a');
  if (array) assignNamed(array, call.flow);
  const only = operands.length === 1 && !array && [...given.keys()].every(letter => letter === 'r' || letter === 's');
  for (const word of operands) assignNamed(word, call.flow, only ? lineRead(call) : undefined);
  if (operands.length === 0 && !array) assignVariable('REPLY', unknown('variable'), call.flow);
};

/** `read x <<< text`: the line, where only this command reads from it and nothing in it would be cut or unquoted. */
function lineRead(call: Call): Word {
  const { text } = call.stdin;
  if (!isOwnText(call) || !isKnown(text)) return unknown('variable');
  const separators = call.env.get('IFS');
  if (isKnown(separators) && separators.text === '') {
    const whole = /^([^\\\n]+)\n/.exec(text.text)?.[1];
    return whole === undefined ? unknown('variable') : known(whole);
  }
  if (separators || call.flow.state.variables.has('IFS')) return unknown('variable');
  lookup('IFS', call.flow);
  const line = /^[ \t]*([^\\\n]*?)[ \t]*\n/.exec(text.text)?.[1];
  return line === undefined || line === '' ? unknown('variable') : known(line);
}

export const mapfile: Builtin = call => {
  const { given, operands, unclear } = readOptions(call.argv.slice(1), 'd:n:O:s:tu:C:c:');
  if (unclear) unclearOption(call);
  descriptor(given.get('u'), call);
  const callback = given.get('C');
  if (callback) {
    // The line read is put behind it, quoted over its newline: a comment or quote in it derails bash's own parser.
    call.flow.findings.reason(reason('callback', 'runs a command for each line it reads', call.span));
    walkText(concatWords([callback, known('0 line')], ' '), call.flow, { via: 'mapfile -C', span: call.span });
  }
  const name = operands[0] ?? known('MAPFILE');
  const lines = understoodLines(call, given);
  if (lines && isKnown(name) && /^[A-Za-z_]\w*$/.test(name.text))
    assignVariable(name.text, lines[0] ?? known(''), call.flow, { elements: lines });
  else assignNamed(name, call.flow);
};

/** `mapfile -t x <<< text`: its lines. */
function understoodLines(call: Call, given: ReadonlyMap<string, Word | undefined>): readonly Word[] | undefined {
  if (given.size !== 1 || !given.has('t') || !isOwnText(call)) return undefined;
  const { text } = call.stdin;
  return isKnown(text) ? text.text.replace(/\n$/, '').split('\n').map(known) : undefined;
}

/** Only this command reads from its here-string. */
function isOwnText({ node }: Call): boolean {
  const [redirect, more] = node?.redirects ?? [];
  return redirect?.type === 'HereString' && !more && redirect.descriptor === undefined;
}

export const getopts: Builtin = call => {
  const [, , name] = call.argv;
  if (name) assignNamed(name, call.flow);
  assignVariable('OPTARG', unknown('variable'), call.flow);
  assignVariable('OPTIND', unknown('number'), call.flow);
};

export const printf: Builtin = (call, program) => {
  prints(call, program);
  const { given, operands, unclear, understood } = readOptions(call.argv.slice(1), 'v:');
  if (unclear) unclearOption(call);
  const [format, ...words] = operands;
  // `%n` stores a number in the variable that its argument names.
  if (format && (!isKnown(format) || /%[^a-zA-Z%]*n/.test(format.text))) {
    if (isKnown(format)) for (const word of words) assignNamed(word, call.flow, unknown('number'));
  }
  const variable = given.get('v');
  if (variable) assignNamed(variable, call.flow, understood ? printed(format, words, call.flow) : undefined);
};

/** What `printf` prints, in the simple cases that spell a word. */
function printed(format: Word | undefined, words: readonly Word[], flow: Flow): Word {
  if (!isKnown(format)) return unknown('variable');
  if (format.text === '%s' && words.length === 1) return words[0]!;
  if (!words.every(isKnown)) return unknown('variable');
  return formatted([format.text, ...words.map(word => word.text)], flow) ?? unknown('variable');
}
