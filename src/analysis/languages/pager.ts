import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';

/** less and more: `+COMMAND` is typed to them, and they can run programs. */
export function pager({ operands, into }: Parsed): void {
  for (const operand of operands) {
    if (!leadOf(operand).startsWith('+')) into.read(operand);
    else if (!/^\+(F|G|g|\d+|\/.*)$/.test(leadOf(operand)))
      into.ask('pager-command', `${into.program}: "${leadOf(operand)}" is a command of the pager`);
    const shell = isKnown(operand) ? /^\+\+?!\s*(.+)$/s.exec(operand.text) : undefined;
    if (shell) into.start({ script: { text: shell[1]! }, shell: 'sh', via: `${into.program} +!` });
  }
}
