import { z } from 'zod';
import type { Desk } from '../desk.js';
import { finishedReply, pendingReply, unfinishedReply } from '../statuses.js';
import { type McpTool, reply } from '../tool.js';
import { arrival } from '../wait.js';
import { isOneCall, ONE_CALL, whichCall } from './which-call.js';

const LONGEST_WAIT_MS = 50_000;

const input = z
  .strictObject({
    ...whichCall,
    wait_ms: z
      .number()
      .int()
      .nonnegative()
      .max(LONGEST_WAIT_MS)
      .optional()
      .describe('Wait so long for it to finish before answering. Default 0.'),
  })
  .refine(isOneCall, ONE_CALL);

/** Where a command stands: its result if it has one. */
export function shellStatus({ calls, limits }: Desk): McpTool<typeof input> {
  return {
    name: 'shell_status',
    title: 'Status of a command',
    description: 'Where a command stands: its result once it is finished, else pending, running, background or queued.',
    input,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async call({ command, request, wait_ms: totalMs = 0 }) {
      const call = calls.find({ command, request });
      if (totalMs > 0) await arrival(calls, call, { answerMs: totalMs, totalMs, until: 'end' });
      if (call.result) return reply(finishedReply(call, call.result, limits));
      const holder = calls.holding(call);
      if (holder) return reply(pendingReply(call, holder));
      const status = await call.execution.status();
      if (status.phase === 'finished') return reply(finishedReply(call, status.result, limits));
      return reply(unfinishedReply(call, status.phase === 'pending' ? { phase: 'judging' } : status));
    },
  };
}
