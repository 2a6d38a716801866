import { z } from 'zod';
import type { Desk } from '../desk.js';
import { type McpTool, reply } from '../tool.js';
import { isOneCall, ONE_CALL, whichCall } from './which-call.js';

const input = z.strictObject({ ...whichCall, text: z.string().describe('What to type.') }).refine(isOneCall, ONE_CALL);

/** Type into a running command. It is refused, and says so, until the gate can judge what is typed. */
export function shellInput({ calls }: Desk): McpTool<typeof input> {
  return {
    name: 'shell_input',
    title: 'Type into a command',
    description: 'Type into a running command. Not supported yet: it is refused. Give input with stdin of run_shell instead.',
    input,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async call({ command, request, text }) {
      const call = calls.find({ command, request });
      const result = await call.session.send(call.execution.id, text).result;
      if (result.outcome === 'written') return reply({ outcome: 'written', command: call.name, bytes: result.bytes });
      const { outcome, by, code, reason } = result;
      return reply({
        outcome,
        by,
        code,
        reason,
        note: 'Nothing was typed. Start the command again with stdin, or shell_cancel.',
      });
    },
  };
}
