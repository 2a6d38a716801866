import type { Word } from '../contract/analysis.js';
import type { Stdin } from './flow.js';
import type { CompoundList, Redirection } from './parse.js';
import { isKnown } from './word.js';

type Pipeline = Extract<CompoundList['commands'][number]['command'], { type: 'Pipeline' }>;

/** Tests and operators of find that print nothing, by the number of words they take. */
const QUIET: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    '! ( ) -not -o -or -a -and -prune -empty -xdev -mount -readable -writable -executable -true -false -daystart -depth -print0'
      .split(' ')
      .map(name => [name, 0]),
  ),
  ...Object.fromEntries(
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -maxdepth -mindepth -size -mtime -mmin -newer -perm -user -group'
      .split(' ')
      .map(name => [name, 1]),
  ),
};

/**
 * `find DIR … -print0 | xargs …`: every name that arrives ends with a NUL and begins with DIR, so it can neither be cut in
 * two by a space in it nor be read as an option. Only where nothing stands between the two, find has one known starting
 * point that is no link it was told to follow, and it prints nothing else. `argv`: find's own. Undefined: what arrives is
 * not known.
 */
export function foundNames({ commands: [from, to], operators }: Pipeline, argv: readonly Word[]): Stdin | undefined {
  if (from?.type !== 'Command' || operators[0] !== '|' || from.prefix.length > 0 || !from.redirects.every(isSilence))
    return undefined;
  if (to?.type !== 'Command' || to.name?.text !== 'xargs' || to.name.parts) return undefined;
  const lead = printedLead(argv);
  return lead === undefined ? undefined : { kind: 'pipe', names: lead };
}

/** Its messages must not get between the names. */
const isSilence = (redirect: Redirection): boolean =>
  redirect.type === 'Redirect' &&
  redirect.operator === '>' &&
  redirect.descriptor?.type === 'FileDescriptor' &&
  redirect.descriptor.value === 2 &&
  redirect.target?.text === '/dev/null';

function printedLead(argv: readonly Word[]): string | undefined {
  const words = argv.map(word => (isKnown(word) ? word.text : undefined));
  if (words[0] !== 'find' || words.includes(undefined)) return undefined;
  const [, first = ''] = words;
  const hasStart = !/^([-!(),]|$)/.test(first);
  const start = hasStart ? first : '.';
  if (!hasStart && !Object.hasOwn(QUIET, first)) return undefined;
  let prints = false;
  for (let at = hasStart ? 2 : 1; at < words.length; ) {
    const word = words[at]!;
    if (!Object.hasOwn(QUIET, word)) return undefined;
    prints ||= word === '-print0';
    at += 1 + QUIET[word]!;
  }
  return prints ? `${start.replace(/\/*$/, '')}/` : undefined;
}
