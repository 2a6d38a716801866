import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import type { ReadingBuilder } from '../specs/reading-builder.js';
import { readNamed } from './named-files.js';
import { replaceIn } from './placeholder.js';
import { markRoots } from './remove.js';

/** Primaries of GNU and BSD find by the number of words they take; the ones that act are below. */
const ARITY: Readonly<Record<string, number>> = Object.fromEntries([
  ...'-daystart -depth -d -ignore_readdir_race -noignore_readdir_race -mount -nowarn -warn -xdev -noleaf -x -true -false -empty -executable -readable -writable -nouser -nogroup -print -print0 -ls -prune -quit -not -and -a -or -o -follow -help --help -version --version -acl'
    .split(' ')
    .map(name => [name, 0]),
  ...'-maxdepth -mindepth -regextype -amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -mmin -mtime -name -newer -path -perm -regex -samefile -size -type -uid -used -user -wholename -xtype -context -printf -Bmin -Btime -flags'
    .split(' ')
    .map(name => [name, 1]),
]);
const EXEC = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const FILE_WRITERS: Readonly<Record<string, number>> = { '-fprint': 0, '-fprint0': 0, '-fls': 0, '-fprintf': 1 };
const READS_FILE = new Set(['-newer', '-anewer', '-cnewer', '-samefile', '-files0-from']);

interface Search {
  readonly words: readonly Word[];
  readonly starts: readonly Word[];
  readonly into: ReadingBuilder;
  /** What `-name` and its kin have asked for so far. */
  readonly names: string[];
}

/** find: starting points, then an expression in which some primaries write, delete or run programs. */
export function find(parsed: Parsed): void {
  const words = parsed.invocation.argv.slice(1);
  const { into } = parsed;
  const { starts, at } = startingPoints(words, into);
  const search: Search = { words, into, starts: starts.length > 0 ? starts : [{ text: '.' }], names: [] };
  const follows = words.some(word => /^-(L|follow)$/.test(leadOf(word))) && 'all';
  for (const start of search.starts) into.read(start, { tree: true, follows });
  let index = at;
  while (index < words.length) index = primary(search, index);
}

function startingPoints(words: readonly Word[], into: ReadingBuilder): { starts: Word[]; at: number } {
  const starts: Word[] = [];
  let at = 0;
  for (; at < words.length; at += 1) {
    const lead = leadOf(words[at]!);
    if (/^-([HLP]|O\d*)$/.test(lead) && starts.length === 0) continue;
    if (lead === '-D' && starts.length === 0) at += 1;
    else if (lead === '--' && starts.length === 0) continue;
    else if (/^(-.|[()!,]$)/.test(lead) || (lead === '-' && !isKnown(words[at]!))) break;
    else {
      if (lead === '') into.ask('opaque-expression', 'find: a word that could be part of its expression is not known');
      starts.push(words[at]!);
    }
  }
  return { starts, at };
}

/** Reads one primary at `at`; returns the place behind it. */
function primary(search: Search, at: number): number {
  const { words, into, starts } = search;
  const word = words[at]!;
  if (!isKnown(word)) {
    into.ask('opaque-expression', 'find: a part of its expression is not known');
    return at + 1;
  }
  const name = word.text;
  if (/^[()!,]$/.test(name)) return at + 1;
  if (EXEC.has(name)) return execute(search, { name, at });
  if (name === '-delete') {
    into.tag('delete', 'recursive');
    for (const start of starts) into.write(start, { tree: true, detail: '-delete' });
    markRoots(into, starts);
    return at + 1;
  }
  const extra = Object.hasOwn(FILE_WRITERS, name) ? FILE_WRITERS[name] : undefined;
  if (extra !== undefined) {
    if (words[at + 1]) into.write(words[at + 1]!, { detail: name });
    return at + 2 + extra;
  }
  if (READS_FILE.has(name)) {
    if (words[at + 1]) into.read(words[at + 1]!, { detail: name });
    if (name === '-files0-from') into.effect('read', 'every path named in a file');
    return at + 2;
  }
  if (/^-newer[aBcm][aBcmt]$/.test(name)) return at + 2;
  if (name === '-print0') readFound(search);
  const asked = /^-i?(name|path)$|^-i?wholename$/.test(name) ? words[at + 1] : undefined;
  if (asked && isKnown(asked) && !/^(!|-not)$/.test(leadOf(words[at - 1] ?? asked))) search.names.push(asked.text);
  const arity = Object.hasOwn(ARITY, name) ? ARITY[name] : undefined;
  if (arity === undefined) {
    into.ask('unlisted-option', `find: "${name}" is not described`);
    return at + 1;
  }
  return at + 1 + arity;
}

/** What is found is for another program to look into: a name that was asked for counts as one that is read. */
function readFound({ into, starts, names }: Search): void {
  for (const start of starts) if (isKnown(start)) for (const name of names) readNamed(into, { name, below: start.text });
}

/** `-exec words… ;` or `-exec words… {} +`; each starting point gives a command of its own. */
function execute(search: Search, place: { name: string; at: number }): number {
  const { words, starts, into } = search;
  readFound(search);
  let end = place.at + 1;
  for (; end < words.length; end += 1) {
    const word = words[end]!;
    if (!isKnown(word)) continue;
    if (word.text === ';') break;
    if (word.text === '+' && end > place.at + 1 && leadOf(words[end - 1]!) === '{}') break;
  }
  const template = words.slice(place.at + 1, end);
  if (end >= words.length) into.ask('unterminated-exec', `find: the end of ${place.name} is not known`);
  if (template.length === 0) return end + 1;
  const replaced = template.some(word => leadOf(word).includes('{}'));
  const inPlace = place.name.endsWith('dir');
  for (const start of inPlace || !replaced ? [{ text: '.' }] : starts) {
    const found: Word = isKnown(start)
      ? { opaque: 'glob', lead: `${start.text.replace(/(?<!\/)\/+$/, '')}/` }
      : { opaque: start.opaque, lead: start.lead };
    into.start({
      argv: template.map(word => replaceIn(word, '{}', found)),
      via: `find ${place.name}`,
      unknownArguments: replaced,
      ...(inPlace && { cwd: undefined }),
    });
  }
  return end + 1;
}
