import type { Effect, Reason, Word } from '../contract/analysis.js';
import type { DraftProgram, Findings } from './findings.js';
import { isKnown, leadOf } from './word.js';

/** Programs that can put a symlink or a whole tree in place: what lies below their targets is not what it was. */
const PLACES_LINKS = /^(.*\/)?(ln|link|mv|rsync|tar|unzip|bsdtar|cpio|7z|git|svn|hg)$/;
/** A plain `cp` follows links; only with one of these does it copy them as what they are. */
const COPIES_LINKS = /^-[a-zA-Z]*[rRadP]|^--(recursive|archive|no-dereference|preserve)/;

const placesLinks = (program: DraftProgram): boolean =>
  PLACES_LINKS.test(leadOf(program.name)) ||
  (/^(.*\/)?cp$/.test(leadOf(program.name)) &&
    program.argv.some(word => (isKnown(word) ? COPIES_LINKS.test(word.text) : !beginsAsName(word))));

/** A pattern is no option either, or it asks. */
const beginsAsName = ({ lead, pattern, composed }: Extract<Word, { opaque: string }>): boolean =>
  lead === '' ? pattern !== undefined && composed !== true : !lead.startsWith('-');

/**
 * Git puts nothing below a directory named `.git` when it changes its work tree, and what stands in attributes only names
 * what its configuration says.
 */
const GIT_CHANGES = new Set(['checkout', 'switch', 'restore', 'reset', 'stash']);
const GIT_OWN = /\/\.git\/|\/\.gitattributes$/;
/** Its own directory, and its work tree as a whole: links in that are looked at, not followed. */
const GIT_LOOKS = /\/\.git$|\/\*\*$/;
const isGit = ({ name }: DraftProgram): boolean => isKnown(name) && /^(\/usr\/bin\/)?git$/.test(name.text);
const isWorkTreeChange = (program: DraftProgram): boolean =>
  isGit(program) &&
  program.argv[1] !== undefined &&
  GIT_CHANGES.has(leadOf(program.argv[1])) &&
  program.argv.every(word => isKnown(word) && !word.text.startsWith('--recurse'));

const isWrite = ({ kind }: Effect): boolean => kind === 'write';

interface Written {
  readonly path: string;
  readonly below: boolean;
  readonly links: boolean;
  /** It puts a link in the very place, not only somewhere below. */
  readonly whole: boolean;
  /** It was moved away from there. */
  readonly gone: boolean;
  readonly by: DraftProgram | undefined;
}

function writtenBy(effects: readonly Effect[], by: DraftProgram | undefined): Written[] {
  const links = by !== undefined && placesLinks(by);
  const whole = /(^|\/)(ln|link|mv)$/.test(by ? leadOf(by.name) : '');
  return effects.flatMap(({ kind, target, detail }) => {
    if (kind !== 'write') return [];
    const gone = detail === 'moved away';
    if (!target) return [{ path: '/', below: true, links, whole, gone, by }];
    const text = leadOf(target);
    const below = !isKnown(target) || text.endsWith('/**');
    const path = isKnown(target) ? text.replace(/\/\*\*$/, '') || '/' : text.replace(/\/[^/]*$/, '') || '/';
    return [{ path, below, links, whole, gone, by }];
  });
}

interface Counts {
  at(entry: Written): boolean;
  above(entry: Written): boolean;
}

const COVERS: Counts = { at: () => true, above: entry => entry.below };

/** Below a place where the line may put a link; for `ln` and `mv` also that place itself. */
const LEADS_ELSEWHERE: Counts = {
  at: entry => entry.whole,
  above: ({ path }) => path !== '/',
};

/** No system takes a longer path, and each of its directories would be looked up. */
const MAX_PATH = 4096;

/** What a line writes, found by the place it stands at. */
class Places {
  readonly #at = new Map<string, Written[]>();

  constructor(written: readonly Written[]) {
    for (const entry of written) {
      const there = this.#at.get(entry.path);
      // Of one program's writes to a place one is enough, and programs come one after the other.
      const last = there?.at(-1);
      if (!there) this.#at.set(entry.path, [entry]);
      else if (last?.by !== entry.by || last?.below !== entry.below) there.push(entry);
    }
  }

  /** Does a program other than `by` write the place itself, or one above it, in a way that counts? */
  some(path: string, by: DraftProgram | undefined, counts: Counts): boolean {
    if (path.length > MAX_PATH) return true;
    const others = (place: string, counting: (entry: Written) => boolean) =>
      this.#at.get(place)?.some(entry => entry.by !== by && counting(entry)) ?? false;
    if (others(path, counts.at) || others('/', counts.above)) return true;
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      if (others(path.slice(0, slash), counts.above)) return true;
    }
    return false;
  }
}

/**
 * Places where links may come to stand. A `mv` of files that the line writes under just these names, and that nothing else
 * of it could make links, brings none: where they lead was looked at before, and a file that is moved is a file.
 */
