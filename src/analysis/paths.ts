import { posix } from 'node:path';
import type { Word } from '../contract/analysis.js';
import { isKnown, known, unknown } from './word.js';

/** An absolute, lexically normal path without a trailing slash. */
export function normalPath(path: string): string {
  const normal = posix.normalize(path.startsWith('//') ? path.replace(/^\/+/, '/') : path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** `path` seen from `directory`, both lexically. */
export const resolvePath = (directory: string, path: string): string =>
  normalPath(path.startsWith('/') ? path : `${directory}/${path}`);

/**
 * The absolute paths that a word may name, one for each directory it may be used in. An opaque word gives one opaque
 * path whose lead is absolute where that much is known.
 */
export function resolveWord(word: Word, directories: readonly string[] | undefined): readonly Word[] {
  if (isKnown(word)) {
    if (word.text.startsWith('/')) return [known(normalPath(word.text))];
    if (!directories) return [unknown('variable')];
    return directories.map(directory => known(resolvePath(directory, word.text)));
  }
  if (word.lead.startsWith('/')) return [word];
  if (!directories || word.lead === '') return [{ opaque: word.opaque, lead: '' }];
  return directories.map(directory => ({ opaque: word.opaque, lead: `${directory === '/' ? '' : directory}/${word.lead}` }));
}

/** The directories that a path climbs out of with `..`; where one is a symlink, the lexical path is wrong. */
export function climbedDirectories(directory: string | undefined, path: string): readonly string[] {
  if (!/(^|\/)\.\.(\/|$)/.test(path)) return [];
  const climbed: string[] = [];
  const parts = (path.startsWith('/') ? path : `${directory ?? ''}/${path}`)
    .split('/')
    .filter(part => part !== '' && part !== '.');
  const stack: string[] = [];
  let own = path.startsWith('/') || directory === undefined ? 0 : directory.split('/').filter(Boolean).length;
  for (const part of parts) {
    if (part !== '..') {
      stack.push(part);
      continue;
    }
    // Leaving a directory that the path itself entered; the session's own directory is already a real one.
    if (stack.length > own) climbed.push(`/${stack.join('/')}`);
    stack.pop();
    own = Math.min(own, stack.length);
  }
  return climbed;
}
