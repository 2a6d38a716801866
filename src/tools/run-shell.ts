import { z } from 'zod';
import { commandTextSchema } from '../contract/request.js';
import { formatForModel } from './format-for-model.js';
import type { Tool } from './tool.js';

const args = z.strictObject({ command: commandTextSchema.min(1).describe('The command line.') });

/** Document 003's own deadline. */
const TIMEOUT_MS = 30_000;

/** `run_shell` of document 003 (S3-04, S3-14): one argument, one text, in the session that keeps its state. */
export const runShell: Tool<z.infer<typeof args>> = {
  name: 'run_shell',
  set: 'function',
  description: 'Run a command line in a persistent shell and return its output as text. The directory and variables are kept.',
  args,
  call: async ({ command }, task) => {
    const { result } = await task.run(await task.sessions.bound(), command, { timeoutMs: TIMEOUT_MS });
    return formatForModel(result);
  },
  failure: ({ errorClass, message }) => `${errorClass}: ${message}`,
};
