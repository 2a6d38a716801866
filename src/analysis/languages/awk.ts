import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { AwkError } from './awk-lexer.js';
import { type AwkProgram, readAwkProgram } from './awk-program.js';

const STREAMS = /^(-|\/dev\/(stdin|stdout|stderr|null|tty))$/;

/** awk: a program in a word or in files, then files and assignments. */
export function awk(parsed: Parsed): void {
  const { into } = parsed;
  const elsewhere = parsed.has('-f', '-E', '-e');
  for (const file of parsed.values('-f', '-E')) {
    into.effect('code', 'awk runs a program file', file);
    const { stdin } = parsed.invocation;
    if (/^(-|\/dev\/stdin)$/.test(leadOf(file)) && stdin.kind === 'here' && stdin.text) readProgram(parsed, stdin.text);
    else if (isKnown(file)) into.rely(file.text);
  }
  for (const source of elsewhere ? parsed.values('-e') : parsed.operands.slice(0, 1)) readProgram(parsed, source);
  for (const operand of parsed.operands.slice(elsewhere ? 0 : 1)) {
    if (!/^([A-Za-z_]\w*=|-$)/.test(leadOf(operand)) && leadOf(operand) !== '') into.read(operand);
    else if (!isKnown(operand) && operand.lead === '') into.read(operand);
  }
}

function readProgram({ into }: Parsed, source: Word): void {
  if (!isKnown(source)) {
    into.ask('opaque-script', 'awk: its program is not known');
    return;
  }
  let program: AwkProgram;
  try {
    program = readAwkProgram(source.text);
  } catch (error) {
    if (!(error instanceof AwkError)) throw error;
    into.ask('unreadable-script', `awk: its program is not certain: ${error.message}`);
    return;
  }
  for (const doubt of program.doubts) into.ask('awk-program', `awk: its program ${doubt}`);
  for (const file of program.reads) if (!STREAMS.test(file)) into.read({ text: file }, { detail: 'getline' });
  for (const file of program.writes) if (!STREAMS.test(file)) into.write({ text: file }, { detail: 'print >' });
  for (const command of program.feeds) into.feeds({ text: command });
  for (const command of program.runs) into.start({ script: { text: command }, shell: 'sh', via: 'awk' });
  for (const begin of program.begins)
    into.start({ script: { opaque: 'variable', lead: begin.replace(/\S*$/, '') }, shell: 'sh', via: 'awk' });
  if (program.printsEnvironment) into.effect('disclosure', 'reads the environment');
}
