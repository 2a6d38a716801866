import { z } from 'zod';
import type { Desk } from '../desk.js';
import { finishedReply, unfinishedReply } from '../statuses.js';
import { type McpTool, reply } from '../tool.js';
import { arrival } from '../wait.js';
import { isOneCall, ONE_CALL, whichCall } from './which-call.js';

/** A command that does not end by then is reported as it is. */
const LONGEST_WAIT_MS = 20_000;

const input = z.strictObject(whichCall).refine(isOneCall, ONE_CALL);

/** End a command with everything it started, or take back one that waits. The session stays. */
export function shellCancel({ calls, limits }: Desk): McpTool<typeof input> {
  return {
    name: 'shell_cancel',
    title: 'Cancel a command',
    description: 'End a command with everything it started, or take back one that waits for an answer. The session stays.',
    input,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async call({ command, request }) {
      const call = calls.find({ command, request });
      call.execution.cancel('cancelled by the assistant');
      const patience = { answerMs: LONGEST_WAIT_MS, totalMs: LONGEST_WAIT_MS, until: 'end' } as const;
      const arrived = await arrival(calls, call, patience);
      if (arrived.kind === 'finished') return reply(finishedReply(call, arrived.result, limits));
      const status = await call.execution.status();
      if (status.phase === 'finished') return reply(finishedReply(call, status.result, limits));
      return reply(unfinishedReply(call, status.phase === 'pending' ? { phase: 'judging' } : status));
    },
  };
}
