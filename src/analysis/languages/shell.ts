import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown } from '../specs/paths.js';

/** `bash /dev/stdin` reads its script as `bash` alone does. */
const isStandardInput = (file: Word): boolean =>
  isKnown(file) && /^(\/dev\/(stdin|fd\/0)|\/proc\/(self|thread-self)\/fd\/0)$/.test(file.text);

/** sh and its kin: a script in an argument, in a file, or on standard input. */
export function shell(parsed: Parsed): void {
  const { into, invocation } = parsed;
  const name = posix.basename(into.program);
  into.tag('shell-code');
  into.variables('BASH_ENV', 'ENV', 'ZDOTDIR');
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
