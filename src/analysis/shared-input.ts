import type { Word } from '../contract/analysis.js';
import type { Flow, Stdin } from './flow.js';
import type { Command, Redirection } from './parse.js';
import { isKnown } from './word.js';

/** What leaves its input alone, whatever words it is given: builtins, and programs that only look or make a name. */
const NEVER_READS = new Set(
  (
    ': true false echo printf test [ cd pushd popd pwd dirs export declare typeset local readonly unset set shift let shopt umask ' +
    'ulimit alias unalias hash type return break continue exit wait jobs kill times getopts ' +
    'ls dir uname whoami id hostname which mkdir rmdir touch ln chmod basename dirname realpath readlink ps free uptime sleep seq'
  ).split(' '),
);
const GIT_LOOKS = /^(status|log|diff|show|branch|rev-parse|ls-files|add|switch|checkout|stash|tag|remote)$/;

/** May this command read from the input that it shares? A function's own commands are looked at one by one. */
export function mayRead([name, first]: readonly Word[], { state }: Flow): boolean {
  if (!isKnown(name)) return true;
  if (state.functions.has(name.text)) return false;
  return !(NEVER_READS.has(name.text) || (name.text === 'git' && isKnown(first) && GIT_LOOKS.test(first.text)));
}

/** `<&0`, `< /dev/stdin`: it reads from the same place under another name. */
export const sharesInput = (redirect: Redirection): boolean =>
  redirect.type === 'Redirect' &&
  redirect.operator.startsWith('<') &&
  (redirect.operator === '<&' || /^\/(dev|proc)\//.test(redirect.target?.text ?? '') || redirect.target?.parts !== undefined);

/**
 * A shell that reads its script from its input shares it with what the script starts: in `bash <<E`, a `read` takes the
 * next line of the script away, and what was a here-document's text runs as commands.
 */
export function takesFromScript(stdin: Stdin, node: Command, { stdin: shared, source }: Flow): boolean {
  const isScript = stdin === shared && stdin.kind === 'here' && isKnown(stdin.text) && stdin.text.text === source;
  return isScript && source.slice(node.end).trim() !== '';
}
