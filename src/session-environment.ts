import type { EnvironmentMode } from './config.js';
import { secretNames } from './redaction/secret-names.js';

/** What a clean environment keeps: who one is, where things are and in which language. */
const KEPT = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TERM|TMPDIR|TZ)$/;

export interface SessionEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Secret-looking names that were left out; the banner lists them. */
  readonly dropped: readonly string[];
}

/** What of the inherited environment a session's shell gets (design 11). The executor takes out what would subvert it. */
export function sessionEnvironment(
  mode: EnvironmentMode,
  inherited: Readonly<Record<string, string | undefined>>,
): SessionEnvironment {
  const dropped = mode === 'safe' ? secretNames(inherited) : [];
  const left = new Set(dropped);
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || left.has(name) || (mode === 'clean' && !KEPT.test(name))) continue;
    if (mode !== 'inherit' && name.startsWith('npm_')) continue;
    variables[name] = mode !== 'inherit' && name === 'PATH' ? withoutNpm(value, inherited) : value;
  }
  return { variables, dropped };
}

/**
 * `npm start` puts the project's own programs in front of everybody else's; a shell that is not npm's child would not
 * have them, and a policy could trust no name in it.
 */
function withoutNpm(path: string, inherited: Readonly<Record<string, string | undefined>>): string {
  if (inherited['npm_lifecycle_event'] === undefined) return path;
  return path
    .split(':')
    .filter(entry => !/\/node_modules\/\.bin$|\/node-gyp-bin$/.test(entry))
    .join(':');
}
