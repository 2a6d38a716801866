import { posix } from 'node:path';
import type { Effect, EffectKind, Reason, Word } from '../../contract/analysis.js';
import type { Nested, Reading } from '../spec.js';
import { isSecret, survivesLogin } from './known-paths.js';
import { ancestors, below, type Directories, isKnown, leadOf, passedThrough, patternIn, resolvePaths } from './paths.js';

export interface PathOptions {
  /** Everything below it as well. */
  readonly tree?: boolean;
  readonly detail?: string;
  /** Names that the text does not say are followed where they are links: those that stand in it, or all below it. */
  readonly follows?: 'entries' | 'all' | false;
  /** What is written there has the names that this pattern matches. */
  readonly named?: Word;
}

const FILTERS = new Set(
  'sort uniq cat head tail wc tr cut column fold fmt nl rev tac grep egrep fgrep less more most gzip gunzip pigz bzip2 pbzip2 xz pixz zstd lz4 lzop compress base64 md5sum sha256sum tee jq delta diff-so-fancy'.split(
    ' ',
  ),
);

/** One is enough to ask; more than this nobody reads. */
const MAX_REASONS = 50;

const NOWHERE = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin', '/dev/tty']);

/** Collects what an invocation does. Relative paths start in `directories`. */
export class ReadingBuilder {
  readonly #effects: Effect[] = [];
  readonly #tags = new Set<string>();
  readonly #opaque: Reason[] = [];
  readonly #asked = new Set<string>();
  readonly #nested: Nested[] = [];
  readonly #hashes = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #undashed = new Set<string>();
  readonly #entered = new Set<string>();
  readonly #variables = new Set<string>();

  constructor(
    readonly program: string,
    public directories: Directories,
    readonly home: string,
  ) {}

  read(word: Word, options: PathOptions = {}): void {
    this.#path('read', word, options);
  }

  write(word: Word, options: PathOptions = {}): void {
    this.#path('write', word, options);
  }

  /** Writes a path whose folders are made where they are missing, those that it leaves again with `..` too. */
  make(word: Word, options: PathOptions = {}): void {
    this.write(word, options);
    for (const folder of passedThrough(leadOf(word))) this.write({ text: folder }, { detail: 'made on the way' });
  }

  /** From now on relative paths start at `word`; with `also`, there as well as here. */
  enter(word: Word, how: 'instead' | 'also' = 'instead'): void {
    const there = resolvePaths(word, this.directories);
    // Which directory a pattern meets is not known, though all that it may meet stands below a known one.
    const known = isKnown(word) && there.every(isKnown) ? there.map(path => path.text) : undefined;
    for (const place of known ?? []) this.#entered.add(place);
    this.directories = how === 'also' && this.directories && known ? [...this.directories, ...known] : known;
  }

  effect(kind: EffectKind, detail: string, target?: Word): void {
    this.#effects.push(target ? { kind, target, detail } : { kind, detail });
  }

  network(target: Word | undefined, detail?: string): void {
    this.#effects.push({ kind: 'network', ...(target && { target }), ...(detail && { detail }) });
  }

  tag(...tags: readonly string[]): void {
    for (const tag of tags) this.#tags.add(tag);
  }

