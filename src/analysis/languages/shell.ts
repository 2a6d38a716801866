import { posix } from 'node:path';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown } from '../specs/paths.js';

/** sh and its kin: a script in an argument, in a file, or on standard input. */
export function shell(parsed: Parsed): void {
  const { into, invocation } = parsed;
  const name = posix.basename(into.program);
  into.tag('shell-code');
  into.variables('BASH_ENV', 'ENV', 'ZDOTDIR');
  if (parsed.has('-c')) {
    const [script] = parsed.operands;
    if (script) into.start({ script, shell: name, via: `${name} -c` });
    return;
  }
  const [file] = parsed.operands;
  if (file && !parsed.has('-s')) {
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
