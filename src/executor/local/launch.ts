import { spawnSync } from 'node:child_process';
import { hasProc, realLookup } from '../../platform.js';

const REMOVED = new Set(
  [
    'ENV SHELLOPTS BASHOPTS PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND POSIXLY_CORRECT IFS CDPATH GLOBIGNORE EXECIGNORE',
    'TMOUT HISTFILE MAIL MAILPATH MAILCHECK INPUTRC TEXTDOMAINDIR LOCPATH NLSPATH GCONV_PATH',
  ]
    .join(' ')
    .split(' '),
);
const REMOVED_PREFIXES = ['BASH_', 'LD_', 'DYLD_', 'SHELLGATE_'];

/**
 * The environment without the names that make a shell or a dynamic linker run something else (P11): exported functions,
 * `BASH_ENV`, `PS4`, `LD_PRELOAD` and their kind. Values with a NUL are dropped.
 */
export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.includes('\0')) continue;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || REMOVED.has(name)) continue;
    if (REMOVED_PREFIXES.some(prefix => name.startsWith(prefix))) continue;
    clean[name] = value;
  }
  return clean;
}

/** The shell that closes inherited descriptors before it becomes the real program. */
export interface Launcher {
  /** Program and arguments; the script text and its `$0` follow. */
  readonly argv: readonly string[];
  /** Can it close descriptors above 9? dash cannot, and a pty's master is always one of those. */
  readonly closesAll: boolean;
}

let chosen: Launcher | undefined;

/** bash where there is one, else the POSIX shell. */
export function launcher(): Launcher {
  if (chosen) return chosen;
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find(path => realLookup.isExecutable(path));
  chosen = bash
    ? { argv: [bash, '--noprofile', '--norc', '-p', '-c'], closesAll: true }
    : { argv: ['/bin/sh', '-c'], closesAll: closesTwoDigits('/bin/sh') };
  return chosen;
}

/** `exec 10>&-` closes descriptor 10 in bash and busybox; dash looks for a program named 10. */
export function closesTwoDigits(shell: string): boolean {
  const env = cleanEnvironment(process.env);
  return spawnSync(shell, ['-c', 'exec 10>&-;exit 0'], { stdio: 'ignore', env, timeout: 5_000 }).status === 0;
}

// Node opens everything close-on-exec, but cannot do so for pty masters and for what it inherited itself.
const DESCRIPTORS = hasProc ? '/proc/$$/fd' : '/dev/fd';
const NARROW = '??*)echo "/bin/sh cannot close descriptor $f: install bash">&2;exit 126;;';
const closing = (closesAll: boolean): string =>
  `for f in ${DESCRIPTORS}/*;do f=\${f##*/};case $f in [012]|'*')continue;;${closesAll ? '' : NARROW}esac;eval "exec $f>&-";done;`;

/** argv that becomes `argv` with nothing open but stdin, stdout and stderr. */
export function helperArgv(argv: readonly string[], by: Launcher = launcher()): string[] {
  return [...by.argv, `${closing(by.closesAll)}exec "$@"`, 'shellgate-helper', ...argv];
}

/** The same for a session's shell; `terminal` becomes its controlling one, unless it is empty. */
export function shellArgv(terminal: string, argv: readonly string[], by: Launcher = launcher()): string[] {
  const attach = 'if test -n "$1";then exec 9<>"$1";exec 9>&-;fi;shift;';
  return [...by.argv, `${closing(by.closesAll)}${attach}exec "$@"`, 'shellgate', terminal, ...argv];
}
