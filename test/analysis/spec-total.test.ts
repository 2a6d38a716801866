import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Invocation } from '../../src/analysis/spec.js';
import { specifiedPrograms, specs } from '../../src/analysis/specs/index.js';
import { isKnown, leadOf } from '../../src/analysis/specs/paths.js';
import type { Word } from '../../src/contract/analysis.js';

const invocation = (argv: readonly Word[], changes: Partial<Invocation> = {}): Invocation => ({
  argv,
  cwd: ['/w'],
  home: '/home/u',
  env: new Map(),
  stdin: { kind: 'nothing' },
  ...changes,
});
const text = (value: string): Word => ({ text: value });

const words = fc.constantFrom(
  ...[
    '-',
    '--',
    '-c',
    '-e',
    '-o',
    '-x',
    '-f',
    '-i',
    '-I',
    '-S',
    '-exec',
    ';',
    '+',
    '{}',
    '=',
    'a=b',
    'a',
    '/',
    '~',
    '..',
    '',
    'exec',
    'run',
    '--output=x',
    '-C',
    '@f',
    'h:x',
    ':::',
    "'",
    '"',
    '\\',
    '$(',
    '{',
    '[',
    's/a/b/e',
    'http://h/',
    '+x',
    '-1',
    '--exec',
    '*',
  ].map(text),
  { opaque: 'variable', lead: '' },
  { opaque: 'glob', lead: 'src/' },
  { opaque: 'substitution', lead: '-' },
  { opaque: 'positional', lead: '' },
) as fc.Arbitrary<Word>;

test('every program answers for any words, with paths that are absolute or not known', () => {
  const programs = specifiedPrograms();
  expect(programs.length).toBeGreaterThan(400);
  fc.assert(
    fc.property(
      fc.constantFrom(...programs),
      fc.array(words, { maxLength: 7 }),
      fc.constantFrom<readonly string[] | undefined>(['/w'], ['/w', '/x'], [], undefined),
      fc.constantFrom<Invocation['stdin']>(
        { kind: 'nothing' },
        { kind: 'pipe' },
        { kind: 'here', text: text('a\n* * * * * b') },
        { kind: 'unknown' },
      ),
      (program, rest, cwd, stdin) => {
        const reading = specs(program)!.read(invocation([text(program), ...rest], { cwd, stdin }));
        for (const { kind, target } of reading.effects) {
          if ((kind === 'read' || kind === 'write') && target && isKnown(target)) expect(leadOf(target)).toMatch(/^\//);
        }
        for (const nested of reading.nested) if ('argv' in nested) expect(nested.argv.length).toBeGreaterThan(0);
        for (const path of reading.hashes) expect(path).toMatch(/^\//);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a word that is not known never makes a reading harmless that could start something', () => {
  for (const program of [
    'find',
    'sed',
    'awk',
    'tar',
    'sort',
    'git',
    'xargs',
    'env',
    'curl',
    'rg',
    'python3',
    'ssh',
    'npm',
    'docker',
  ]) {
    const reading = specs(program)!.read(
      invocation([text(program), { opaque: 'variable', lead: '' }, { opaque: 'variable', lead: '' }]),
    );
    const starts = reading.nested.some(nested =>
      'argv' in nested ? nested.argv.some(word => !isKnown(word)) : !isKnown(nested.script),
    );
    expect(reading.opaque.length > 0 || starts || reading.effects.some(({ kind }) => kind === 'code'), program).toBe(true);
  }
});

describe('paths', () => {
  const targets = (line: string, changes: Partial<Invocation> = {}) =>
    specs('cat')!
      .read(invocation(['cat', ...line.split(' ')].map(text), changes))
      .effects.map(({ target }) => (target ? leadOf(target) : ''));

  test.each([
    ['a', ['/w/a']],
    ['../a', ['/a']],
    ['/a//b/../c/', ['/a/c']],
    ['./sub/../.env', ['/w/.env']],
    ['-', []],
  ])('%s', (line, expected) => expect(targets(line)).toEqual(expected));

  test('one effect for each directory it may start in, none that is made up', () => {
    expect(targets('a', { cwd: ['/w', '/x'] })).toEqual(['/w/a', '/x/a']);
    const [effect] = specs('cat')!.read(invocation([text('cat'), text('a')], { cwd: undefined })).effects;
    expect(effect?.target).toEqual({ opaque: 'directory', lead: '' });
  });

  test('a file name pattern stays below its fixed part', () => {
    const [effect] = specs('cat')!.read(invocation([text('cat'), { opaque: 'glob', lead: 'src/a' }])).effects;
    expect(effect?.target).toEqual({ text: '/w/src/**' });
  });
});

test('a verdict of every program takes microseconds', () => {
  const argv = ['-la', '--color=auto', 'a', 'b', 'c'].map(text);
  const started = performance.now();
  let count = 0;
  for (const program of specifiedPrograms()) {
    specs(program)!.read(invocation([text(program), ...argv]));
    count += 1;
  }
  // Compiling every table included; a bound that only a mistake of an order of magnitude reaches.
  expect((performance.now() - started) / count).toBeLessThan(5);
});
