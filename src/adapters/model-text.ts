import { z } from 'zod';
import type { Captured, CommandResult } from '../contract/result.js';
import { formatForModel } from '../tools/format-for-model.js';
import { modelResult } from '../tools/model-result.js';

const captured = (text: string, omittedBytes: number): Captured => ({ text, bytes: text.length + omittedBytes, omittedBytes });

/** What the text of a result is made of. A host may have carried it through a browser: nothing is taken for granted. */
const spoken = z.object({
  outcome: z.string(),
  exitCode: z.number().optional(),
  signal: z.string().optional(),
  reason: z.string().optional(),
  by: z.enum(['policy', 'approver', 'expiry', 'nobody', 'caller', 'session', 'audit']).optional(),
  feedback: z.string().optional(),
  stdout: z.string().default(''),
  stderr: z.string().default(''),
  omittedBytes: z.object({ stdout: z.number().default(0), stderr: z.number().default(0) }).prefault({}),
  ranInstead: z.string().optional(),
  sessionRestarted: z.boolean().default(false),
  note: z.string().optional(),
});

/** A model result as the text of document 003 (S3-21), with its note. Bounded as the model result is. */
export function modelText(output: unknown): string {
  const parsed = spoken.safeParse(output);
  if (!parsed.success) return JSON.stringify(output) ?? '';
  const { note } = parsed.data;
  return [formatForModel(resultOf(parsed.data)), ...(note === undefined ? [] : [`[${note}]`])].join('\n');
}

/** The same text straight from a result. */
export const textOf = (result: CommandResult, maxTimeoutMs: number): string => modelText(modelResult(result, { maxTimeoutMs }));

/** Only the fields that `formatForModel` reads are true to the original. */
function resultOf(said: z.infer<typeof spoken>): CommandResult {
  const { outcome, reason = '', feedback, ranInstead } = said;
  if (outcome === 'refused') {
    return { outcome, by: said.by ?? 'session', code: 'INTERNAL_ERROR', reason, ...(feedback !== undefined && { feedback }) };
  }
  const ran = {
    stdout: captured(said.stdout, said.omittedBytes.stdout),
    stderr: captured(said.stderr, said.omittedBytes.stderr),
    durationMs: 0,
    shell: 'kept' as const,
    sessionRestarted: said.sessionRestarted,
    survivors: [],
    leftRunning: [],
    ...(ranInstead !== undefined && { ranInstead }),
  };
  switch (outcome) {
    case 'exited':
      return { ...ran, outcome, exitCode: said.exitCode ?? 0 };
    case 'signaled':
      return { ...ran, outcome, signal: said.signal ?? '' };
    case 'timed-out':
    case 'cancelled':
      return { ...ran, outcome };
    default:
      return { ...ran, outcome: 'session-lost', reason: reason || outcome };
  }
}