function linksOf(written: readonly Written[]): Places {
  const placing = written.filter(entry => entry.links);
  const all = new Places(placing.filter(({ gone }) => !gone));
  const made = new Set(written.flatMap(({ links, below, path }) => (links || below ? [] : [path])));
  const bringsLinks = (by: DraftProgram): boolean => {
    if (!/^(.*\/)?mv$/.test(leadOf(by.name))) return true;
    const moved = by.effects.filter(({ kind, detail }) => kind === 'write' && detail === 'moved away');
    const isOwn = (path: string) => made.has(path) && !all.some(path, by, COVERS);
    return moved.length === 0 || !moved.every(({ target }) => target && isKnown(target) && isOwn(target.text));
  };
  const bringing = new Map(placing.flatMap(({ by }) => (by ? [by] : [])).map(by => [by, bringsLinks(by)]));
  return new Places(placing.filter(({ by }) => by === undefined || bringing.get(by) !== false));
}

/**
 * The facts are true before the line runs. A file that the line itself writes and then runs, sources or relies on, and a
 * path below a link it makes, are not what was looked at: the program that uses them is opaque. Order is not considered;
 * loops and background jobs make it uncertain anyway.
 */
export function noteChangedFiles(findings: Findings): void {
  const { effects, programs } = findings;
  if (!effects.some(isWrite) && !programs.some(program => program.effects.some(isWrite))) return;
  const written = [...writtenBy(effects, undefined), ...programs.flatMap(program => writtenBy(program.effects, program))];
  const places = new Places(written);
  const byOthers = new Places(written.filter(({ by }) => by === undefined || !isWorkTreeChange(by)));
  const links = linksOf(written);
  const linksByOthers = linksOf(written.filter(({ by }) => by === undefined || !isWorkTreeChange(by)));
  // Where git changes its work tree it has a repository already, and looks for no other one there.
  const besideOwn = new Set(programs.find(isWorkTreeChange)?.directories?.map(directory => `${directory}/HEAD`));
  for (const program of programs) {
    const relied = [
      ...program.hashes,
      ...(isKnown(program.name) && program.name.text.startsWith('/') ? [program.name.text] : []),
    ];
    const counts: Counts = {
      at: entry => !isStartedBy(program, entry),
      above: entry => entry.below && !isStartedBy(program, entry),
    };
    const changed = relied.find(path =>
      (GIT_OWN.test(path) || besideOwn.has(path) ? byOthers : places).some(path, program, counts),
    );
    if (changed !== undefined) {
      program.opaque.push({
        code: 'changed-in-line',
        text: `relies on ${changed}, which this line itself writes`,
        span: program.span,
      });
      continue;
    }
    const pattern = program.undashed.find(each => mayGainOption(each, written, program));
    if (pattern !== undefined) {
      const text = `gives ${pattern} to ${leadOf(program.name)}, and this line may make a file there that is named like an option`;
      program.opaque.push({ code: 'changed-in-line', text, span: program.span });
    }
    const isKept = isGit(program) ? (path: string) => GIT_LOOKS.test(path) : () => false;
    const through = pathsOf(program.effects).find(path =>
      (isKept(path) ? linksByOthers : links).some(path, program, LEADS_ELSEWHERE),
    );
    if (through !== undefined) program.opaque.push({ ...throughLink(through), span: program.span });
  }
  for (const [pattern, asWritten] of findings.cut)
    if (written.some(entry => mayGainSpace(entry, { pattern, asWritten }))) {
      const text = `this line may make a file that ${pattern} matches, whose name becomes other words where it stands unquoted`;
      findings.reason({ code: 'changed-in-line', text });
    }
  const redirected = pathsOf(findings.effects).find(path => links.some(path, undefined, LEADS_ELSEWHERE));
  if (redirected !== undefined) findings.reason(throughLink(redirected));
}

/** What a wrapper starts comes after the wrapper has read its own files. */
const isStartedBy = (wrapper: DraftProgram, { by }: Written): boolean =>
  by !== undefined &&
  by.via.length > wrapper.via.length &&
  by.span.start === wrapper.span.start &&
  by.span.end === wrapper.span.end;

/** Could it be a file whose name has a space? What is made of the very names that the pattern matches has none, if they have none. */
function mayGainSpace(
  { path, below, gone, by }: Written,
  { pattern, asWritten }: { pattern: string; asWritten: string },
): boolean {
  const folder = fixedPart(pattern);
  const isOfMatches = by?.argv.some(word => !isKnown(word) && word.pattern?.startsWith(asWritten)) ?? false;
  if (gone || isOfMatches) return false;
  if (below) return folder.startsWith(path === '/' ? '/' : `${path}/`);
  return path.startsWith(folder) && /[\s*?[\\]/.test(path.slice(folder.length));
}

const fixedPart = (pattern: string): string => pattern.slice(0, pattern.lastIndexOf('/', pattern.search(/[*?[]/)) + 1);

/** Could another program put a file there whose name begins as an option does? */
function mayGainOption(pattern: string, written: readonly Written[], by: DraftProgram): boolean {
  const folder = fixedPart(pattern);
  return written.some(entry => {
    if (entry.by === by || entry.gone) return false;
    if (entry.below) return folder.startsWith(entry.path === '/' ? '/' : `${entry.path}/`);
    return entry.path.startsWith(folder) && /^[-+@]/.test(entry.path.slice(folder.length));
  });
}

const pathsOf = (effects: readonly Effect[]): string[] =>
  effects.flatMap(({ kind, target }) => ((kind === 'read' || kind === 'write') && target ? [leadOf(target)] : []));

const throughLink = (path: string): Reason => ({
  code: 'changed-in-line',
  text: `uses ${path}, which a link made by this line may turn elsewhere`,
});
