import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { joined } from '../specs/starting.js';

/** `bash /dev/stdin` reads its script as `bash` alone does. */
const isStandardInput = (file: Word): boolean =>
  isKnown(file) && /^(\/dev\/(stdin|fd\/0)|\/proc\/(self|thread-self)\/fd\/0)$/.test(file.text);

/** sh and its kin: a script in an argument, in a file, or on standard input. */
export function shell(parsed: Parsed): void {
  const { into, invocation } = parsed;
  const name = posix.basename(into.program);
  into.tag('shell-code');
  into.variables('BASH_ENV', 'ENV', 'ZDOTDIR');
  for (const word of parsed.values('--rcfile', '--init-file')) {
    const text = invocation.printed?.get(word);
    if (text) into.start({ script: text, shell: name, via: `${name} --rcfile` });
  }
  if (parsed.has('-c')) {
    const [script, ...parameters] = parsed.operands;
    const certain = parsed.operands.every(isKnown);
    if (script && !isKnown(script) && script.opaque === 'download') into.tag('net-to-shell');
    if (script) into.start({ script, shell: name, via: `${name} -c`, ...(certain && { parameters }) });
    return;
  }
  // A dash ends the options, and is no file.
  const [first] = parsed.operands;
  const [file, ...rest] = first && isKnown(first) && first.text === '-' ? parsed.operands.slice(1) : parsed.operands;
  const printed = file && invocation.printed?.get(file);
  if (printed && !parsed.has('-s')) {
    into.start({
      script: printed,
      shell: name,
      via: `${name} <(…)`,
      ...(rest.every(isKnown) && { parameters: [file, ...rest] }),
    });
    return;
  }
  if (file && !parsed.has('-s') && !isStandardInput(file)) {
    into.read(file, { detail: 'script' });
    into.effect('code', `${name} runs a script file`, file);
    if (isKnown(file)) into.rely(file.text);
    return;
  }
  const { stdin } = invocation;
  if (stdin.kind === 'here' && stdin.text) into.start({ script: stdin.text, shell: name, via: `${name} <<` });
  else if (stdin.kind === 'pipe') into.effect('code', `${name} runs what it is sent`);
  else if (stdin.kind === 'nothing') return;
  else {
    into.effect('code', `${name} runs what it reads`);
    into.ask('shell-input', `${name}: what it will run is not in the text`);
  }
}

/** `pwsh -Command TEXT…`, `cmd /c TEXT…`: options of their own kind; what they run is named, not analysed. */
export function windowsShell(parsed: Parsed): void {
  const { into, invocation } = parsed;
  const name = posix.basename(into.program).replace(/\.exe$/, '');
  into.tag('shell-code');
  const words = invocation.argv.slice(1);
  const given = name === 'cmd' ? /^\/{1,2}[ckr]$/i : /^[-/]{1,2}c(?:o|om|omm|omma|omman|ommand|wa|ommandwithargs)?$/i;
  const at = words.findIndex(word => given.test(leadOf(word)));
  const script = at < 0 ? [] : words.slice(at + 1);
  if (script.length > 0) into.start({ script: joined(script), shell: name, via: `${name} ${leadOf(words[at]!)}` });
  else into.effect('code', `${name} runs what its words say`, parsed.operands[0]);
}
