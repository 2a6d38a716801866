import type { ScreenWriter } from '../approval/screen-writer.js';
import { terminalApprover } from '../approval/terminal.js';
import type { Approver } from '../contract/answer.js';
import type { CommonFlags } from './options.js';

/** Who can be asked: the terminal, unless the flags say that nobody is to be asked. `asked` collects the requests' ids. */
export function approversFor(flags: CommonFlags, writer?: ScreenWriter, asked?: Set<string>): Approver[] {
  if (flags.onAsk === 'deny' || flags.onAsk === 'allow') return [];
  const terminal = terminalApprover(writer ? { writer } : {});
  return [
    {
      name: terminal.name,
      request: (question, signal) => {
        asked?.add(question.request.id);
        return terminal.request(question, signal);
      },
    },
  ];
}
