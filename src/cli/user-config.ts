import { join } from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { answerKey } from '../approval/signature.js';
import { codeOf, ShellgateError } from '../contract/error.js';
import { wrongInput } from '../contract/wrong-input.js';
import type { AnswerSocketChoice } from '../create-gate.js';
import { configDirectory } from '../platform.js';
import { isThere, readOwnFile } from '../policy/policy-file.js';

const userConfigSchema = z.strictObject({
  trusted_clients: z
    .array(z.string().startsWith('/', 'is no absolute path; a program is trusted by its path, for a name can be claimed by any'))
    .default([])
    .describe('Programs whose dialog may allow a command once, at most at medium risk: absolute paths, as in /proc/PID/exe.'),
  answer_keys: z
    .record(z.string(), z.string())
    .default({})
    .describe('Ed25519 public keys, by whose they are: what they sign answers rules of the level "keyed". PEM or base64.'),
});
export type UserConfig = z.infer<typeof userConfigSchema>;

/**
 * The user's `config.toml`; what its schema defaults to where there is none. Errors: `CONFIG_INVALID` with the field;
 * `CONFIG_UNREADABLE` where it cannot be read, is no file, or others could write it.
 */
export function readUserConfig(path: string = join(configDirectory(), 'config.toml')): UserConfig {
  if (!isThere(path)) return userConfigSchema.parse({});
  const value = tableOf(textOf(path), path);
  const parsed = userConfigSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { text } = wrongInput(parsed.error, value, Object.keys(userConfigSchema.shape));
  throw new ShellgateError('CONFIG_INVALID', text, { place: path });
}

/** How people answer a gate of the command line from elsewhere. Errors: those of `readUserConfig`, `KEY_INVALID`. */
export function answerSocket(label: string): AnswerSocketChoice {
  return { label, keys: Object.entries(readUserConfig().answer_keys).map(([whose, text]) => answerKey(whose, text)) };
}

/** The same proof as for a policy, in the words of a configuration. */
function textOf(path: string): string {
  try {
    return readOwnFile(path, { writers: 'owner' });
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'POLICY_INVALID') throw new ShellgateError('CONFIG_INVALID', (cause as Error).message, { cause, place: path });
    if (code !== 'POLICY_UNREADABLE') throw cause;
    throw new ShellgateError('CONFIG_UNREADABLE', (cause as Error).message, { cause, place: path });
  }
}

function tableOf(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new ShellgateError('CONFIG_INVALID', (cause as Error).message.split('\n')[0] ?? '', { cause, place: path });
  }
}
