import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AwkError } from '../../src/analysis/languages/awk-lexer.js';
import { readAwkProgram } from '../../src/analysis/languages/awk-program.js';

const nothing = { reads: [], writes: [], runs: [], begins: [], feeds: [], doubts: [], printsEnvironment: false };

describe('programs that only print', () => {
  test.each([
    '{print $1}',
    '{ print $1, $NF }',
    '$3 > 1000',
    '$1 == "a" && $2 >= 3 { n++ } END { print n }',
    'NR > 1 { sum += $2 / 2 } END { printf "%.2f\\n", sum / NR }',
    '{ if ($1 > max) max = $1 } END { print max }',
    '/a|b/ { print }',
    '{ gsub(/[|>]/, "x"); print }',
    'BEGIN { FS = "|" } { print $2 }',
    '{ print (a > b) ? "x" : "y" }',
    '{ x = y / z / 2; print x }',
    '!seen[$0]++',
    'function f(a) { return a > 2 } { print f($1) }',
    '{ print length($0) > 80 ? 1 : 0 }'.replace('length($0) > 80', '(length($0) > 80)'),
    '# print | "evil"\n{ print }',
    '{ while (i > 0) { i-- } }',
    '/^>/ { print substr($0, 2) }',
  ])('%s', program => {
    expect(readAwkProgram(program)).toEqual(nothing);
  });
});

test('of a command that is put together, what it begins with', () => {
  expect(readAwkProgram('{ system("evil " $1) }').begins).toEqual(['evil ']);
  expect(readAwkProgram('{ print | "evil " $1 }').begins).toEqual(['evil ']);
});

describe('what leaves awk is found', () => {
  test.each([
    ['{ print > "OUT" }', { writes: ['OUT'] }],
    ['{ print $1,\n $2 > "OUT" }', { writes: ['OUT'] }],
    ['{ printf "%s", $1 >> "OUT" }', { writes: ['OUT'] }],
    ['{ printf("%s", $1) > "OUT" }', { writes: ['OUT'] }],
    ['{ print | "evil" }', { runs: ['evil'], feeds: ['evil'] }],
    ['BEGIN { "evil" | getline }', { runs: ['evil'] }],
    ['BEGIN { while (("evil" | getline x) > 0) print x }', { runs: ['evil'] }],
    ['BEGIN { system ("evil") }', { runs: ['evil'] }],
    ['/[a]/ { system("evil") }', { runs: ['evil'] }],
    ['BEGIN { while ((getline x < "/etc/shadow") > 0) print x }', { reads: ['/etc/shadow'] }],
    ['BEGIN { print ENVIRON["KEY"] }', { printsEnvironment: true }],
  ])('%s', (program, expected) => {
    expect(readAwkProgram(program)).toEqual({ ...nothing, ...expected });
  });
});

describe('what cannot be followed is a doubt or an error', () => {
  test.each([
    'BEGIN { system("ev" "il") }',
    'BEGIN { c = "evil"; system(c) }',
    '{ print > $1 }',
    '{ print > "a" $1 }',
    '{ print | c }',
    'BEGIN { "ev" "il" | getline }',
    'BEGIN { print "x" |& "evil" }',
    'BEGIN { f = "system"; @f("evil") }',
    '@include "evil"\nBEGIN { }',
    'BEGIN { ARGV[1] = "/etc/shadow" } { print }',
    'BEGIN { getline x < f }',
    'BEGIN { system("\\145vil") }',
  ])('%s', program => {
    expect(readAwkProgram(program).doubts).not.toEqual([]);
  });
  test.each(['{ print "', '/abc', '{ x = `a` }', '/[/]/ { print }', 'BEGIN { getline /system("evil")/ 1 }'])('%s', program => {
    expect(() => readAwkProgram(program)).toThrow(AwkError);
  });
});

test('any text gives an answer or an AwkError', () => {
  const pieces = fc.constantFrom(
    'print',
    ' ',
    '"',
    '/',
    '|',
    'getline',
    '>',
    '(',
    ')',
    '{',
    '}',
    '\n',
    'system',
    'a',
    '1',
    '\\',
    '$',
    '[',
    ']',
    ';',
    '#',
    '@',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), parts => {
      try {
        readAwkProgram(parts.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(AwkError);
      }
    }),
    { numRuns: 300 },
  );
});
