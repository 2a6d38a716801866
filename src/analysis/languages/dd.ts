import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';

const OPERAND = /^(if|of|bs|ibs|obs|cbs|count|skip|iseek|seek|oseek|conv|iflag|oflag|status)=(.*)$/s;
const DEVICE = /^\/dev\/(?!null$|zero$|u?random$|full$|stdin$|stdout$|stderr$|tty$|shm\/|fd\/)/;

/** dd: `name=value` operands. */
export function dd({ operands, into }: Parsed): void {
  for (const operand of operands) {
    const match = OPERAND.exec(leadOf(operand));
    if (!match) {
      into.ask('unlisted-option', `dd: "${leadOf(operand)}" is not described`);
      continue;
    }
    const value = isKnown(operand) ? { text: match[2]! } : { opaque: operand.opaque, lead: match[2]! };
    if (match[1] === 'if') into.read(value, { detail: 'if=' });
    if (match[1] === 'of') {
      into.write(value, { detail: 'of=' });
      into.tag('overwrite');
      if (DEVICE.test(leadOf(value))) into.tag('disk');
    }
  }
}
