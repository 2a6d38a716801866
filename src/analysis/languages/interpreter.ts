import { posix } from 'node:path';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf, resolvePaths } from '../specs/paths.js';

const CODE_OPTIONS = ['-e', '-E', '-c', '-p', '-r', '-R', '--eval', '--print', '--run', '-m', '--test', '-B', '-l'];

/** An interpreter of a language that is not analysed: code in a word, in a file, or on standard input. */
export function interpreter(parsed: Parsed): void {
  const { into, invocation, operands } = parsed;
  const name = posix.basename(into.program);
  const given = parsed.options.some(option => CODE_OPTIONS.includes(option.name) && option.rule.dangerous);
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

/** deno and bun: a sub-command, or a file to run. */
export function scriptRunner(parsed: Parsed): void {
  const { into, path, operands } = parsed;
  if (path.length > 1) {
    into.tag('foreign-code');
    return;
  }
  if (operands.length === 0) return;
  into.tag('foreign-code');
  into.effect('code', `${into.program} runs a script`, operands[0]);
  if (operands[0] && isKnown(operands[0])) into.rely(operands[0].text);
}
