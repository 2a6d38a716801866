import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';

/** date: an operand that is no `+FORMAT` sets the clock. */
export function date(parsed: Parsed): void {
  for (const operand of parsed.operands) {
    if (!leadOf(operand).startsWith('+')) parsed.into.effect('state', 'sets the clock', operand);
  }
}

/** ps, ss, lsof and their kin look on, with few exceptions. */
export function processListing(parsed: Parsed): void {
  const { into, invocation } = parsed;
  const words = invocation.argv.slice(1);
  if (into.program === 'ss') {
    for (const word of words) {
      if (/^(-[a-zA-Z]*K|--k)/.test(leadOf(word))) into.effect('process', 'closes connections');
      if (/^(-[a-zA-Z]*D|--d)/.test(leadOf(word))) into.ask('writes-file', 'ss -D writes a file');
      if (/^(-[a-zA-Z]*[FN]|--(fi|n))/.test(leadOf(word)))
        into.ask('other-place', 'ss: reads a filter, or looks into another place');
      if (!isKnown(word)) into.ask('opaque-option', 'ss: a word is not known');
    }
  }
  // Without a dash, `e` shows the environment of processes.
  if (into.program === 'ps' && words.some(word => /^[A-Za-z]*e[A-Za-z]*$/.test(leadOf(word)) && !/^-/.test(leadOf(word))))
    into.effect('disclosure', 'may show the environment of processes');
  if (into.program === 'pgrep') {
    for (const [index, word] of words.entries()) {
      const file = /^(?:-F|--pidfile=)(.*)$/s.exec(leadOf(word));
      if (file) into.read(file[1] === '' ? (words[index + 1] ?? word) : isKnown(word) ? { text: file[1]! } : word);
      else if (leadOf(word) === '--pidfile' && words[index + 1]) into.read(words[index + 1]!);
    }
  }
  if (into.program === 'lsof' && words.some(word => /^-[a-zA-Z]*D/.test(leadOf(word))))
    into.ask('writes-file', 'lsof -D may write its cache');
  if (['top', 'htop'].includes(into.program) && !words.some(word => /^-[a-zA-Z]*b/.test(leadOf(word))))
    into.effect('process', 'a person can end processes in it');
}
