import { z } from 'zod';
import { ShellgateError } from './contract/error.js';
import { wrongInput } from './contract/wrong-input.js';

/** How much of the caller's environment a session's shell inherits. */
export const environmentModes = ['inherit', 'safe', 'clean'] as const;
export type EnvironmentMode = (typeof environmentModes)[number];

/** The longest deadline a timer is asked for at once lies far above any sane one; this bound only catches mistakes. */
const MAX_MS = 365 * 24 * 3_600_000;
const ms = z.number().int().positive().max(MAX_MS);
const bytes = z.number().int().positive();

/** Everything of a gate that plain data can say. Code (approvers, executors, followers) is passed beside it. */
export const configSchema = z.strictObject({
  policy: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Profile names or files; every one is in force, the strictest verdict wins. Default read-only.'),
  shadow: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('A second policy: judged and logged beside the first, never decides. Default: none.'),
  cwd: z.string().min(1).optional().describe('Where sessions start and what ${workspace} means. Default: the current directory.'),
  shell: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Program to run as the shell. Default: bash, else sh.'),
  env: z
    .enum(environmentModes)
    .optional()
    .describe('inherit everything, safe (minus secret-looking names), or clean. Default safe.'),
  audit: z.string().min(1).optional().describe('Directory of the log. Default: audit/ in the state directory.'),
  chain: z
    .enum(['own', 'day'])
    .optional()
    .describe("own: a log file of this process; day: go on with the day's file, for short-lived processes. Default own."),
  timeoutMs: ms.optional().describe('Deadline of a command that names none, in ms. Default: none.'),
  expiryMs: ms.optional().describe('How long a question waits for an answer, in ms. Default one hour.'),
  limitBytes: bytes.optional().describe('Output kept of each stream, head and tail, in bytes. Default 65536.'),
  maxSessions: z.number().int().positive().optional().describe('Sessions open at the same time. Default 64.'),
  idleTimeoutMs: ms.optional().describe('Close a session that ran nothing for so long, in ms. Default: never.'),
  pty: z.enum(['auto', 'off']).optional().describe('off: pipes only, no tty commands. Default auto.'),
  onAsk: z
    .enum(['ask', 'deny', 'allow'])
    .optional()
    .describe('What an ask without an answer means. allow needs acknowledgeUnsafe. Default ask.'),
  acknowledgeUnsafe: z.boolean().optional().describe('Says that you know onAsk: allow runs what policy wanted a person to see.'),
});
export type Config = z.infer<typeof configSchema>;

/** Every default in one place (design 11). */
export const defaults = {
  policy: 'read-only',
  env: 'safe',
  expiryMs: 3_600_000,
  limitBytes: 65_536,
  maxSessions: 64,
  pty: 'auto',
  onAsk: 'ask',
  size: { cols: 80, rows: 24 },
  spool: {
    perCommandBytes: 2 ** 30,
    totalBytes: 5 * 2 ** 30,
    keepFreeBytes: 512 * 2 ** 20,
    maxAgeMs: 7 * 24 * 3_600_000,
  },
} as const;

/** Check a configuration. Errors: `CONFIG_INVALID` with the field and what was expected. */
export function parseConfig(value: unknown): Config {
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) {
    const { field, text } = wrongInput(parsed.error, value, Object.keys(configSchema.shape));
    throw new ShellgateError('CONFIG_INVALID', text, { place: field || 'options' });
  }
  if (parsed.data.onAsk === 'allow' && parsed.data.acknowledgeUnsafe !== true) {
    throw new ShellgateError(
      'CONFIG_INVALID',
      'onAsk "allow" runs what policy wanted a person to see; it needs acknowledgeUnsafe: true',
      {
        place: 'acknowledgeUnsafe',
      },
    );
  }
  return parsed.data;
}
