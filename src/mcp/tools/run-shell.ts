import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ShellgateError } from '../../contract/error.js';
import { shownId } from '../../contract/question.js';
import { commandTextSchema } from '../../contract/request.js';
import type { Ask, Call, Said } from '../calls.js';
import { originOf, principalOf } from '../client.js';
import type { Desk } from '../desk.js';
import { elicitationForm, offersYes } from '../elicitation-form.js';
import { tellProgress } from '../progress.js';
import { NEW_SESSION } from '../sessions.js';
import { backgroundReply, finishedReply, pendingReply, quietReply } from '../statuses.js';
import { type McpTool, reply, type ToolContext, type ToolReply } from '../tool.js';
import { arrival } from '../wait.js';

/** Key of the one question that a reply can carry. */
const ANSWER = 'approve';
/** A program on its terminal that has shown nothing new for so long may wait for keys, which the model has to know. */
const QUIET_MS = 3_000;
const LONGEST_TIMER = 2 ** 31 - 1;

function inputSchema({ timeoutMs, maxTimeoutMs, backgroundMs }: Desk['limits']) {
  return z
    .strictObject({
      command: commandTextSchema.min(1).describe('One command line, as typed into bash.'),
      session_id: z
        .string()
        .min(1)
        .optional()
        .describe(`Default: your own session. "${NEW_SESSION}" opens another one and returns its id.`),
      timeout_ms: z
        .number()
        .int()
        .positive()
        .max(backgroundMs)
        .optional()
        .describe(`Deadline; it ends everything the command started. Default ${timeoutMs}, at most ${maxTimeoutMs}.`),
      background: z.boolean().optional().describe('Return at once; the command runs on beside the shell, one hour at most.'),
      tty: z.boolean().optional().describe('Give the command a terminal: output is one stream, and shell_input types into it.'),
      stdin: z.string().optional().describe('Standard input of the command. Default: empty.'),
      description: z.string().max(2_000).optional().describe('Why, for the person who may be asked.'),
    })
    .refine(({ timeout_ms = 0, background }) => background || timeout_ms <= maxTimeoutMs, {
      path: ['timeout_ms'],
      message: `is over the limit of ${maxTimeoutMs}; a longer deadline needs background: true`,
    });
}

type Args = z.infer<ReturnType<typeof inputSchema>>;

/** Run a command line in a persistent shell, if policy or a person allows it. */
export function runShell(desk: Desk): McpTool<ReturnType<typeof inputSchema>> {
  return {
    name: 'run_shell',
    title: 'Run a shell command',
    description:
      'Run a command line in a persistent bash session: directory, variables and functions stay. A policy decides; some commands wait for a person (outcome "pending") or are refused with a reason. Read "note" when there is one.',
    input: inputSchema(desk.limits),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async call(args, context) {
      desk.met(context.client);
      const call = resumed(desk, args, context) ?? (await started(desk, args, context));
      call.ask = askThrough(desk, call, context);
      const stopTelling = tellProgress(desk.calls, call, context.request);
      const cancel = () => call.execution.cancel('cancelled by the client');
      const { signal } = context.request;
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      try {
        return await replyTo(desk, call, args.session_id);
      } finally {
        signal.removeEventListener('abort', cancel);
        stopTelling();
        call.ask = undefined;
      }
    },
  };
}

/** The call that a returned question belongs to, when this is the client coming back with what its person said. */
function resumed(desk: Desk, args: Args, { request }: ToolContext): Call | undefined {
  const state = request.requestState<ReturnType<typeof stateOf>>();
  if (state === undefined) return undefined;
  const call = desk.calls.find({ command: state.command });
  if (call.text !== args.command) {
    throw new ShellgateError('ANSWER_FOREIGN', `this answer belongs to ${call.name}, which is another command`);
  }
  const { carried } = call;
  if (carried && shownId(carried.question) === state.request) carried.hear(saidIn(request.inputResponses));
  return call;
}

function saidIn(responses: ToolContext['request']['inputResponses']): Said {
  const response = inputResponse(responses, ANSWER);
  return response.kind === 'elicit' ? { action: response.action, content: response.content } : { action: 'cancel' };
}

async function started(desk: Desk, args: Args, { client, request }: ToolContext): Promise<Call> {
  const { calls, sessions, limits } = desk;
  const session = await sessions.get(args.session_id);
  const background = args.background === true;
  const deadlineMs = args.timeout_ms ?? (background ? limits.backgroundMs : limits.timeoutMs);
  const execution = session.start(args.command, {
    principal: principalOf(client, desk.program),
    origin: originOf(request),
    timeoutMs: deadlineMs,
    ...(background && { background }),
    ...(args.tty !== undefined && { tty: args.tty }),
    ...(args.stdin !== undefined && { stdin: args.stdin }),
    ...(args.description !== undefined && { description: args.description }),
  });
  return calls.add({ session, text: args.command, background, tty: args.tty === true, deadlineMs, execution });
}

function askThrough(desk: Desk, call: Call, { client, request }: ToolContext): Ask | undefined {
  if (client.elicitation === 'none') return undefined;
  if (client.elicitation === 'returned') {
    return question =>
      new Promise(hear => {
        call.carried = { question, sent: false, hear };
        desk.calls.notify();
      });
  }
  return async (question, signal) => {
    const params = elicitationForm(question, desk.words(question), { yes: offersYes(question, desk) });
    const timeout = Math.min(Math.max(1, Date.parse(question.expiresAt) - Date.now()), LONGEST_TIMER);
    return request.send({ method: 'elicitation/create', params }, { signal, timeout });
  };
}

async function replyTo(desk: Desk, call: Call, sessionId: string | undefined): Promise<ToolReply> {
  const { calls, limits } = desk;
  const quiet = call.tty ? { quietMs: QUIET_MS } : {};
  const arrived = await arrival(calls, call, { answerMs: limits.answerWaitMs, ...quiet });
  const session = sessionId === undefined ? {} : { session_id: call.session.id };
  switch (arrived.kind) {
    case 'finished':
      if (arrived.result.outcome === 'refused' && arrived.result.code === 'SESSION_CLOSED') {
        await desk.sessions.forget(call.session);
      }
      return reply({ ...finishedReply(call, arrived.result, limits), ...session });
    case 'carry': {
      const { question } = arrived.carried;
      arrived.carried.sent = true;
      const form = elicitationForm(question, desk.words(question), { yes: offersYes(question, desk) });
      return inputRequired({
        inputRequests: { [ANSWER]: inputRequired.elicit(form) },
        requestState: await desk.codec.mint(stateOf(call, question)),
      });
    }
    case 'quiet':
      return reply({ ...quietReply(call, await call.execution.screen()), ...session });
    case 'pending':
      return reply({ ...pendingReply(call, arrived.holder), ...session });
    default:
      return reply({ ...backgroundReply(call), ...session });
  }
}

const stateOf = (call: Call, question: Parameters<typeof shownId>[0]) => ({
  command: call.name,
  request: shownId(question),
});
