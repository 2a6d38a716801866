import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Why writes cannot be seen here; undefined where they can. */
export function whyNoStrace(): string | undefined {
  const { error, status } = spawnSync('strace', ['-qq', '-e', 'trace=none', 'true'], { stdio: 'ignore' });
  if (error) return 'strace is not installed';
  return status === 0 ? undefined : 'strace may not trace here';
}

const CALLS =
  'open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat,' +
  'truncate,ftruncate,chmod,fchmod,fchmodat,chown,lchown,fchown,fchownat,mknod,mknodat,utime,utimes,futimesat,utimensat,' +
  'setxattr,lsetxattr,fsetxattr,clone,clone3,fork,vfork,chdir,fchdir';

/** Which path arguments of a call are changed by it; a rename takes one away and puts one in place. */
const CHANGED: Readonly<Record<string, readonly number[]>> = {
  rename: [0, 1],
  renameat: [0, 1],
  renameat2: [0, 1],
  link: [1],
  linkat: [1],
  symlink: [1],
  symlinkat: [1],
};

/** Paths that the kernel saw change, and those it saw opened for reading. */
export interface Touched {
  readonly written: readonly string[];
  readonly read: readonly string[];
}

/** One process's part of that, the kernel's word for it. */
interface Trace {
  readonly written: string[];
  readonly read: string[];
  readonly children: { readonly pid: string; readonly cwd: string }[];
}

const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/** A C string as strace prints it. */
function unquoted(text: string): string {
  const bytes: number[] = [];
  for (const part of text.matchAll(/\\([0-7]{1,3})|\\x([0-9a-f]{2})|\\(.)|([^\\]+)/g)) {
    const [, octal, hex, escaped, plain] = part;
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (escaped !== undefined) bytes.push({ n: 10, t: 9, r: 13, v: 11, f: 12 }[escaped] ?? escaped.charCodeAt(0));
    else bytes.push(...Buffer.from(plain!));
  }
  return Buffer.from(bytes).toString();
}

/** The lines of one process, which began in `start`. */
export function readTrace(text: string, start: string): Trace {
  const trace: Trace = { written: [], read: [], children: [] };
  let cwd = start;
  for (const line of text.split('\n')) {
    const call = /^(\w+)\((.*)\)\s+= (-?\d+)(?:<(.*)>)?/.exec(line);
    if (!call) continue;
    const [, name, args, result, resultPath] = call as unknown as [string, string, string, string, string | undefined];
    const here = /AT_FDCWD<([^>]*)>/.exec(args)?.[1];
    if (here !== undefined) cwd = unquoted(here);
    if (result.startsWith('-')) continue;
    const paths = [...args.matchAll(QUOTED)].map(([, quoted]) => unquoted(quoted!));
    // `AT_FDCWD</w>` or `3</w/d>` in front of a path says where it begins.
    const places = [...args.matchAll(/(?:AT_FDCWD|\b\d+)<([^>]*)>/g)].map(([, place]) => unquoted(place!));
    const stands = (index: number) => placeOf(places[Math.min(index, places.length - 1)] ?? cwd, paths[index] ?? '');
    if (/^(clone3?|v?fork)$/.test(name)) trace.children.push({ pid: result, cwd });
    else if (name === 'chdir') cwd = real(stands(0));
    else if (name === 'fchdir') cwd = places[0] ?? cwd;
    else if (/^(open|openat|openat2|creat)$/.test(name)) {
      const path = resultPath === undefined ? stands(0) : unquoted(resultPath);
      if (name === 'creat' || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(args)) trace.written.push(path);
      // What is opened for both is a change for whoever judges it.
      if (/O_RDONLY/.test(args) && !/O_DIRECTORY|O_PATH/.test(args)) trace.read.push(path);
    } else if (/^f(truncate|chmod|chown|setxattr)$/.test(name)) trace.written.push(places[0]!);
    else if (paths.length === 0) trace.written.push(...places.slice(0, 1));
    else for (const index of CHANGED[name] ?? [0]) trace.written.push(stands(index));
  }
  return trace;
}

/** Where a name stands for the kernel, which takes `..` behind the link it stands at; a link at the end is not followed. */
function placeOf(cwd: string, path: string): string {
  const parts = path.split('/').filter(part => part !== '' && part !== '.');
  let at = path.startsWith('/') ? '/' : cwd;
  for (const part of parts) at = part === '..' ? dirname(real(at)) : join(real(at), part);
  return at;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export interface Runner {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly asNobody: boolean;
  /** A directory of its own for the traces, that the user may write. */
  readonly traces: string;
}

/** Runs a line in a bash of its own, stops after three seconds, and says what it touched. */
export async function touchedBy(line: string, { cwd, env, asNobody, traces }: Runner): Promise<Touched> {
  mkdirSync(traces, { recursive: true });
  const folder = mkdtempSync(join(traces, 't-'));
  const bash = ['/bin/bash', '--noprofile', '--norc', '-p', '-c', line];
  // strace keeps its rights, what it traces gives them up.
  const user = asNobody ? ['-u', 'nobody'] : [];
  const child = spawn(
    'strace',
    ['-ff', '-qq', '-y', '-s', '4096', ...user, '-o', join(folder, 't'), '-e', `trace=${CALLS}`, ...bash],
    {
      cwd,
      env,
      stdio: 'ignore',
      detached: true,
    },
  );
  await ended(child);
  const texts = new Map(readdirSync(folder).map(name => [name.slice(2), readFileSync(join(folder, name), 'utf8')]));
  rmSync(folder, { recursive: true });
  return collected(texts, cwd);
}

/** What every process touched; a child begins where its parent stood when it was made. */
function collected(texts: ReadonlyMap<string, string>, cwd: string): Touched {
  const [written, read] = [new Set<string>(), new Set<string>()];
  const children = new Map<string, string>();
  // Parents have smaller numbers, save for a wrap-around: what is not reached that way begins where the line began.
  for (const pid of [...texts.keys()].sort((a, b) => Number(a) - Number(b))) {
    const trace = readTrace(texts.get(pid)!, children.get(pid) ?? cwd);
    for (const child of trace.children) children.set(child.pid, child.cwd);
    for (const path of trace.written) written.add(path);
    for (const path of trace.read) read.add(path);
  }
  return { written: [...written], read: [...read] };
}

async function ended(child: ChildProcess): Promise<void> {
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // Nothing is left of it.
    }
  };
  const timer = setTimeout(kill, 3000);
  await new Promise(done => child.once('close', done));
  clearTimeout(timer);
  kill();
}
