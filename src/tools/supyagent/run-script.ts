import { z } from 'zod';
import { commandTextSchema } from '../../contract/request.js';
import type { Tool } from '../tool.js';
import { maxOutput, timeoutSeconds, workingDirectory } from './arguments.js';
import { scriptLine } from './script-line.js';
import { commandOutput, outputFailure } from './wire.js';
import { expandDirectory, type Lookup } from './working-directory.js';

const args = z.strictObject({
  script: commandTextSchema.min(1).describe('The text of the script.'),
  interpreter: z
    .string()
    .regex(/^[^\0\n]*\S[^\0\n]*$/, 'must name a program')
    .default('/bin/bash')
    .describe('Program that runs the script, with its arguments if it needs any.'),
  working_dir: workingDirectory,
  timeout: timeoutSeconds(120),
  max_output: maxOutput,
});

/** `run_script` of document 001 (S1-14 to S1-17). */
export function runScriptTool(lookup: Lookup): Tool<z.infer<typeof args>> {
  return {
    name: 'run_script',
    set: 'supyagent',
    description: 'Run a script of several lines with an interpreter and return its output. State is shared inside the script.',
    args,
    call: ({ script, interpreter, working_dir, timeout, max_output }, task) =>
      task.sessions.stateless(async (session, base) => {
        const cwd = working_dir === null ? undefined : expandDirectory(working_dir, lookup, base);
        const line = scriptLine(script, interpreter, argv => session.quote(argv));
        const done = await task.run(session, line, { timeoutMs: timeout * 1_000, ...(cwd !== undefined && { cwd }) });
        return commandOutput(done, { what: 'Script', timeout, maxOutput: max_output });
      }),
    failure: outputFailure,
  };
}
