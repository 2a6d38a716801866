import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { splitWords } from '../specs/words.js';

/** env takes any word with `=` in it for an assignment, `=x` too. */
const ASSIGNMENT = /^([^=]*)=(.*)$/s;

/** env: assignments, then a command; `-S` gives more words for env itself to read. */
export function env(parsed: Parsed): void {
  const { into } = parsed;
  const split = parsed.values('-S');
  if (split.length > 0) {
    splitString(parsed, split[0]!);
    return;
  }
  const { variables, command } = cutAssignments(parsed.operands.filter((word, index) => index > 0 || leadOf(word) !== '-'));
  if (command.length === 0) {
    into.effect('disclosure', 'prints the environment');
    return;
  }
  if (parsed.operands.slice(0, parsed.operands.indexOf(command[0]!)).some(word => !isKnown(word) && !word.lead.includes('=')))
    into.ask('opaque-command', `${into.program}: where its command starts is not known`);
  into.start({
    argv: command,
    via: into.program,
    unknownArguments: false,
    ...(variables.size > 0 && { env: variables }),
    ...(parsed.has('-C', '-D', '--chdir') && { cwd: into.directories }),
  });
}

/** The words of `-S` are read by env again, options included. Its escapes and variables are its own: they ask. */
function splitString(parsed: Parsed, text: Word): void {
  const { into } = parsed;
  const words = isKnown(text) && !/[\\$#]/.test(text.text) ? splitWords(text.text) : undefined;
  if (!words) {
    into.ask('env-split', 'env -S: the text cannot be split for certain');
    return;
  }
  const again: Word[] = [{ text: 'env' }, ...words.map(word => ({ text: word })), ...parsed.operands];
  into.start({
    argv: again,
    via: 'env -S',
    unknownArguments: false,
    ...(parsed.has('-C') && { cwd: into.directories }),
  });
}

/** `A=1 B=2 program …` → its variables and the rest. */
export function cutAssignments(words: readonly Word[]): { variables: Map<string, Word>; command: readonly Word[] } {
  const variables = new Map<string, Word>();
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at]!;
    const match = ASSIGNMENT.exec(leadOf(word));
    if (!match) break;
    variables.set(match[1]!, isKnown(word) ? { text: match[2]! } : { opaque: word.opaque, lead: match[2]! });
  }
  return { variables, command: words.slice(at) };
}
