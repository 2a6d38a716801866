import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createAnalyzer } from '../../src/analysis/analyzer.js';
import type { SpecLookup } from '../../src/analysis/spec.js';
import type { Analysis } from '../../src/contract/analysis.js';
import { commandRequest, sessionState } from '../analysis/analyzing.js';
import { isOpaque, type Miss } from './differential.js';
import { FileGrammar } from './file-grammar.js';
import { exists, FileLaboratory, leadsTo, linksIn } from './file-laboratory.js';

/** Nothing is kept there. */
const NOWHERE = /^(\/dev\/(null|tty|pts\/|ptmx|std|fd)|\/proc\/(self|\d+)\/fd\/|pipe:|socket:|anon_inode:)/;
/** What every git looks at before it does anything. */
const NOTES = /\/\.git\/(HEAD|config|commondir)$/;
/** A repository's own note of what it last saw of its files: readers renew it. */
const RENEWED = /\/\.git\/index(\.lock)?$/;

interface Named {
  readonly path: string;
  readonly tree: boolean;
}

/** What the analysis says may be touched. */
interface Account {
  readonly written: readonly Named[];
  readonly read: readonly Named[];
}

/** Of a directory as the facts are asked about it, with a star for each level or two for all. */
function linksOf(folder: string): string[] {
  const [, base = '', levels = ''] = /^(.*?)(\/\*\*|(?:\/\*)*)\/$/.exec(folder) ?? [];
  return linksIn(base || '/', levels === '/**' ? Number.POSITIVE_INFINITY : 1 + levels.length / 2);
}

/** What the facts about this place alone make a question, whatever the rules say. */
function isAskedForLinks({ query }: Analysis, work: string): boolean {
  const inside = (path: string) => path === work || path.startsWith(`${work}/`);
  return (
    (query.crossed ?? []).some(path => exists(path) && leadsTo(path) !== path) ||
    (query.folders ?? []).some(folder => linksOf(folder).some(link => !inside(link)))
  );
}

/** Every path the analysis says may be touched, as it is called and where it leads. undefined: it says any, or asks. */
function accountOf(analysis: Analysis, { work, root, env }: FileLaboratory): Account | undefined {
  // Nothing allows a program that no spec describes.
  if (isOpaque(analysis) || analysis.programs.some(({ specified }) => !specified)) return undefined;
  if (isAskedForLinks(analysis, work)) return undefined;
  const account = { written: [] as Named[], read: [] as Named[] };
  const asked = new Set(analysis.query.paths);
  // The place for passing files is called by its usual name; here it has one of its own.
  const here = (path: string) => (/^\/tmp(\/|$)/.test(path) && !path.startsWith(root) ? env.TMPDIR + path.slice(4) : path);
  for (const { kind, target, glob } of [...analysis.effects, ...analysis.programs.flatMap(({ effects }) => effects)]) {
    if (kind !== 'write' && kind !== 'read') continue;
    if (!target || !('text' in target)) return undefined;
    const below = target.text.endsWith('/**');
    const path = here(below ? target.text.slice(0, -3) || '/' : target.text);
    // `.git` alone is how a repository's own files are called.
    const tree = below || basename(path) === '.git';
    const named: Named[] = [{ path, tree }];
    // Where it leads is known to a verdict only when it asks. The name itself may be replaced, or what it leads to written.
    if (asked.has(path)) named.push({ path: join(leadsTo(dirname(path)), basename(path)), tree }, { path: leadsTo(path), tree });
    // What a pattern meets is looked up.
    if (glob !== undefined) named.push(...linksIn(path, Number.POSITIVE_INFINITY).map(link => ({ path: link, tree })));
    account[kind === 'write' ? 'written' : 'read'].push(...named);
    // Whatever git changes of a repository, it reads its notes.
    const repository = /^(.*\/\.git)(\/|$)/.exec(path)?.[1];
    if (repository !== undefined) account.read.push({ path: leadsTo(repository), tree: true });
  }
  for (const path of analysis.query.hashes) account.read.push({ path: leadsTo(path), tree: false });
  return account;
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
  readonly read: number;
}

/** Compares what the analysis says a line writes and reads with what the kernel saw of it. */
export async function compareFiles(line: string, laboratory: FileLaboratory, specs: SpecLookup): Promise<FileResult> {
  const { work, home } = laboratory;
  const state = sessionState({ cwd: work, workspace: work, home });
  const analysis = await createAnalyzer({ specs }).analyze(commandRequest(line), state, new AbortController().signal);
  const account = accountOf(analysis, laboratory);
  if (!account) return { opaque: true, written: 0, read: 0 };
  const before = laboratory.contents();
  const touched = await laboratory.run(line);
  const written = touched.written.filter(path => !NOWHERE.test(path) && !RENEWED.test(path));
  const unwritten = written.find(
    path =>
      !covers(account.written, path) && !isPassing(path, { named: account.written, before, scratch: laboratory.env.TMPDIR }),
  );
  // What the line made itself holds nothing that was secret before.
  const read = touched.read.filter(path => before.get(path) === true && !NOTES.test(path));
  const unread = read.find(path => !covers(account.read, path));
  if (touched.written.length > 0) laboratory.reset(touched.written);
  const counts = { opaque: false, written: written.length, read: read.length };
  if (unwritten !== undefined) return { ...counts, why: `${unwritten} was written and not said` };
  return unread === undefined ? counts : { ...counts, why: `${unread} was read and not said` };
}

interface Around {
  readonly named: readonly Named[];
  readonly before: ReadonlyMap<string, boolean>;
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
  readonly read: number;
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
  const tally = { lines: 0, opaque: 0, written: 0, read: 0 };
  while (tally.lines < options.count && misses.length < (options.most ?? 10)) {
    const line = grammar.line();
    const result = await compareFiles(line, laboratory, options.specs);
    tally.lines += 1;
    tally.written += result.written;
    tally.read += result.read;
    if (result.opaque) tally.opaque += 1;
    if (result.why !== undefined) misses.push({ line, why: result.why.replaceAll(laboratory.root, '') });
  }
  return { ...tally, misses };
}
