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

/** Options, all of one choice, with which `git` lists files, a NUL behind each: paths of the repository, never out of it. */
const GIT_LISTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'ls-files': [['-z']],
  diff: [['--name-only', '-z']],
  grep: [['-lz'], ['-l', '-z']],
};
/** With one of these something else is printed beside the names. */
const GIT_SAYS_MORE =
  /^(-s|--stage|-u|--unmerged|-t|-v|-f|--eol|--debug|--format.*|--resolve-undo|--name-status|--stat.*|-p|-u.*|--patch.*|--raw|--numstat|--shortstat|--summary|--dirstat.*|-c|--count|-o|-[A-Za-z]*[oc][A-Za-z]*|--output.*|--line-prefix.*|--.*prefix.*|--submodule.*)$/;

/**
 * `find DIR … -print0 | xargs …`: every name that arrives ends with a NUL and begins with DIR, so it can neither be cut in
 * two by a space in it nor be read as an option. `git ls-files -z` and `grep -rlZ` are the same, except that the names of
 * git may begin as an option does. Only where nothing stands between the two, find has one known starting point that is no
 * link it was told to follow, and it prints nothing else. `argv`: the first program's own. Undefined: what arrives is not
 * known.
 */
export function foundNames({ commands: [from, to], operators }: Pipeline, argv: readonly Word[]): Stdin | undefined {
  if (from?.type !== 'Command' || operators[0] !== '|' || from.prefix.length > 0 || !from.redirects.every(isSilence))
    return undefined;
  if (to?.type !== 'Command' || to.name?.text !== 'xargs' || to.name.parts) return undefined;
  const words = argv.map(word => (isKnown(word) ? word.text : undefined));
  if (words.includes(undefined)) return undefined;
  const lead = printedLead(words as string[]);
  return lead === undefined ? undefined : { kind: 'pipe', names: lead };
}

/** Its messages must not get between the names. */
const isSilence = (redirect: Redirection): boolean =>
  redirect.type === 'Redirect' &&
  redirect.operator === '>' &&
  redirect.descriptor?.type === 'FileDescriptor' &&
  redirect.descriptor.value === 2 &&
  redirect.target?.text === '/dev/null';

function printedLead([name, ...words]: readonly string[]): string | undefined {
  if (name === 'find') return leadOfFind(words);
  if (name === 'git') return leadOfGit(words);
  return name === 'grep' ? leadOfGrep(words) : undefined;
}

function leadOfGit(words: readonly string[]): string | undefined {
  const [sub = '', ...rest] = words;
  const isOutside = words.some(word => /(^|\/)\.\.(\/|$)|^\/|^:/.test(word) && !/^\.\.\.?$/.test(word));
  if (isOutside || rest.some(word => GIT_SAYS_MORE.test(word))) return undefined;
  const choices = Object.hasOwn(GIT_LISTS, sub) ? GIT_LISTS[sub]! : [];
  return choices.some(options => options.every(option => rest.includes(option))) ? '' : undefined;
}

/** `grep -rlZ TEXT DIR`: only letters that change what is matched may stand beside these. */
function leadOfGrep(words: readonly string[]): string | undefined {
  const options = words.filter(word => word.startsWith('-'));
  const operands = words.filter(word => !word.startsWith('-'));
  const letters = options.filter(word => !/^--(include|exclude|exclude-dir)=/.test(word)).join('');
  const lists = /^[-rRlLZiwxEFPIs]*$/.test(letters) && /[lL]/.test(letters) && letters.includes('Z');
  const [, folder, ...more] = operands;
  if (!lists || !/r/.test(letters) || /R/.test(letters) || folder === undefined || more.length > 0 || folder === '')
    return undefined;
  return `${folder.replace(/(?<!\/)\/+$/, '')}/`;
}

function leadOfFind(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  const hasStart = !/^([-!(),]|$)/.test(first);
  const start = hasStart ? first : '.';
  if (!hasStart && !Object.hasOwn(QUIET, first)) return undefined;
  let prints = false;
  for (let at = hasStart ? 1 : 0; at < words.length; ) {
    const word = words[at]!;
    if (!Object.hasOwn(QUIET, word)) return undefined;
    prints ||= word === '-print0';
    at += 1 + QUIET[word]!;
  }
  return prints ? `${start.replace(/(?<!\/)\/+$/, '')}/` : undefined;
}
