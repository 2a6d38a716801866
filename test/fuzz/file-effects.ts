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
import { basename, dirname, join, resolve } from 'node:path';
import { createAnalyzer } from '../../src/analysis/analyzer.js';
import type { SpecLookup } from '../../src/analysis/spec.js';
import type { Analysis } from '../../src/contract/analysis.js';
import { commandRequest, sessionState } from '../analysis/analyzing.js';
import { isOpaque, type Miss } from './differential.js';
import { FileGrammar } from './file-grammar.js';
import { writtenBy } from './strace.js';

const NOBODY = 65534;
/** Nothing is kept there. */
const NOWHERE = /^(\/dev\/(null|tty|pts\/|ptmx|std|fd)|\/proc\/(self|\d+)\/fd\/|pipe:|socket:|anon_inode:)/;
/** A repository's own note of what it last saw of its files: readers renew it. */
const RENEWED = /\/\.git\/index(\.lock)?$/;
const GIT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@x',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@x',
};

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
    for (const folder of ['work/d/sub', 'work/s', 'work/e', 'outside', 'home', 'tmp', 'work/g'])
      mkdirSync(join(this.#template, folder), { recursive: true });
    for (const name of ['f1', 'f2', 'sp ace', 'd/f3', 'd/sub/f4', 's/f3', 's/x', '-f']) writeFileSync(join(work, name), 'b\na\n');
    for (const name of ['outside/of', 'home/h', 'work/g/h']) writeFileSync(join(this.#template, name), 'a\n');
    symlinkSync('d', join(work, 'l'));
    symlinkSync('f1', join(work, 'ln'));
    symlinkSync('../outside', join(work, 'out'));
    symlinkSync('../outside/new', join(work, 'dang'));
    writeFileSync(join(work, 'p.diff'), '--- a/f1\n+++ b/f1\n@@ -1,2 +1,2 @@\n-b\n+c\n a\n');
    const make = (...argv: string[]) => spawnSync(argv[0]!, argv.slice(1), { cwd: work, env: this.env, stdio: 'ignore' });
    make('tar', 'cf', 'a.tar', 'f1', 'd');
    make('zip', '-qr', 'a.zip', 'f1', 'd');
    make('ar', 'rc', 'x.a', 'f1', 'f2');
    make('bash', '-c', 'gzip -c f1 > a.gz');
    for (const words of ['init -q', 'add .', 'commit -qm x']) make('git', '-C', 'g', ...words.split(' '));
    this.reset();
  }

  /** The place as every line finds it. */
  reset(): void {
    for (const name of readdirSync(this.#template)) {
      rmSync(join(this.root, name), { recursive: true, force: true });
      cpSync(join(this.#template, name), join(this.root, name), {
        recursive: true,
        verbatimSymlinks: true,
        preserveTimestamps: true,
      });
    }
    if (this.asNobody)
      spawnSync('chown', ['-hR', `${NOBODY}:${NOBODY}`, ...readdirSync(this.#template).map(name => join(this.root, name))]);
  }

  run(line: string): Promise<string[]> {
    return writtenBy(line, { cwd: this.work, env: this.env, asNobody: this.asNobody, traces: join(this.root, 'traces') });
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Where a name leads now: links of what is there followed, the last one too. */
function leadsTo(path: string): string {
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

interface Named {
  readonly path: string;
  readonly tree: boolean;
}

/** Every path the analysis says may be written, as it is called and where it leads. undefined: it says any. */
function namedBy(analysis: Analysis): Named[] | undefined {
  const named: Named[] = [];
  const asked = new Set(analysis.query.paths);
  for (const { kind, target } of [...analysis.effects, ...analysis.programs.flatMap(({ effects }) => effects)]) {
    if (kind !== 'write') continue;
    if (!target || !('text' in target)) return undefined;
    const below = target.text.endsWith('/**');
    const path = below ? target.text.slice(0, -3) || '/' : target.text;
    // `.git` alone is how a repository's own files are called.
    const tree = below || basename(path) === '.git';
    named.push({ path, tree });
    // Where it leads is known to a verdict only when it asks. The name itself may be replaced, or what it leads to written.
    if (asked.has(path)) named.push({ path: join(leadsTo(dirname(path)), basename(path)), tree }, { path: leadsTo(path), tree });
  }
  return named;
}

const covers = (named: readonly Named[], path: string): boolean =>
  named.some(
    one => path === one.path || isMade(path, one.path) || (one.tree && path.startsWith(`${one.path === '/' ? '' : one.path}/`)),
  );

/** mktemp: `x.XXX` says what `x.aB3` will be; `f.~1~` is any numbered backup. */
function isMade(path: string, template: string): boolean {
  if (template.endsWith('.~1~') && /^\.~\d+~$/.test(path.slice(template.length - 4)) && path.startsWith(template.slice(0, -4)))
    return true;
  const end = /X{3,}/.exec(basename(template));
  if (!end || dirname(path) !== dirname(template) || basename(path).length !== basename(template).length) return false;
  return basename(path).startsWith(basename(template).slice(0, end.index));
}

export interface FileResult {
  readonly why?: string;
  readonly opaque: boolean;
  readonly written: number;
}

/** Compares what the analysis says a line writes with what the kernel saw it write. */
export async function compareFiles(line: string, laboratory: FileLaboratory, specs: SpecLookup): Promise<FileResult> {
  const { work, home, root } = laboratory;
  const state = sessionState({ cwd: work, workspace: work, home });
  const analysis = await createAnalyzer({ specs }).analyze(commandRequest(line), state, new AbortController().signal);
  // Nothing allows a program that no spec describes.
  const isAsked = isOpaque(analysis) || analysis.programs.some(({ specified }) => !specified);
  const named = isAsked ? undefined : namedBy(analysis);
  if (!named) return { opaque: true, written: 0 };
  const before = new Set(readdirSync(root, { recursive: true, encoding: 'utf8' }).map(name => join(root, name)));
  const written = (await laboratory.run(line)).filter(path => !NOWHERE.test(path) && !RENEWED.test(path));
  const missed = written.find(
    path => !covers(named, path) && !isPassing(path, { named, before, scratch: laboratory.env.TMPDIR }),
  );
  if (written.length > 0) laboratory.reset();
  return { opaque: false, written: written.length, ...(missed !== undefined && { why: `${missed} was written and not said` }) };
}

interface Around {
  readonly named: readonly Named[];
  readonly before: ReadonlySet<string>;
  readonly scratch: string;
}

/** A file that came and went, in the place for such files or beside one that is named, or a folder made on the way to one. */
function isPassing(path: string, { named, before, scratch }: Around): boolean {
  if (before.has(path)) return false;
  if (!exists(path) && dirname(path) === scratch) return true;
  if (!exists(path)) return named.some(one => dirname(one.path) === dirname(path) || one.path === dirname(path));
  return lstatSync(path).isDirectory() && named.some(one => one.path.startsWith(`${path}/`));
}

export interface FileTally {
  readonly lines: number;
  readonly opaque: number;
  readonly written: number;
  readonly misses: readonly Miss[];
}

/** Runs `count` lines of the grammar. Stops at `most` misses. */
export async function runFileDifferential(options: {
  count: number;
  seed: number;
  specs: SpecLookup;
  most?: number;
}): Promise<FileTally> {
  using laboratory = new FileLaboratory();
  const grammar = new FileGrammar(options.seed);
  const misses: Miss[] = [];
  let [lines, opaque, written] = [0, 0, 0];
  while (lines < options.count && misses.length < (options.most ?? 10)) {
    const line = grammar.line();
    const result = await compareFiles(line, laboratory, options.specs);
    lines += 1;
    written += result.written;
    if (result.opaque) opaque += 1;
    if (result.why !== undefined) misses.push({ line, why: result.why.replaceAll(laboratory.root, '') });
  }
  return { lines, opaque, written, misses };
}
