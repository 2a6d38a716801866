import type { Rule } from './policy.js';

/** Programs whose version the probe learns unasked: none of them lets files of the directory choose what runs. */
export const PROBED_PROGRAMS = [
  'clang',
  'cmake',
  'docker',
  'gcc',
  'gh',
  'git',
  'jq',
  'make',
  'node',
  'podman',
  'python',
  'python3',
  'rg',
  'ruby',
  'uv',
] as const;

/** The command lines of the environment probe. They change nothing and read no file. */
export const SHELL_VERSION_LINE = 'printf \'%s\\n\' "$BASH_VERSION"';
export const SYSTEM_LINE = 'uname -srm';
export const lookupLine = (name: string): string => `command -v ${name}`;
export const versionLine = (name: string): string => `${name} --version`;

/** What a tool may be called (S3-28): such a name is one plain word in every shell. */
export const TOOL_NAME = /^[A-Za-z0-9._-]+$/;

const names = PROBED_PROGRAMS.join('|');

/**
 * What lets the probe through every policy, by the exact text of its lines and one program each. Denies and asks of any
 * policy stand above, and so does what the session says: another `git` than the system's asks.
 */
export const PROBE_RULES: readonly Rule[] = [
  {
    id: 'probe-shell',
    decision: 'allow',
    text: '^printf \'%s\\\\n\' "\\$BASH_VERSION"$',
    command: "printf '%s\\n' *",
    reason: 'tells the version of the shell',
    match: [SHELL_VERSION_LINE],
    not_match: ['printf \'%s\\n\' "$API_TOKEN"'],
  },
  {
    id: 'probe-system',
    decision: 'allow',
    text: '^uname -srm$',
    command: 'uname -srm',
    reason: 'tells the version of the system',
    match: [SYSTEM_LINE],
    not_match: ['uname -a', 'uname -srm > out'],
  },
  {
    id: 'probe-lookup',
    decision: 'allow',
    text: '^command -v [A-Za-z0-9._-]+$',
    command: 'command -v *',
    reason: 'looks whether a program is there',
    match: [lookupLine('git'), lookupLine('clang-15')],
    not_match: ['command git', 'command -v git node'],
  },
  {
    id: 'probe-version',
    decision: 'allow',
    text: `^(${names}) --version$`,
    command: `{${PROBED_PROGRAMS.join(', ')}} --version`,
    reason: 'prints a version',
    match: [versionLine('git'), versionLine('node')],
    not_match: ['yarn --version', 'git --version; touch x', 'git --version > out'],
  },
];
