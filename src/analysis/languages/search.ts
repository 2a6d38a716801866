import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { readNamed } from './named-files.js';
import { replaceIn } from './placeholder.js';

/** Options in place of a pattern among the operands. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  rg: ['-e', '-f', '--files', '--type-list'],
  ag: ['-g'],
  ack: ['-f'],
};

/** rg and its kin look through the directory when only a pattern is given. */
export function search(parsed: Parsed): void {
  const patterns = parsed.has(...(INSTEAD[parsed.into.program] ?? [])) ? 0 : 1;
  const places = parsed.operands.slice(patterns);
  const follows = parsed.has('--follow') && 'all';
  for (const place of places.length > 0 ? places : [{ text: '.' }]) parsed.into.read(place, { tree: true, follows });
  namedFiles(parsed, parsed.values('-g', '--glob', '--iglob', '-G'));
}

function namedFiles({ into }: Parsed, globs: readonly Word[]): void {
  for (const glob of globs) if (isKnown(glob)) readNamed(into, { name: glob.text, below: '.' });
}

/** grep -r without files, and `-d recurse`. */
export function grep(parsed: Parsed): void {
  const follows = parsed.has('-R') && 'all';
  const recursive =
    follows ||
    parsed.has('-r') ||
    parsed.into.program === 'rgrep' ||
    parsed.values('-d').some(word => !isKnown(word) || /^rec/.test(word.text));
  if (!recursive) return;
  namedFiles(parsed, parsed.values('--include'));
  const files = parsed.operands.slice(parsed.has('-e', '-f') ? 0 : 1);
  for (const file of files.length > 0 ? files : [{ text: '.' }]) parsed.into.read(file, { tree: true, follows });
}

/** diff and sdiff: of a directory the files in it, and all that stands below, links followed, with -r. */
export function compare({ into, operands, values, has }: Parsed): void {
  for (const place of [...operands, ...values('--from-file', '--to-file')]) {
    if (leadOf(place) === '-') continue;
    into.read(place);
    into.read(place, { tree: true, follows: has('-r') && !has('--no-dereference') && 'all' });
  }
}

const PLACEHOLDERS = ['{}', '{/}', '{//}', '{.}', '{/.}'];
const FOUND: Word = { opaque: 'input', lead: './' };

/** fd's own pattern as one of a shell: a simple regular expression, which need not be the whole name. */
function globOf(pattern: string): string | undefined {
  const glob = `${pattern.startsWith('^') ? '' : '*'}${pattern
    .replace(/^\^|\$$/g, '')
    .replace(/\.\*/g, '*')
    .replace(/\\\./g, '.')}${pattern.endsWith('$') ? '' : '*'}`;
  return pattern === '.' ? '*' : /^[\w.*-]*$/.test(glob) ? glob : undefined;
}

/** Names that are searched for; undefined: not all of them are known. */
function soughtNames({ operands: [pattern], values, has }: Parsed): readonly string[] | undefined {
  const names: string[] = [];
  for (const ending of values('-e', '--extension')) {
    if (!isKnown(ending)) return undefined;
    names.push(`*.${ending.text.replace(/^\./, '')}`);
  }
  if (pattern === undefined) return names;
  const name = !isKnown(pattern) ? undefined : has('-g', '--glob') ? pattern.text : globOf(pattern.text);
  return name === undefined || has('--and') ? undefined : [...names, name];
}

/** What `{}` becomes: paths below the directories that are searched, each of which gives a command of its own. */
function foundBelow(parsed: Parsed): readonly Word[] {
  const { operands, values, has, into } = parsed;
  const starts = [...operands.slice(1), ...values('--search-path')];
  const names = soughtNames(parsed);
  if (has('-L', '-a', '--strip-cwd-prefix') || !starts.every(isKnown) || !names) return [FOUND];
  for (const name of names) readNamed(into, { name, below: '.' });
  const leads = starts.length === 0 ? ['./'] : starts.map(start => `${leadOf(start).replace(/(?<!\/)\/+$/, '')}/`);
  return leads.map(lead => ({ opaque: 'glob', lead }));
}

/** fd: the words behind -x or -X are a command, up to `;`. */
export function fd(parsed: Parsed): void {
  search(parsed);
  const words = parsed.values('-x', '-X');
  if (words.length === 0) return;
  const end = words.findIndex(word => isKnown(word) && word.text === ';');
  if (end >= 0 && end < words.length - 1) parsed.into.ask('unlisted-option', 'fd: words behind the end of its command');
  const template = end < 0 ? words : words.slice(0, end);
  const marked = template.some(word => PLACEHOLDERS.some(mark => leadOf(word).includes(mark)));
  for (const found of foundBelow(parsed)) {
    // All but `{}` are made from what was found, and may be the end of it only.
    const by = (mark: string): Word => (mark === '{}' ? found : FOUND);
    const replaced = template.map(word => PLACEHOLDERS.reduce((sofar, mark) => replaceIn(sofar, mark, by(mark)), word));
    parsed.into.start({ argv: marked ? replaced : [...replaced, found], via: 'fd --exec', unknownArguments: true });
  }
}
