import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, programsOf } from '../../src/analysis/specs/compile.js';
import { checkExamples } from '../../src/analysis/specs/examples.js';

const spec = (...lines: string[]) => lines.join('\n');

describe('a table that cannot be understood names its file and line', () => {
  test.each([
    ['an unknown statement', spec('x', '  operadns read'), 'x.spec:2: "operadns read" is not understood'],
    ['an unknown effect', spec('x', '  -o FILE  wriet'), 'x.spec:2: "wriet" is not an effect'],
    ['an argument in lower case', spec('x', '  -o file  write'), 'x.spec:2: "file" is neither'],
    ['an option twice', spec('x', '  -o FILE  write', '  flags -a -o'), 'x.spec:3: -o is described twice'],
    ['a condition on nothing', spec('x', '  -o FILE  write if -z'), 'x.spec:1: x: a condition names -z, which is not'],
    ['a condition on a listed option', spec('x', '  flags -z', '  operands  write if -z'), 'which needs a line of its own'],
    ['an empty condition', spec('x', '  -z', '  operands  write if -z and'), 'x.spec:3: a condition is empty'],
    ['a comma without else', spec('x', '  -z', '  operands  write if -z, read'), 'a comma is only for ", else"'],
    ['a sentence without quotes', spec('x', '  -z  ask no'), 'x.spec:2: a sentence in double quotes'],
    ['a missing block', spec('x', '  use y'), 'x.spec:2: no "block y" in this file'],
    ['lines below an option', spec('x', '  -z', '    -y'), 'x.spec:2: only "sub" and "block" have lines below them'],
    ['a tab', 'x\n\t-z', 'x.spec:2: a tab'],
    ['words behind an action', spec('x', '  -z  harmless really'), '"really" is not understood'],
  ])('%s', (_, source, problem) => {
    expect(() => compile(source, 'x.spec')).toThrow(problem);
  });

  test('a file without its list of programs', () => {
    expect(() => programsOf('x\n  -z', 'x.spec')).toThrow('x.spec:1: the line "programs: NAME…" is missing');
  });
});

describe('examples', () => {
  test('one that holds says nothing, one that does not says where and what it is instead', () => {
    const [table] = compile(
      spec('x', '  -o FILE  write', '  operands  read', '  match x -o a b => write=/w/a read=/w/b', '  match x a => write'),
      'x.spec',
    );
    expect(checkExamples(table!)).toEqual(['x.spec:5: x a: not write; it is read=/w/a']);
  });

  test('not_match fails when its terms hold', () => {
    const [table] = compile(spec('x', '  operands  write', '  not_match x a => write'), 'x.spec');
    expect(checkExamples(table!)).toEqual(['x.spec:3: x a: unexpectedly write; it is write=/w/a']);
  });
});

test('the example of the page that explains tables holds', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/make-your-own-spec.md'), 'utf8');
  const source = /```\n(programs: mytool[\s\S]*?)```/.exec(page)![1]!;
  expect(programsOf(source, 'page')).toEqual(['mytool']);
  expect(compile(source, 'page').flatMap(checkExamples)).toEqual([]);
});

describe('what a table can say', () => {
  const holds = (lines: string[]) => compile(spec(...lines), 'x.spec').flatMap(checkExamples);

  test('names on one line are synonyms up to a long one', () => {
    expect(
      holds([
        'x',
        '  -r -R --recursive -f --force',
        '  operands  write tree if -r, else write',
        '  match x -R a => write=/w/a/**',
        '  match x --force a => write=/w/a',
      ]),
    ).toEqual([]);
  });

  test('a block is shared, and the own line of a sub-command wins over it', () => {
    expect(
      holds(['block b', '  -o FILE  read', 'x', '  sub s', '    use b', '    -o FILE  write', '  match x s -o f => write=/w/f']),
    ).toEqual([]);
  });

  test('options of the program behind a sub-command, where they may stand anywhere', () => {
    expect(
      holds([
        'x',
        '  options anywhere',
        '  -o FILE  write',
        '  sub s',
        '    operands  read',
        '  match x s -o f g => write=/w/f read=/w/g',
      ]),
    ).toEqual([]);
    expect(holds(['x', '  -o FILE  write', '  sub s', '    operands  read', '  match x s -o f g => opaque'])).toEqual([]);
  });

  test('last, numbered and each operand', () => {
    expect(
      holds([
        'x',
        '  operand 1  text',
        '  operand last  write',
        '  operands  read',
        '  match x a b c => read=/w/b write=/w/c',
        '  not_match x a b c => read=/w/a',
      ]),
    ).toEqual([]);
  });

  test('a condition on a value that is not known takes both ways', () => {
    expect(
      holds([
        'x',
        '  -a ACT  ask "runs" if exec=*',
        '  match x -a exec=y => opaque',
        '  match x -a $X => opaque',
        '  not_match x -a dot => opaque',
      ]),
    ).toEqual([]);
  });

  test('both sides of a condition that may hold apply', () => {
    expect(
      holds(['x', '  -a ACT  write if out=*, else read', '  match x -a $X => write read', '  not_match x -a a => write']),
    ).toEqual([]);
  });

  test('the other sub-commands and options ask unless the table says they are harmless', () => {
    expect(holds(['x', '  sub s', '  match x t => opaque', '  match x -q s => opaque'])).toEqual([]);
    expect(
      holds([
        'x',
        '  other options harmless',
        '  other commands harmless',
        '  sub s',
        '  match x t => plain',
        '  match x -q s => plain',
      ]),
    ).toEqual([]);
  });
});
