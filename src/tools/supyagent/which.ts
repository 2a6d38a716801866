import { resolve } from 'node:path';
import { z } from 'zod';
import type { Tool } from '../tool.js';
import { valueFailure } from './wire.js';

const args = z.strictObject({
  command: z
    .string()
    .regex(/^[^\0\n]+$/, 'must be one line')
    .max(4_096)
    .describe('Name of the program, or a path to it.'),
});

const LOOK_MS = 10_000;

/** `which` of document 001 (S1-18, S1-19), as the command line it stands for in a shell of this family. */
export const whichTool = (family: string): Tool<z.infer<typeof args>> => ({
  name: 'which',
  set: 'supyagent',
  description: 'Find the absolute path of a program.',
  args,
  call: ({ command }, task) =>
    task.sessions.stateless(async (session, base) => {
      const line = whichLine(session.quote([command]), family);
      const { result, ending } = await task.run(session, line, { timeoutMs: LOOK_MS });
      if (result.outcome === 'exited' && result.exitCode === 0) {
        return { ok: true, path: resolve(base, result.stdout.text.replace(/\n$/, '')) };
      }
      if (result.outcome === 'exited' && result.exitCode === 1) return { ok: false, error: `Command not found: ${command}` };
      return valueFailure(ending.fault ?? { errorClass: 'execution_failed', message: result.outcome });
    }),
  failure: valueFailure,
});

/** Only executable files count: no builtins, no directories, in the order of PATH. */
function whichLine(name: string, family: string): string {
  // Where it finds nothing better, `type -P` names a file that nobody may run.
  if (family === 'bash') return `type -P -- ${name} && test -x "$(type -P -- ${name})"`;
  const isProgram = 'test -f "$p" && test -x "$p" && printf \'%s\\n\' "$p"';
  if (name.includes('/')) return `p=${name}; ${isProgram}`;
  return `IFS=:; for d in $PATH; do p=$d/${name}; ${isProgram} && exit 0; done; exit 1`;
}
