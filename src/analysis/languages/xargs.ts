import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown } from '../specs/paths.js';
import { replaceIn } from './placeholder.js';

const FROM_INPUT: Word = { opaque: 'input', lead: '' };

/** Options that leave NUL-terminated input as it is. */
const PLAIN = new Set(['-0', '--null', '-r', '--no-run-if-empty', '-n', '--max-args', '-P', '--max-procs', '-I', '-t', '-x']);

/**
 * What its input becomes: with -0, names that all begin alike are words that all begin alike. Names that may begin as an
 * option does (`--files0-from=/etc/shadow`, as a path) are only names behind a `--`.
 */
function fromInput({ invocation, operands, options, has }: Parsed): Word {
  const { names } = invocation.stdin;
  const isEnded = operands.some((word, index) => index > 0 && isKnown(word) && word.text === '--');
  const isWhole =
    names !== undefined && (names !== '' || isEnded) && has('-0', '--null') && options.every(({ name }) => PLAIN.has(name));
  return isWhole ? { opaque: 'glob', lead: names } : FROM_INPUT;
}

/** Its input's words, where they are in the text, take no unquoting and all go to one command. */
function knownWords({ invocation, options }: Parsed): readonly Word[] | undefined {
  const { kind, text } = invocation.stdin;
  if (kind !== 'here' || !text || !isKnown(text) || text.text.length > 4096) return undefined;
  const isWhole = options.some(({ name }) => name === '-0' || name === '--null');
  const one = options.filter(({ name }) => name === '-n' || name === '--max-args');
  if (
    options.some(({ name }) => !['-r', '--no-run-if-empty', '-t', '--verbose', '-0', '--null', '-n', '--max-args'].includes(name))
  )
    return undefined;
  // With several words and `-n` there are several commands.
  if (one.length > 0 && /\S\s+\S/.test(text.text)) return undefined;
  if (isWhole)
    return text.text
      .replace(/\0$/, '')
      .split('\0')
      .map(word => ({ text: word }));
  if (/['"\\\0]/.test(text.text)) return undefined;
  const words = text.text.split(/[ \t\n]+/).filter(word => word !== '');
  return words.map(word => ({ text: word }));
}

function singleWords(parsed: Parsed): readonly string[] | undefined {
  const { stdin } = parsed.invocation;
  if (parsed.has('-0', '--null') && stdin.kind === 'here' && stdin.text && isKnown(stdin.text))
    return stdin.text.text.split('\0');
  if (!parsed.has('-n', '--max-args', '-L', '--max-lines', '-P', '--max-procs')) return undefined;
  return knownLines(parsed)
    ?.flatMap(line => line.split(/[ \t]+/))
    .slice(0, 20);
}

/** The lines that `-I` puts in place of its mark, named beside what is done for any input. */
function knownLines({ invocation }: Parsed): readonly string[] | undefined {
  const { kind, text } = invocation.stdin;
  if (kind !== 'here' || !text || !isKnown(text) || /['"\\]/.test(text.text)) return undefined;
  return text.text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .slice(0, 20);
}

/** xargs: what it reads becomes arguments of its command, in place of a mark or behind the rest. */
export function xargs(parsed: Parsed): void {
  const mark =
    parsed.values('-I', '-i', '--replace').at(-1) ?? (parsed.has('-I', '-i', '--replace') ? { text: '{}' } : undefined);
  const command: readonly Word[] = parsed.operands.length > 0 ? parsed.operands : [{ text: 'echo' }];
  if (mark && !isKnown(mark)) parsed.into.ask('opaque-placeholder', 'xargs -I: what it replaces is not known');
  const replaced = mark && isKnown(mark) ? mark.text : '';
  for (const line of replaced === '' ? [] : (knownLines(parsed) ?? []))
    parsed.into.start({
      argv: command.map(word => (isKnown(word) ? { text: word.text.replaceAll(replaced, line) } : word)),
      via: parsed.into.program,
      unknownArguments: false,
    });
  const words = mark ? undefined : knownWords(parsed);
  if (words) {
    parsed.into.start({ argv: [...command, ...words], via: parsed.into.program, unknownArguments: false });
    return;
  }
  // Given a few at a time, each is a word behind the command in one of its runs.
  for (const word of mark ? [] : (singleWords(parsed) ?? []))
    parsed.into.start({ argv: [...command, { text: word }], via: parsed.into.program, unknownArguments: false });
  const input = fromInput(parsed);
  const argv =
    mark && isKnown(mark) && mark.text !== ''
      ? command.map((word, index) => (index === 0 && !isKnown(word) ? word : replaceIn(word, mark.text, input)))
      : [...command, input];
  parsed.into.start({ argv, via: parsed.into.program, unknownArguments: true });
}
