import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';

/** date: an operand that is no `+FORMAT` sets the clock; with BSD's -j it is only shown. */
export function date(parsed: Parsed): void {
  if (parsed.has('-j')) return;
  for (const operand of parsed.operands) {
    if (!leadOf(operand).startsWith('+')) parsed.into.effect('state', 'sets the clock', operand);
  }
}

/** ps, top and htop look on, with few exceptions. */
export function processListing(parsed: Parsed): void {
  const { into } = parsed;
  if (into.program === 'ps') {
    if (showsEnvironment(parsed)) into.effect('disclosure', 'may show the environment of processes');
  } else if (!parsed.has('-b', '-l', '-h', '--help', '-V', '--version'))
    into.effect('process', 'a person can end processes in it');
}

/** Letters of BSD's form that take the next word. */
const BSD_VALUE = /^[A-Za-z]*[oOkpqtU]$/;
/** A cluster that Unix's form of ps understands to its end; a value may be attached to the format only. */
const UNIX_CLUSTER = /^-[AadeNfFjlMPyLTHcVwmZ]*([CGgpqstUu]?|[oO].*|[pqs]\d[\d,]*)$/s;

/**
 * Without a dash, `e` shows the environment. What ps cannot read in Unix's form (`-axe`, `-auxe`) it reads once more as if
 * no word had a dash.
 */
function showsEnvironment({ operands, invocation }: Parsed): boolean {
  const words = operands.filter((_, index) => index === 0 || !BSD_VALUE.test(leadOf(operands[index - 1]!)));
  if (words.some(word => (isKnown(word) ? /^[A-Za-z]*e[A-Za-z]*$/.test(word.text) : /^[A-Za-z]+$/.test(word.lead)))) return true;
  const clusters = invocation.argv
    .slice(1)
    .map(leadOf)
    .filter(word => /^-[A-Za-z]/.test(word));
  return clusters.some(word => /^-[^oO]*e/.test(word)) && clusters.some(word => !UNIX_CLUSTER.test(word));
}

/** A word `@FILE` holds more options, wherever it stands. */
export function responseFile({ into, invocation }: Parsed): void {
  if (invocation.argv.slice(1).some(word => leadOf(word).startsWith('@') || (!isKnown(word) && word.lead === '')))
    into.ask('response-file', `${into.program}: reads more options from a file`);
}

/** file -m: a list of files, apart by colons; -C puts each together in a file of its name, here. */
export function magic({ into, values, has }: Parsed): void {
  const files = values('-m', '-M').flatMap((list): Word[] =>
    isKnown(list) ? list.text.split(':').map(text => ({ text })) : [list],
  );
  for (const file of files) into.read(file);
  if (!has('-C')) return;
  for (const file of files.length > 0 ? files : [{ text: 'magic' }])
    into.write(isKnown(file) ? { text: `${posix.basename(file.text)}.mgc` } : { opaque: 'glob', lead: './' });
}
