import { shownId } from '../contract/question.js';
import type { Call, Calls } from './calls.js';
import type { ToolContext } from './tool.js';

/** How often a client is told, in ms: often enough that one that counts the time since the last word stays. */
const TELL_MS = 250;
const AT_LEAST_MS = 5_000;

/** Tell the client how far a call has got, while it waits, if it asked for that. Returns the end of it. */
export function tellProgress(calls: Calls, call: Call, request: ToolContext['request']): () => void {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const began = performance.now();
  let lastMessage = '';
  let lastAt = Number.NEGATIVE_INFINITY;
  const tell = async (): Promise<void> => {
    const message = await messageOf(calls, call);
    const now = performance.now();
    if (stopped || (message === lastMessage && now - lastAt < AT_LEAST_MS)) return;
    [lastMessage, lastAt] = [message, now];
    // `progress` must grow; time does.
    const params = { progressToken, progress: Math.round(now - began), message };
    await request.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  let stopped = false;
  const timer = setInterval(() => void tell(), TELL_MS);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

async function messageOf(calls: Calls, call: Call): Promise<string> {
  const holder = calls.holding(call);
  if (holder?.question) return `waits for a person to answer ${shownId(holder.question)}`;
  const status = await call.execution.status();
  if (status.phase !== 'running' && status.phase !== 'background') return status.phase;
  const { elapsedMs, stdoutBytes, stderrBytes, stdoutLines, stderrLines } = status.progress;
  return `running ${Math.round(elapsedMs / 1_000)} s: ${stdoutLines + stderrLines} lines, ${stdoutBytes + stderrBytes} bytes`;
}
