import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Execution } from '../../contract/execution.js';
import { type Question, shownId } from '../../contract/question.js';
import { inputTextSchema } from '../../contract/request.js';
import type { InputResult } from '../../contract/result.js';
import type { Call } from '../calls.js';
import { originOf, principalOf } from '../client.js';
import type { Desk } from '../desk.js';
import { type McpTool, reply, type ToolReply } from '../tool.js';
import { isOneCall, ONE_CALL, whichCall } from './which-call.js';

const input = z
  .strictObject({
    ...whichCall,
    text: inputTextSchema.describe('The exact keys: "\\r" is Enter, "\\u0003" Ctrl-C, "\\u001b" Escape.'),
    screen_version: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('As shell_output said it for stream terminal. Default: the screen as it is now.'),
    description: z.string().max(2_000).optional().describe('Why, for the person who is asked.'),
  })
  .refine(isOneCall, ONE_CALL);

/** Type into a running command, when a person allows exactly those keys. */
export function shellInput(desk: Desk): McpTool<typeof input> {
  return {
    name: 'shell_input',
    title: 'Type into a command',
    description:
      'Type keys into a command that runs on its terminal (run_shell with tty: true). A person is asked about the exact keys each time. Passwords are refused: a person gives those elsewhere. For input that is known before, use stdin of run_shell.',
    input,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async call({ command, request, text, screen_version, description }, { client, request: asked }) {
      const call = desk.calls.find({ command, request });
      const execution = call.session.send(call.execution.id, text, {
        principal: principalOf(client, desk.program),
        origin: originOf(asked),
        signal: asked.signal,
        ...(screen_version !== undefined && { screenVersion: screen_version }),
        ...(description !== undefined && { description }),
      });
      return replyTo(call, execution, desk.limits.answerWaitMs);
    },
  };
}

async function replyTo(call: Call, execution: Execution<InputResult>, waitMs: number): Promise<ToolReply> {
  const waited = new AbortController();
  const late = delay(waitMs, undefined, { signal: waited.signal, ref: false }).catch(() => undefined);
  const result = await Promise.race([execution.result, late]);
  waited.abort();
  if (!result) {
    const status = await execution.status();
    return reply(status.phase === 'pending' ? pending(call, status.question) : { outcome: status.phase, command: call.name });
  }
  if (result.outcome === 'written') {
    const { bytes, ranInstead } = result;
    const note = `What came of it: shell_output ${call.name}, stream terminal.`;
    return reply({ outcome: 'written', command: call.name, bytes, ...(ranInstead !== undefined && { ranInstead }), note });
  }
  const { outcome, by, code, reason, feedback } = result;
  return reply({ outcome, by, code, reason, ...(feedback !== undefined && { feedback }), note: 'Nothing was typed.' });
}

function pending(call: Call, question: Question) {
  const request = shownId(question);
  const note = `Not typed yet: a person must answer (shellgate approve ${request}, or shellgate pending --watch in a terminal). Tell the user. It is typed once that is allowed, if the screen is still the same: look with shell_output ${call.name}, stream terminal.`;
  return { outcome: 'pending', command: call.name, request, expires: question.expiresAt, note };
}
