import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf, resolvePaths } from '../specs/paths.js';
import { noteCalls } from './code-calls.js';

const CODE_OPTIONS =
  '-e -E -c -p -pe -r -R --eval --print --run -m --test -B -l -M -x -eval -batch -expression --execute --process-begin --process-code'.split(
    ' ',
  );

/** An interpreter of a language that is not analysed: code in a word, in a file, or on standard input. */
export function interpreter(parsed: Parsed): void {
  const { into, invocation, operands } = parsed;
  const name = posix.basename(into.program);
  const codes = parsed.options.filter(option => CODE_OPTIONS.includes(option.name) && option.rule.dangerous);
  const given = codes.some(option => option.name !== '-M');
  for (const { values } of codes) noteCalls(into, values[0]);
  for (const variable of ['PERL5OPT', 'RUBYOPT']) noteCalls(into, invocation.env.get(variable));
  for (const [at, word] of operands.entries()) noteCalls(into, handedOver(word, operands[at + 1]));
  noteCalls(into, given ? undefined : sourceOf(parsed));
  if (name === 'bb') for (const operand of operands) noteCalls(into, operand);
  // `perl -ne CODE FILE…` reads its files itself.
  if (given && parsed.has('-n', '-p') && /^(perl|ruby)/.test(name)) for (const file of operands) into.read(file);
  // python's -v says what it loads while it runs what it reads.
  const versions = ['-h', '--help', '-V', '--version', '--v8-options', ...(/^(i?python|pypy)/.test(name) ? [] : ['-v'])];
  const asksOnly = parsed.has(...versions) && operands.length === 0;
  if (given || !asksOnly) into.tag('foreign-code');
  for (const script of parsed.values('--run'))
    into.effect('code', 'runs a script of package.json', { text: `package.json#${leadOf(script)}` });
  if (parsed.has('--check', '-c') && name.startsWith('node')) {
    for (const file of operands) into.read(file);
    return;
  }
  // With -i the files behind the code are written in place.
  if (given && parsed.has('-i') && /^(perl|ruby)/.test(name)) for (const file of operands) into.write(file);
  if (given || asksOnly) return;
  const [file] = operands;
  if (file && leadOf(file) !== '-') {
    into.read(file, { detail: 'script' });
    into.effect('code', `${name} runs a script file`, file);
    for (const path of resolvePaths(file, into.directories)) if (isKnown(path)) into.rely(path.text);
    return;
  }
  into.effect('code', `${name} runs what it reads`);
  if (invocation.stdin.kind !== 'here' && invocation.stdin.kind !== 'pipe')
    into.ask('interactive', `${name}: what it will run is typed to it or comes from elsewhere`);
}

/** `artisan tinker --execute=CODE`, `manage.py shell -c CODE`: code for a script in the same language. */
const handedOver = (word: Word, next: Word | undefined): Word | undefined => {
  const attached = /^--(?:execute|command|eval)=(.*)$/s.exec(leadOf(word))?.[1];
  if (attached !== undefined) return { text: attached };
  return /^(?:-c|--execute|--command|--eval)$/.test(leadOf(word)) ? next : undefined;
};

/** The code it reads where no option gives any: a `<(…)`, or a here-document. */
function sourceOf({ operands: [file], invocation }: Parsed): Word | undefined {
  if (file && leadOf(file) !== '-' && !/^\/(dev\/(stdin|fd\/0)|proc\/self\/fd\/0)$/.test(leadOf(file)))
    return invocation.printed?.get(file);
  return invocation.stdin.kind === 'here' ? invocation.stdin.text : undefined;
}

/** Programs with code in an option beside other things. */
export function codeWords(parsed: Parsed): void {
  for (const code of parsed.values('--eval')) noteCalls(parsed.into, code);
}

/** deno and bun: a sub-command, or a file to run. */
export function scriptRunner(parsed: Parsed): void {
  const { into, path, operands } = parsed;
  for (const code of parsed.values('-e', '-p')) noteCalls(into, code);
  if (path.length > 1) {
    into.tag('foreign-code');
    if (path[1] === 'eval') noteCalls(into, operands[0]);
    const command = /^(x|exec)$/.test(path[1]!) ? withoutScheme(operands) : [];
    if (command.length > 0) into.start({ argv: command, via: path.join(' '), unknownArguments: false });
    return;
  }
  if (operands.length === 0) return;
  into.tag('foreign-code');
  into.effect('code', `${into.program} runs a script`, operands[0]);
  if (operands[0] && isKnown(operands[0])) into.rely(operands[0].text);
}

/** `deno run -A npm:NAME` and `bun run NAME` may start a program of that name. */
function withoutScheme(operands: readonly Word[]): readonly Word[] {
  const at = operands.findIndex(word => !leadOf(word).startsWith('-'));
  const [name, ...rest] = at < 0 ? [] : operands.slice(at);
  if (!name) return [];
  return [isKnown(name) ? { text: name.text.replace(/^(?:npm|jsr):/, '').replace(/(.)@[^/]*$/, '$1') } : name, ...rest];
}
