import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { ShellgateError } from '../contract/error.js';
import { configDirectory } from '../platform.js';
import { readOwnFile } from '../policy/policy-file.js';

const userConfigSchema = z.strictObject({
  trusted_clients: z
    .array(z.string().startsWith('/', 'is no absolute path; a program is trusted by its path, for a name can be claimed by any'))
    .default([])
    .describe('Programs whose dialog may allow a command once, at most at medium risk: absolute paths, as in /proc/PID/exe.'),
});
export type UserConfig = z.infer<typeof userConfigSchema>;

/** The user's `config.toml`. Errors: `CONFIG_INVALID` with the field; `POLICY_UNREADABLE` where others could write it. */
export function readUserConfig(path: string = join(configDirectory(), 'config.toml')): UserConfig {
  if (!existsSync(path)) return userConfigSchema.parse({});
  const text = readOwnFile(path, { writers: 'owner' });
  const parsed = userConfigSchema.safeParse(tableOf(text, path));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new ShellgateError('CONFIG_INVALID', `${issue.path.join('.')} ${issue.message}`.trim(), { place: path });
}

function tableOf(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new ShellgateError('CONFIG_INVALID', (cause as Error).message.split('\n')[0] ?? '', { cause, place: path });
  }
}
