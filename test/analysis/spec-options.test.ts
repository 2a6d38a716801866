import { describe, expect, test } from 'vitest';
import { compile } from '../../src/analysis/specs/compile.js';
import { readOptions } from '../../src/analysis/specs/options.js';
import type { Word } from '../../src/contract/analysis.js';

const TABLE = [
  'x',
  '  -o --output FILE  write',
  '  -v --verbose',
  '  -c --color [WHEN]',
  '  --compress',
  '  --compress-program CMD  program',
  '  --pair A B',
  '  numbers are options',
];
const table = (lines: readonly string[]) => compile(lines.join('\n'), 'x.spec')[0]!;

/** `?lead` is a word of which only `lead` is known; `?*lead` may be several words. */
const word = (text: string): Word =>
  text.startsWith('?*')
    ? { opaque: 'positional', lead: text.slice(2) }
    : text.startsWith('?')
      ? { opaque: 'variable', lead: text.slice(1) }
      : { text };
const shown = (given: Word): string => ('text' in given ? given.text : `?${given.lead}`);

function read(text: string, lines: readonly string[] = TABLE) {
  const result = readOptions(table(lines), text.split(' ').filter(Boolean).map(word));
  return {
    options: result.options.map(({ name, values }) => [name, ...values.map(shown)].join(' ')),
    operands: result.operands.map(shown),
    unlisted: result.unlisted,
    doubts: result.doubts.length,
  };
}

describe('options and operands', () => {
  test.each([
    ['-o f a', ['-o f'], ['a']],
    ['-of a', ['-o f'], ['a']],
    ['-vof a', ['-v', '-o f'], ['a']],
    ['a -v b', ['-v'], ['a', 'b']],
    ['-- -v', [], ['-v']],
    ['- a', [], ['-', 'a']],
    ['--output=f', ['--output f'], []],
    ['--output f', ['--output f'], []],
    ['--outp f', ['--output f'], []],
    ['--color a', ['--color'], ['a']],
    ['--color=always a', ['--color always'], ['a']],
    ['-calways a', ['-c always'], ['a']],
    ['--pair 1 2 3', ['--pair 1 2'], ['3']],
    ['-20 a', [], ['a']],
    ['-o', ['-o'], []],
  ])('%s', (text, options, operands) => {
    expect(read(text)).toMatchObject({ options, operands, unlisted: [], doubts: 0 });
  });

  test('an abbreviation of several is the one that matters', () => {
    expect(read('--comp x').options).toEqual(['--compress-program x']);
    expect(read('--compress x')).toMatchObject({ options: ['--compress'], operands: ['x'] });
  });

  test('what no line describes is said', () => {
    expect(read('-z --zz=1').unlisted).toEqual(['-z', '--zz']);
  });

  test('the first operand ends the options of a wrapper', () => {
    expect(read('-v a -v', [...TABLE, '  options end at the first operand'])).toMatchObject({
      options: ['-v'],
      operands: ['a', '-v'],
    });
  });

  test('an old cluster takes its arguments in order', () => {
    expect(read('ov f a', [...TABLE, '  first operand may be an option cluster'])).toMatchObject({
      options: ['-o f', '-v'],
      operands: ['a'],
    });
  });

  test('words with one dash', () => {
    const lines = ['x', '  options are single-dash words', '  -exec CMD  program', '  -x'];
    expect(read('-exec a -x b', lines)).toMatchObject({ options: ['-exec a', '-x'], operands: ['b'] });
    expect(read('--exec=a', lines).options).toEqual(['-exec a']);
  });
});

test('a word of very many letters is a doubt, a long value is none', () => {
  expect(read(`-${'v'.repeat(5_000)}`)).toMatchObject({ doubts: 1 });
  expect(read(`-vo${'f'.repeat(5_000)}`)).toMatchObject({ doubts: 0, operands: [] });
});

test.each([
  ['--verbose=true a', 0],
  ['--verbose=false a', 1],
  ['--verbose= a', 1],
  ['--verbose false', 1],
  ['--verbose null', 1],
  ['-v=false a', 1],
  ['-v=true', 0],
  ['--verbose a', 0],
  ['-v false', 0],
  ['--output=false', 0],
])('%s: an option that may be switched off is a doubt: %i', (text, doubts) => {
  expect(read(text).doubts).toBe(doubts);
});

describe('words that are not known', () => {
  test.each([
    ['?', 1],
    ['?-', 1],
    ['?-v', 1],
    ['?--out', 1],
    ['?--color=', 0],
    ['?src/', 0],
    ['-- ?', 0],
    ['-o ?', 0],
    ['-o ?*', 1],
    ['a ?*', 1],
    ['?--output=', 0],
  ])('%s could be an option that matters: %i', (text, doubts) => {
    expect(read(text).doubts).toBe(doubts);
  });

  test('digits are no option', () => {
    expect(readOptions(table(TABLE), [{ opaque: 'number', lead: '' }]).doubts).toEqual([]);
  });

  test('a word cannot be a harmful option where none exists', () => {
    expect(read('? ?-x', ['x', '  -v', '  other options harmless']).doubts).toBe(0);
  });

  test('an attached value keeps what is known of it', () => {
    expect(read('?--output=/tmp/')).toMatchObject({ options: ['--output ?/tmp/'] });
    expect(read('?-o/tmp/')).toMatchObject({ options: ['-o ?/tmp/'] });
  });
});
