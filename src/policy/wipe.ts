import { posix } from 'node:path';
import type { Program } from '../contract/analysis.js';
import type { Context } from './context.js';
import { isInside, realPath, targetPath } from './effect-pattern.js';
import type { Certainty } from './match.js';

/** Tests of find that choose among what it finds: with one of them a deletion takes a part, not the place. */
const CHOOSES =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|newer.*|[acm]?(time|min)|size|empty|perm|user|group|uid|gid|inum|links|samefile)$/;

/** A word of the text that stands for everything in a directory: `*`, `./*`, `~/.*`, `/{*,.*}`. */
const WHOLE_DIRECTORY = /(^|[\s'"=])([\w~./$"{}-]*\/)?("?)(\*|\.\*|\.\[!\.\]\*|\{\*,\.\*\}|\{,\.\}\*)(?=$|[\s;&|)'"])/;

/**
 * Does a program change one of these places as a whole, with everything in it? `yes` only when its own words say so:
 * nobody can answer a floor's deny, so `find . -name '*.bak' -delete` and `rm *.log` must not be one. A tree that takes
 * in such a place in any other way is `maybe`. `~` and `${workspace}` stand for the session's.
 */
export function wipesPlace(places: readonly string[], program: Program, context: Context): Certainty {
  const { place, state } = context;
  // Without it only the files directly in the place are meant: `rm -f *`.
  if (!program.tags.includes('recursive')) return 'no';
  const wholes = places.map(path => (path === '~' ? state.home : path === '${workspace}' ? state.workspace : path));
  let sure: Certainty = 'no';
  for (const { kind, target } of program.effects) {
    if (kind !== 'write' || !target || 'opaque' in target) continue;
    const { path, tree } = targetPath(target.text);
    const roots = [path, realPath(place.facts, path) ?? path];
    if (!tree || !wholes.some(whole => whole !== '' && roots.some(root => isInside(whole, root)))) continue;
    if (namesTree(path, program, context)) return 'yes';
    sure = 'maybe';
  }
  return sure;
}

/** Do the words of the program, or of the find that starts it, name the whole tree? */
function namesTree(path: string, program: Program, { request, analysis }: Context): boolean {
  const finders = program.via.some(wrapper => wrapper.startsWith('find')) ? analysis.programs.filter(isFind) : [];
  return [program, ...finders].some(one => {
    if (isFind(one) && one.argv.some(word => 'text' in word && CHOOSES.test(word.text))) return false;
    if (one.argv.slice(1).some(word => 'text' in word && names(word.text, path))) return true;
    return WHOLE_DIRECTORY.test(request.text.slice(one.span.start, one.span.end));
  });
}

const isFind = ({ name }: Program): boolean => 'text' in name && /(^|\/)find$/.test(name.text);

/** Is the operand, seen from wherever the program starts, this very directory? */
function names(operand: string, path: string): boolean {
  if (operand === '' || operand.startsWith('-')) return false;
  const normal = posix.normalize(operand).replace(/(?<=.)\/$/, '');
  if (normal.startsWith('/')) return normal === path;
  return /^[./]+$/.test(normal) || path.endsWith(`/${normal}`);
}
