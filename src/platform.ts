import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { ShellgateError } from './contract/error.js';

/** The only file that asks which system this is. */
export const platform: NodeJS.Platform = process.platform;

/** true where /proc tells about processes and descriptors. */
export const hasProc: boolean = platform === 'linux' && existsSync('/proc/self/stat');

/** The terminal of whoever started us, for questions. */
export const terminalPath: string = platform === 'win32' ? 'CON' : '/dev/tty';

/** The sticky bit: in such a directory only an entry's owner may rename it. */
const STICKY = 0o1000;

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's home: `$HOME` where it is an absolute path, else what the system says of this user. */
export function homeDirectory(env: Environment = process.env): string {
  return env['HOME']?.startsWith('/') ? env['HOME'] : userInfo().homedir;
}

/** Where this process stands. Error: `DIRECTORY_MISSING` where that directory is gone. */
export function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new ShellgateError('DIRECTORY_MISSING', 'the current directory is gone; go to another, or name one with --cwd', {
      cause,
    });
  }
}

/** Durable files: the log, grants, spools. `$XDG_STATE_HOME/shellgate`, else `~/.local/state/shellgate`. */
export function stateDirectory(env: Environment = process.env): string {
  const base = env['XDG_STATE_HOME'];
  return base?.startsWith('/') ? join(base, 'shellgate') : join(homeDirectory(env), '.local/state/shellgate');
}

/** The user's policies and configuration. `$XDG_CONFIG_HOME/shellgate`, else `~/.config/shellgate`. */
export function configDirectory(env: Environment = process.env): string {
  const base = env['XDG_CONFIG_HOME'];
  return base?.startsWith('/') ? join(base, 'shellgate') : join(homeDirectory(env), '.config/shellgate');
}

/** Sockets and other files of running processes: `$XDG_RUNTIME_DIR/shellgate`, else `run` below the state directory. */
export function runtimeDirectory(env: Environment = process.env): string {
  const base = env['XDG_RUNTIME_DIR'];
  return base?.startsWith('/') && isOwnDirectory(base) ? join(base, 'shellgate') : join(stateDirectory(env), 'run');
}

function isOwnDirectory(path: string): boolean {
  try {
    const stat = statSync(path);
    return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/**
 * Make a directory that only its user can enter (0700) and prove that it is one: a real directory, ours, not open to
 * others, and nobody else can rename any part of the way to it. Errors: `PLACE_UNSAFE` with the part and what is wrong
 * with it, `PLACE_UNAVAILABLE` when it cannot be made.
 */
export function privateDirectory(path: string): string {
  try {
    makeDirectories(path);
  } catch (cause) {
    throw new ShellgateError('PLACE_UNAVAILABLE', `cannot make ${path}: ${(cause as Error).message}`, { cause, place: path });
  }
  const stat = lstatSync(path);
  const wrong = !stat.isDirectory()
    ? 'is not a directory'
    : stat.uid !== process.getuid?.()
      ? `belongs to uid ${stat.uid}, not to you`
      : (stat.mode & 0o077) !== 0
        ? `is open to others (mode ${(stat.mode & 0o777).toString(8)}); chmod 700 it`
        : undefined;
  if (wrong) throw new ShellgateError('PLACE_UNSAFE', `${path} ${wrong}`, { place: path });
  requireSafeWay(realpathSync(path));
  return path;
}

/** Part by part: `mkdirSync`'s own `recursive` never returns below /proc. */
function makeDirectories(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectories(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whoever can write a parent directory can put another one in our place, unless it is sticky. */
function requireSafeWay(path: string): void {
  for (let part = dirname(path); ; part = dirname(part)) {
    const { uid, mode } = statSync(part);
    const trusted = uid === 0 || uid === process.getuid?.();
    const writable = (mode & 0o022) !== 0 && (mode & STICKY) === 0;
    if (!trusted || writable) {
      const why = trusted ? `others can write it (mode ${(mode & 0o7777).toString(8)})` : `it belongs to uid ${uid}`;
      throw new ShellgateError('PLACE_UNSAFE', `${path} is not safe below ${part}: ${why}`, { place: part });
    }
    if (part === dirname(part)) return;
  }
}

/** What platform decisions need to look at; injected by tests. */
export interface Lookup {
  readonly platform: NodeJS.Platform;
  /** Is this an executable regular file? */
  isExecutable(path: string): boolean;
  readonly path: readonly string[];
}

export const realLookup: Lookup = {
  platform,
  isExecutable(path) {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  },
  get path() {
    return (process.env['PATH'] ?? '').split(platform === 'win32' ? ';' : ':').filter(entry => entry !== '');
  },
};

/**
 * The shell to run, as argv (S3-15 to S3-17): `shell` if given (a string is split like a shell would, a list is taken
 * as it is), else `AGENT_FRAMEWORK_SHELL`, else the system's. The family adds the flags it needs. A program named
 * without a path (`sh`) is the one that is found where the system's shells are, or on PATH.
 * Errors: `SHELL_INVALID` for an empty one, `SHELL_MISSING` when none is found.
 */
export function resolveShell(
  shell: string | readonly string[] | undefined,
  lookup: Lookup = realLookup,
  env: Environment = process.env,
): readonly string[] {
  const chosen = shell ?? env['AGENT_FRAMEWORK_SHELL'];
  if (chosen !== undefined) {
    const place = shell === undefined ? 'AGENT_FRAMEWORK_SHELL' : '--shell';
    const [program = '', ...flags] = typeof chosen === 'string' ? splitWords(chosen) : chosen;
    if (program === '') {
      throw new ShellgateError('SHELL_INVALID', 'the shell is empty; name a program, for example /bin/bash', { place });
    }
    if (lookup.platform === 'win32' || program.includes('/')) return [program, ...flags];
    const found = findProgram(program, shellFolders(lookup), lookup);
    if (found) return [found, ...flags];
    throw new ShellgateError('SHELL_MISSING', `${program} was not found on PATH; name its path`, { place });
  }
  return lookup.platform === 'win32' ? windowsShell(lookup) : posixShell(lookup);
}

/** The system's own first; nothing of PATH that depends on the current directory. */
const shellFolders = ({ path }: Lookup): string[] => ['/bin', '/usr/bin', ...path.filter(folder => folder.startsWith('/'))];

function posixShell(lookup: Lookup): readonly string[] {
  const bash = findProgram('bash', shellFolders(lookup), lookup);
  if (bash) return [bash, '--noprofile', '--norc'];
  const sh = findProgram('sh', shellFolders(lookup), lookup);
  if (sh) return [sh];
  throw new ShellgateError('SHELL_MISSING', 'neither bash nor sh was found; install bash or name a shell with --shell');
}

function windowsShell(lookup: Lookup): readonly string[] {
  for (const name of ['pwsh', 'powershell']) {
    if (findProgram(`${name}.exe`, lookup.path, lookup) ?? findProgram(name, lookup.path, lookup)) {
      return [name, '-NoLogo', '-NoProfile', '-NonInteractive', '-Command', '-'];
    }
  }
  throw new ShellgateError('SHELL_MISSING', 'neither pwsh nor powershell was found on PATH; install PowerShell or name a shell');
}

function findProgram(name: string, folders: readonly string[], lookup: Lookup): string | undefined {
  return folders.map(folder => join(folder, name)).find(path => lookup.isExecutable(path));
}

/** Words of a program line: blanks separate, quotes and backslashes keep them together. No expansion of any kind. */
function splitWords(line: string): string[] {
  const words = line.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
  return words.map(word =>
    word.replace(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
      (_all, single?: string, double?: string, escaped?: string) =>
        single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '',
    ),
  );
}