  ask(code: string, text: string): void {
    if (this.#asked.size >= MAX_REASONS || this.#asked.has(text)) return;
    this.#asked.add(text);
    this.#opaque.push({ code, text });
  }

  start(nested: Nested): void {
    this.#nested.push(nested);
  }

  /** The program of `command` is sent text or data. All but a few filters may run what they are sent. */
  feeds(command: Word): void {
    const name = isKnown(command) ? /^\s*(?:[\w./-]*\/)?([\w.-]+)(?=\s|$)/.exec(command.text)?.[1] : undefined;
    const plain = isKnown(command) && !/[|&;`$<>(){}\n]/.test(command.text);
    if (!plain || name === undefined || !FILTERS.has(name))
      this.effect('code', 'sends text to a program that may run it', command);
  }

  /** A file whose content decides what happens, wherever this may start; with `above`, in the directories above it too. */
  rely(path: string, { above = false }: { readonly above?: boolean } = {}): void {
    for (const word of resolvePaths({ text: path }, this.directories)) {
      if (isKnown(word)) this.#hashes.add(word.text);
      else this.ask('unknown-directory', `${this.program} relies on ${path} in a directory that is not known`);
    }
    if (!above || path.startsWith('/')) return;
    for (const directory of this.directories ?? [])
      for (const higher of ancestors(directory).slice(1)) this.#hashes.add(posix.join(higher, path));
  }

  /** No match of the pattern may begin with a dash: the program would read it as an option. */
  undashed(word: Extract<Word, { opaque: string }>): void {
    if (!this.directories)
      this.ask('opaque-option', `${this.program}: which file names it is given is not known; one could be an option`);
    for (const target of resolvePaths(word, this.directories)) {
      const pattern = patternIn(target, word);
      if (pattern !== undefined) this.#undashed.add(pattern);
    }
  }

  variables(...names: readonly string[]): void {
    for (const name of names) this.#variables.add(name);
  }

  done(): Reading {
    return {
      effects: this.#effects,
      tags: [...this.#tags],
      opaque: this.#opaque,
      nested: this.#nested,
      hashes: [...this.#hashes],
      folders: [...this.#folders],
      entered: [...this.#entered],
      undashed: [...this.#undashed],
      variables: [...this.#variables],
    };
  }

  /** A file that need not be there yet has the names that stand in the text: `"$d/package.json"`. */
  #written(pattern: string, { isThere, detail }: { isThere: boolean; detail: string | undefined }): void {
    if (!isThere) this.#effects.push({ kind: 'write', target: { text: pattern }, ...(detail && { detail }) });
    if (/\/\.[^/]*[*?[]/.test(pattern))
      this.ask('hidden-pattern', `${this.program}: writes ${pattern}, and which hidden files that are only shows when it runs`);
  }

  /** Beside the write of everything below: the names that files get there are those of a pattern's matches. */
  #named(source: Word, folder: Word): void {
    if (!isKnown(folder) || !folder.text.endsWith('/**')) return;
    for (const target of resolvePaths(source, this.directories)) {
      const glob = patternIn(target, source);
      if (glob !== undefined)
        this.#effects.push({ kind: 'write', target: folder, glob, into: folder.text.slice(0, -'/**'.length) });
    }
  }

  #path(kind: 'read' | 'write', word: Word, options: PathOptions): void {
    const { tree = false, detail, follows = false } = options;
    const levels = levelsOf(word, follows);
    for (const target of resolvePaths(word, this.directories)) {
      if (isKnown(target) && NOWHERE.has(target.text)) continue;
      const covered = tree && isKnown(target) && !target.text.endsWith('/**') ? below(target.text) : target;
      const pattern = tree ? undefined : patternIn(target, word);
      const isThere = kind === 'read' || isKnown(word) || !word.composed;
      const glob = isThere ? pattern : undefined;
      this.#effects.push({ kind, target: covered, ...(glob !== undefined && { glob }), ...(detail && { detail }) });
      if (options.named) this.#named(options.named, covered);
      if (pattern !== undefined && kind === 'write') this.#written(pattern, { isThere, detail });
      if (!isKnown(target)) continue;
      // What a pattern meets is looked up file by file; what is made of it, and what stands in a tree, is not.
      if (levels !== undefined && (glob === undefined || kind === 'write'))
        this.#folders.add(target.text.replace(/(\/\*\*|\/)$/, '') + levels || '/');
      if (kind === 'read' && isSecret(target.text)) this.tag('secrets');
      if (kind === 'write' && survivesLogin(target.text, this.home)) this.tag('persistence');
    }
  }
}

/** How deep links count below a folder: `/*` for each level of folders, `/**` for all; undefined: none is followed. */
function levelsOf(word: Word, follows: PathOptions['follows']): string | undefined {
  if (follows === 'all') return '/**';
  if (isKnown(word) || word.opaque !== 'glob') return follows === 'entries' ? '' : undefined;
  // Names that were found stand at any depth.
  if (word.pattern === undefined) return '/**';
  const moving = word.pattern.slice(word.lead.lastIndexOf('/') + 1);
  return '/*'.repeat(moving.split('/').length - 1);
}
