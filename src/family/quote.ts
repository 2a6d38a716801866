import { ShellgateError } from '../contract/error.js';

/** `'…'` for any POSIX shell: between single quotes nothing but the closing one means anything. */
export function singleQuoted(text: string): string {
  if (text.includes('\0')) throw new ShellgateError('NUL_CHARACTER', 'a command line cannot hold a NUL character; remove it');
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const PLAIN = /^[A-Za-z0-9_/.,:@%+-]+$/;
/** Bare, these would be read as grammar where a command may stand. */
const RESERVED = new Set('case coproc do done elif else esac fi for function if in select then time until while'.split(' '));

/** One word of a command line, readable where it can stay bare. Never read as an assignment, a keyword or a pattern. */
export function quoteWord(word: string): string {
  return PLAIN.test(word) && !RESERVED.has(word) ? word : singleQuoted(word);
}
