import type { Word } from '../../contract/analysis.js';
import type { Invocation, Nested, Reading } from '../spec.js';
import { evaluate } from './evaluate.js';
import { isKnown, leadOf } from './paths.js';
import type { Example, Table } from './table.js';
import { splitWords } from './words.js';

/** Examples of a table that do not hold: `file:line: …`, one line each. They run in `/w`, home `/home/u`. */
export function checkExamples(table: Table): string[] {
  const nested = [...new Set(table.commands.values())].flatMap(checkExamples);
  return [...table.examples.flatMap(example => checkExample(table, example)), ...nested];
}

/** An example of a sub-command names its whole command line, so it is judged by the table of the program. */
export function allExamples(table: Table): Example[] {
  return [...table.examples, ...[...new Set(table.commands.values())].flatMap(allExamples)];
}

function checkExample(table: Table, example: Example): string[] {
  const invocation = invocationOf(example.command);
  if (!invocation) return [`${example.place}: the example cannot be read as words`];
  const reading = evaluate(table, invocation);
  return example.terms
    .filter(term => termHolds(term, reading) !== (example.kind === 'match'))
    .map(
      term =>
        `${example.place}: ${example.command}: ${example.kind === 'match' ? 'not' : 'unexpectedly'} ${term}; it is ${describe(reading)}`,
    );
}

/** `$NAME` is an opaque word, a word with `*` a file name pattern; `<<< TEXT` at the end is standard input. */
export function invocationOf(command: string): Invocation | undefined {
  const [line, here] = command.split(' <<< ');
  const raw = (line ?? '').match(/'[^']*'|"[^"]*"|[^\s'"]+|(?<=\S)['"]|\s+/g);
  const words = splitWords(line ?? '');
  if (!words || !raw) return undefined;
  const argv = words.map(word => wordOf(word, line!));
  return {
    argv,
    cwd: ['/w'],
    home: '/home/u',
    env: new Map(),
    stdin: here === undefined ? { kind: 'nothing' } : { kind: 'here', text: { text: here } },
  };
}

/** In quotes `$` and `*` are themselves. */
function wordOf(word: string, line: string): Word {
  if (line.includes(`'${word}'`)) return { text: word };
  const variable = /\$[A-Z]/.exec(word);
  if (variable) return { opaque: 'variable', lead: word.slice(0, variable.index) };
  const star = word.search(/[*?]/);
  return star < 0 ? { text: word } : { opaque: 'glob', lead: word.slice(0, star) };
}

function termHolds(term: string, reading: Reading): boolean {
  if (term.startsWith('#')) return reading.tags.includes(term.slice(1));
  if (term === 'opaque') return reading.opaque.length > 0;
  if (term === 'plain') return isPlain(reading);
  const [kind, target] = cut(term);
  if (kind === 'nested')
    return reading.nested.some(nested => target === undefined || textOf(nested, 'argv')?.split(' ')[0] === target);
  if (kind === 'argv') return reading.nested.some(nested => textOf(nested, 'argv')?.replaceAll(' ', '+') === target);
  if (kind === 'script')
    return reading.nested.some(nested => target === undefined || textOf(nested, 'script')?.startsWith(target.replace(/^'/, '')));
  if (kind === 'hash') return reading.hashes.some(path => target === undefined || path === target);
  return reading.effects.some(
    effect => effect.kind === kind && (target === undefined || (effect.target && leadOf(effect.target) === target)),
  );
}

/** Reads, and nothing else. */
const isPlain = (reading: Reading): boolean =>
  reading.opaque.length === 0 && reading.nested.length === 0 && reading.effects.every(effect => effect.kind === 'read');

const cut = (term: string): [string, string | undefined] => {
  const at = term.indexOf('=');
  return at < 0 ? [term, undefined] : [term.slice(0, at), term.slice(at + 1)];
};

function textOf(nested: Nested, want: 'argv' | 'script'): string | undefined {
  if ('argv' in nested) return want === 'argv' ? nested.argv.map(leadOf).join(' ') : undefined;
  return want === 'script' && isKnown(nested.script) ? nested.script.text : undefined;
}

function describe(reading: Reading): string {
  const effects = reading.effects.map(
    effect => `${effect.kind}${effect.target ? `=${leadOf(effect.target)}${isKnown(effect.target) ? '' : '…'}` : ''}`,
  );
  const nested = reading.nested.map(one =>
    'argv' in one ? `nested=${one.argv.map(leadOf).join(' ')}` : `script=${leadOf(one.script)}`,
  );
  return (
    [
      ...effects,
      ...reading.tags.map(tag => `#${tag}`),
      ...nested,
      ...reading.opaque.map(reason => `opaque (${reason.text})`),
    ].join(', ') || 'nothing'
  );
}
