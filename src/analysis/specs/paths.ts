import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';

/** Where relative paths start; undefined: unknown. */
export type Directories = readonly string[] | undefined;

export const isKnown = (word: Word): word is { readonly text: string } => 'text' in word;

/** The text of a word, or what is known to stand in front. */
export const leadOf = (word: Word): string => (isKnown(word) ? word.text : word.lead);

/** An empty name, `.` or `..` in a path, or a slash at its end. */
const ROUNDABOUT = /\/\.{0,2}(?:\/|$)/;

/** Absolute and lexically normal, without a trailing slash. */
export function normal(path: string): string {
  if (path.startsWith('/') && !ROUNDABOUT.test(path)) return path;
  const flat = posix.normalize(path.replace(/^\/+/, '/'));
  return flat.length > 1 && flat.endsWith('/') ? flat.slice(0, -1) : flat;
}

/**
 * What a path word may name: one absolute path for each directory it may start in. An opaque word keeps as much of its
 * lead as is certain; a file name pattern is everything below its fixed part.
 */
export function resolvePaths(word: Word, directories: Directories): Word[] {
  if (!isKnown(word)) return resolveOpaque(word, directories);
  if (word.text.startsWith('/')) return [{ text: normal(word.text) }];
  if (!directories) return [{ opaque: 'directory', lead: '' }];
  return directories.map(directory => ({ text: normal(`${directory}/${word.text}`) }));
}

/** A pattern cannot leave the directory its fixed part names, unless the pattern itself holds `..`. */
function resolveOpaque(word: { opaque: string; lead: string }, directories: Directories): Word[] {
  const glob = word.opaque === 'glob' || word.opaque === 'pattern';
  if (!glob) {
    const slash = word.lead.lastIndexOf('/');
    if (slash < 0 || (!word.lead.startsWith('/') && !directories)) return [word];
    const fixed = word.lead.slice(0, slash + 1);
    const starts = fixed.startsWith('/') ? [fixed] : directories!.map(directory => `${directory}/${fixed}`);
    return starts.map(start => ({
      opaque: word.opaque,
      lead: `${normal(start)}/${word.lead.slice(slash + 1)}`.replace(/^\/\//, '/'),
    }));
  }
  const fixed = word.lead.slice(0, word.lead.lastIndexOf('/') + 1);
  if (fixed === '' || !fixed.startsWith('/')) {
    if (!directories) return [{ opaque: 'directory', lead: '' }];
    return directories.map(directory => below(normal(`${directory}/${fixed}`)));
  }
  return [below(normal(fixed))];
}

/** The absolute pattern of a word that was resolved to everything below its fixed part. */
export function patternIn(target: Word, word: Word): string | undefined {
  if (isKnown(word) || word.pattern === undefined || !isKnown(target)) return undefined;
  const moving = word.pattern.slice(word.lead.lastIndexOf('/') + 1);
  return `${target.text.slice(0, -'/**'.length)}/${moving}`;
}

/** Everything below a directory, as an effect's target says it. */
export const below = (path: string): { readonly text: string } => ({ text: path === '/' ? '/**' : `${path}/**` });

/** The folders that a path enters and leaves again with `..`: whoever makes the folders of the path makes them too. */
export function passedThrough(path: string): string[] {
  const parts = path.split('/').filter((part, index) => part !== '.' && (part !== '' || index === 0));
  return parts.flatMap((part, index) => {
    const left = parts[index - 1];
    return part !== '..' || !left || left === '..' ? [] : [parts.slice(0, index).join('/')];
  });
}

/** A directory and those above it, without the root unless it is the one. */
export function ancestors(directory: string): string[] {
  const found = [directory];
  for (let at = posix.dirname(directory); at !== '/' && found.length < 12; at = posix.dirname(at)) found.push(at);
  return found;
}
