import { z } from 'zod';
import type { CommandResult } from '../../contract/result.js';
import type { Tool } from '../tool.js';
import { limitedOutput } from '../whole-output.js';
import { valueFailure } from './wire.js';

const args = z.strictObject({
  name: z
    .string()
    .regex(/^[^\0\n=-][^\0\n=]*$/, 'is no name of a variable')
    .max(4_096)
    .describe('Name of the environment variable.'),
  default: z.string().nullable().default(null).describe('Value to answer when it is not set.'),
});

const LOOK_MS = 10_000;

/** `get_env` of document 001 (S1-20 to S1-22): what a command run here would get, through the gate. */
export const getEnv: Tool<z.infer<typeof args>> = {
  name: 'get_env',
  set: 'supyagent',
  description: 'Read an environment variable, as a command run here would see it.',
  args,
  call: ({ name, default: fallback }, task) =>
    task.sessions.stateless(async session => {
      const line = session.quote(['printenv', name]);
      const { execution, result, ending } = await task.run(session, line, { timeoutMs: LOOK_MS });
      if (result.outcome === 'exited' && result.exitCode === 0) {
        const { stdout } = await limitedOutput(execution, result, 0);
        return { ok: true, value: stdout.replace(/\n$/, '') };
      }
      if (!isUnset(result)) return valueFailure(ending.fault ?? { errorClass: 'execution_failed', message: result.outcome });
      if (fallback === null) return { ok: false, error: `Environment variable not set: ${name}` };
      task.ending = undefined;
      return { ok: true, value: fallback };
    }),
  failure: valueFailure,
};

/** A variable that may not be told looks like one that is not there (S1-22). Any other code is printenv's own trouble. */
function isUnset(result: CommandResult): boolean {
  if (result.outcome !== 'refused') return result.outcome === 'exited' && result.exitCode === 1;
  return result.by === 'policy' || result.by === 'approver' || result.by === 'expiry' || result.by === 'nobody';
}
