import { z } from 'zod';
import { commandTextSchema } from '../../contract/request.js';
import type { Tool } from '../tool.js';
import { maxOutput, timeoutSeconds, workingDirectory } from './arguments.js';
import { commandOutput, outputFailure } from './wire.js';
import { expandDirectory, type Lookup } from './working-directory.js';

const args = z.strictObject({
  command: commandTextSchema.min(1).describe('The command line, for the shell.'),
  working_dir: workingDirectory,
  timeout: timeoutSeconds(60),
  max_output: maxOutput,
});

/** `run_command` of document 001 (S1-02 to S1-13): a fresh shell for every call. */
export function runCommandTool(lookup: Lookup): Tool<z.infer<typeof args>> {
  return {
    name: 'run_command',
    set: 'supyagent',
    description: 'Run a command line in a fresh shell and return its output. Pipes, redirections and globs work.',
    args,
    call: ({ command, working_dir, timeout, max_output }, task) =>
      task.sessions.stateless(async (session, base) => {
        const cwd = working_dir === null ? undefined : expandDirectory(working_dir, lookup, base);
        const done = await task.run(session, command, { timeoutMs: timeout * 1_000, ...(cwd !== undefined && { cwd }) });
        const output = await commandOutput(done, { what: 'Command', timeout, maxOutput: max_output });
        return { ...output, command };
      }),
    failure: (fault, { given }) => ({
      ...outputFailure(fault),
      ...(typeof given['command'] === 'string' && { command: given['command'] }),
    }),
  };
}
