import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Touched, touchedBy } from './strace.js';

const NOBODY = 65534;
const GIT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@x',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@x',
};
/** Changes f1, makes n1, takes f2 away. */
const MANY = `--- a/f1
+++ b/f1
@@ -1,2 +1,2 @@
-b
+c
 a
--- /dev/null
+++ b/n1
@@ -0,0 +1 @@
+x
--- a/f2
+++ /dev/null
@@ -1,2 +0,0 @@
-b
-a
`;

/** A throw-away place with files, links, archives and a repository, and a neighbour that is outside of it. */
export class FileLaboratory implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'shellgate-files-')));
  readonly work = join(this.root, 'work');
  readonly home = join(this.root, 'home');
  readonly asNobody = process.getuid?.() === 0;
  readonly env = { PATH: '/usr/bin:/bin', HOME: this.home, LANG: 'C', TMPDIR: join(this.root, 'tmp'), ...GIT };
  readonly #template = join(this.root, 'template');

  constructor() {
    chmodSync(this.root, 0o755);
    if ((lstatSync(tmpdir()).mode & 0o001) === 0) chmodSync(tmpdir(), 0o711);
    const work = join(this.#template, 'work');
    for (const folder of ['work/d/sub', 'work/s', 'work/e', 'outside/in', 'home/.ssh', 'tmp', 'work/g/k', 'work/d/far'])
      mkdirSync(join(this.#template, folder), { recursive: true });
    for (const name of ['f1', 'f2', 'sp ace', 'd/f3', 'd/sub/f4', 's/f3', 's/x', '-f', '.env'])
      writeFileSync(join(work, name), 'b\na\n');
    for (const name of ['outside/of', 'outside/in/oi', 'home/h', 'home/.ssh/id', 'work/g/h', 'work/g/k/m'])
      writeFileSync(join(this.#template, name), 'a\n');
    writeFileSync(join(work, 'names'), 'f1\nd/f3\n../outside/of\n');
    writeFileSync(join(work, 'names0'), 'f1\0../outside/of');
    writeFileSync(join(work, 'sums'), `${'0'.repeat(32)}  ../outside/of\n`);
    symlinkSync('d', join(work, 'l'));
    symlinkSync('f1', join(work, 'ln'));
    symlinkSync('../outside', join(work, 'out'));
    symlinkSync('../outside/new', join(work, 'dang'));
    symlinkSync('../../../outside/in', join(work, 'd/far/away'));
    writeFileSync(join(work, 'p.diff'), '--- a/f1\n+++ b/f1\n@@ -1,2 +1,2 @@\n-b\n+c\n a\n');
    writeFileSync(join(work, 'q.diff'), MANY);
    const make = (...argv: string[]) => spawnSync(argv[0]!, argv.slice(1), { cwd: work, env: this.env, stdio: 'ignore' });
    make('tar', 'cf', 'a.tar', 'f1', 'd');
    make('tar', 'czf', 'a.tgz', 'f1', 'd');
    make('zip', '-qr', 'a.zip', 'f1', 'd');
    make('ar', 'rc', 'x.a', 'f1', 'f2');
    for (const [tool, end] of [
      ['gzip', 'gz'],
      ['bzip2', 'bz2'],
      ['xz', 'xz'],
      ['zstd', 'zst'],
    ])
      make('bash', '-c', `${tool} -c f1 > a.${end}`);
    for (const words of ['init -q', 'add .', 'commit -qm x', 'branch other', 'bundle create -q ../g.bundle HEAD', 'tag t0'])
      make('git', '-C', 'g', ...words.split(' '));
    this.reset();
  }

  /** The place as every line finds it. `touched`: what the last line touched, where nothing else is to be put back. */
  reset(touched?: readonly string[]): void {
    const all = readdirSync(this.#template);
    const names = touched?.some(isShared) === false ? new Set(touched.flatMap(path => this.#stemOf(path))) : all;
    for (const name of names) {
      rmSync(join(this.root, name), { recursive: true, force: true });
      if (exists(join(this.#template, name)))
        cpSync(join(this.#template, name), join(this.root, name), {
          recursive: true,
          verbatimSymlinks: true,
          preserveTimestamps: true,
        });
    }
    const own = [...names].map(name => join(this.root, name)).filter(exists);
    if (this.asNobody && own.length > 0) spawnSync('chown', ['-hR', `${NOBODY}:${NOBODY}`, '--', ...own]);
  }

  /** What is put back for a path: an entry of the working directory, or one of the places beside it. */
  #stemOf(path: string): string[] {
    const [place, entry] = relative(this.root, path).split('/');
    // Anything else is none of its own.
    if (place === undefined || !readdirSync(this.#template).includes(place)) return [];
    return [place === 'work' && entry ? `work/${entry}` : place];
  }

  /** Everything that stands here, as the line finds it: `true` is a plain file. */
  contents(): ReadonlyMap<string, boolean> {
    const found = readdirSync(this.#template).flatMap(name =>
      readdirSync(join(this.root, name), { recursive: true, withFileTypes: true }),
    );
    return new Map(found.map(entry => [join(entry.parentPath, entry.name), entry.isFile()]));
  }

  run(line: string): Promise<Touched> {
    return touchedBy(line, { cwd: this.work, env: this.env, asNobody: this.asNobody, traces: join(this.root, 'traces') });
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Its content may stand at another name as well. */
function isShared(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.nlink > 1;
}

/** Where a name leads now: links of what is there followed, the last one too. */
export function leadsTo(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const link = linkOf(path);
    if (link !== undefined) return leadsTo(resolve(dirname(path), link));
    const parent = dirname(path);
    return parent === path ? path : join(leadsTo(parent), basename(path));
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Where the links in a directory lead, and those in its folders down to some level. */
export function linksIn(folder: string, depth: number): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) return [leadsTo(path)];
      return entry.isDirectory() && depth > 1 ? linksIn(path, depth - 1) : [];
    });
  } catch {
    return [];
  }
}
