import { type ChildProcess, spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { ShellgateError } from '../../contract/error.js';
import { cleanEnvironment, helperArgv } from './launch.js';

/** More than this from a helper is cut. */
const OUTPUT_BYTES = 1024 * 1024;
/** What a helper left behind may hold its output open for ever: the exit decides, and output gets this much longer. */
const LATE_OUTPUT_MS = 50;

export interface HelperOptions {
  readonly cwd?: string;
  /** Default: the host's own, cleaned. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default `nothing`. Node's pipe is a socket, and a bash whose stdin is one reads the user's rc file, unless told not to. */
  readonly input?: 'pipe' | 'nothing';
}

/**
 * Start any program of the host's own. It has no descriptor above 2 (a pty's master would let it type into a session),
 * no controlling terminal (nothing can be typed into the approver's) and a cleaned environment.
 * Errors: `PROGRAM_NOT_ABSOLUTE`.
 */
export function spawnHelper(argv: readonly string[], options: HelperOptions = {}): ChildProcess {
  const program = argv[0] ?? '';
  if (!isAbsolute(program)) {
    throw new ShellgateError('PROGRAM_NOT_ABSOLUTE', `a helper needs an absolute path, not "${program}"`);
  }
  const [shell, ...rest] = helperArgv(argv);
  return spawn(shell!, rest, {
    detached: true,
    stdio: [options.input === 'pipe' ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: cleanEnvironment(options.env ?? process.env),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
}

export interface HelperRun extends HelperOptions {
  readonly stdin?: string;
  /** Its whole process group is killed then. Default 10 s. */
  readonly timeoutMs?: number;
}

export interface HelperResult {
  /** undefined: it could not start, was killed or took too long. */
  readonly status: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Run a helper to its end. Never rejects for what the program does. */
export function runHelper(argv: readonly string[], run: HelperRun = {}): Promise<HelperResult> {
  const child = spawnHelper(argv, { ...run, input: run.stdin ? 'pipe' : 'nothing' });
  return new Promise(resolve => {
    const timer = setTimeout(() => killGroup(child), run.timeoutMs ?? 10_000);
    const stdout = collect(child.stdout!);
    const stderr = collect(child.stderr!);
    let late: NodeJS.Timeout | undefined;
    const finish = (status: number | undefined): void => {
      clearTimeout(timer);
      clearTimeout(late);
      resolve({ status, stdout: stdout(), stderr: stderr() });
    };
    child.on('error', () => finish(undefined));
    child.on('exit', () => {
      late = setTimeout(() => {
        child.stdout!.destroy();
        child.stderr!.destroy();
      }, LATE_OUTPUT_MS);
    });
    child.on('close', status => finish(status ?? undefined));
    child.stdin?.on('error', () => {});
    child.stdin?.end(run.stdin);
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // gone between the check and the kill
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < OUTPUT_BYTES) chunks.push(chunk.subarray(0, OUTPUT_BYTES - bytes));
    bytes += chunk.length;
  });
  stream.on('error', () => {});
  return () => Buffer.concat(chunks).toString('utf8');
}
