import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileCommand, matchCommand, type WordToken } from '../../src/policy/command-glob.js';
import { expandBraces, glob, globCouldMatch, globMatches } from '../../src/policy/globs.js';
import { compilePaths, couldBeMet, pathMatches, treeMatches } from '../../src/policy/path-glob.js';
import { program } from './made.js';

const PLACE = { workspace: '/repo', home: '/home/ana' };

describe('globs', () => {
  test.each<[string, string, boolean]>([
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
    ['a*', 'a', true],
    ['a*c', 'abc', true],
    ['a*c', 'ac', true],
    ['a*ca', 'aca', true],
    ['a*aa', 'aa', false],
    ['*', '', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'ba', false],
    ['a\\*c', 'a*c', true],
    ['a\\*c', 'abc', false],
    ['**', 'anything', true],
  ])('%s on %s', (pattern, text, expected) => {
    expect(globMatches(glob(pattern), text)).toBe(expected);
  });

  test('agrees with a regular expression', () => {
    const letters = fc.stringMatching(/^[ab*]{0,8}$/);
    fc.assert(
      fc.property(letters, fc.stringMatching(/^[ab]{0,12}$/), (pattern, text) => {
        const expected = new RegExp(`^${pattern.replaceAll(/\*+/g, '.*')}$`, 's').test(text);
        expect(globMatches(glob(pattern), text)).toBe(expected);
      }),
    );
  });

  test('what a lead allows is never less than what a whole text does', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ab*]{0,6}$/),
        fc.stringMatching(/^[ab]{0,5}$/),
        fc.stringMatching(/^[ab]{0,5}$/),
        (pattern, lead, rest) => {
          const could = globCouldMatch(glob(pattern), lead);
          const does = globMatches(glob(pattern), lead + rest);
          if (does) expect(could).not.toBe('no');
          if (could === 'yes') expect(does).toBe(true);
        },
      ),
    );
  });

  test('is quick on a pattern that makes backtrackers slow', () => {
    const start = performance.now();
    expect(globMatches(glob(`${'a*'.repeat(60)}b`), 'a'.repeat(20_000))).toBe(false);
    expect(performance.now() - start).toBeLessThan(200);
  });

  test('braces', () => {
    expect(expandBraces('a{b,c{d,e}}f')).toEqual(['abf', 'acdf', 'acef']);
    expect(expandBraces('{a,}b')).toEqual(['ab', 'b']);
    expect(expandBraces('\\{a,b}')).toEqual(['\\{a,b}']);
    expect(() => expandBraces('{a,b')).toThrow(/does not close/);
    expect(() => expandBraces('{a,b}'.repeat(12))).toThrow(/more than 256/);
  });
});

describe('paths', () => {
  test.each<[string, string, boolean]>([
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/bc', false],
    ['/a/**', '/a', true],
    ['/a/**', '/a/b/c', true],
    ['/a/**', '/ab', false],
    ['/a/*', '/a/b/c', false],
    ['/a/**/c', '/a/c', true],
    ['/a/**/c', '/a/b/b/c', true],
    ['**/.env', '/.env', true],
    ['**/.env', '/x/y/.env', true],
    ['**/.env', '/x/y/.envrc', false],
    ['${workspace}/**', '/repo/x', true],
    ['${workspace}/**', '/repository/x', false],
    ['${workspace}', '/repo', true],
    ['~/.ssh/*', '/home/ana/.ssh/id_rsa', true],
    ['~/.ssh/*', '/home/anabel/.ssh/id_rsa', false],
    ['/', '/', true],
    ['/', '/a', false],
    ['/a/{b,c}*', '/a/cd', true],
  ])('%s on %s', (pattern, path, expected) => {
    expect(compilePaths([pattern]).some(compiled => pathMatches(compiled, path, PLACE))).toBe(expected);
  });

  test.each(['src/**', '.env', '', '../x', '/a/../b', 'x${workspace}/y'])('%s is no path pattern', pattern => {
    expect(() => compilePaths([pattern])).toThrow(expect.objectContaining({ code: 'POLICY_INVALID' }));
  });

  test('a home or workspace of nothing matches nothing', () => {
    const [pattern] = compilePaths(['~/**']);
    expect(pathMatches(pattern!, '/etc/passwd', { workspace: '', home: '' })).toBe(false);
  });

  test.each<[string, string, string]>([
    ['${workspace}/**', '/repo/src', 'yes'],
    ['${workspace}/**', '/repo', 'yes'],
    ['${workspace}/**', '/', 'maybe'],
    ['${workspace}/*', '/repo', 'maybe'],
    ['**/.env', '/repo', 'maybe'],
    ['/etc/**', '/repo', 'no'],
    ['/repo/src/x', '/repo', 'maybe'],
    ['/repo/src/x', '/repo/test', 'no'],
  ])('%s on everything below %s: %s', (pattern, directory, expected) => {
    expect(treeMatches(compilePaths([pattern])[0]!, directory, PLACE)).toBe(expected);
  });
});

describe('commands', () => {
  const isNamed = ({ literals }: WordToken) => (literals.has('git') ? 'yes' : 'no');
  const match = (pattern: string, words: string, mode: 'allow' | 'forbid' = 'allow', specified = true) =>
    matchCommand(compileCommand(pattern), program(words, { specified }), { mode, isNamed });

  test.each<[string, string, string]>([
    ['git log **', 'git log', 'yes'],
    ['git log **', 'git log -5 --oneline', 'yes'],
    ['git log *', 'git log', 'no'],
    ['git log *', 'git log -5', 'yes'],
    ['git log *', 'git log -5 x', 'no'],
    ['git {log,diff} **', 'git diff', 'yes'],
    ['git {log,diff} **', 'git show', 'no'],
    ['git {--no-pager,} log', 'git log', 'yes'],
    ['git {--no-pager,} log', 'git --no-pager log', 'yes'],
    ['git ** --force', 'git push origin --force', 'yes'],
    ['git ** --force', 'git push --force origin', 'no'],
    ['git push --for*', 'git push --force', 'yes'],
    ["git 'a b'", 'git a', 'no'],
    ['git {log,\n  diff}\n  **', 'git diff x', 'yes'],
    ['log', 'git log', 'no'],
  ])('%s on %s: %s', (pattern, words, expected) => {
    expect(match(pattern, words)).toBe(expected);
    expect(match(pattern, words, 'forbid')).toBe(expected);
  });

  test.each<[string, string, string, string]>([
    ['git log **', 'git log ?', 'yes', 'yes'],
    ['git log', 'git ?', 'no', 'maybe'],
    ['git push --force **', 'git push ?', 'no', 'maybe'],
    ['git push --force **', 'git push ?--f', 'no', 'maybe'],
    ['git push --force **', 'git push ?origin', 'no', 'no'],
    ['git push --out=*', 'git push ?--out=x', 'no', 'yes'],
    ['git push --force', 'git ? --force', 'no', 'maybe'],
    ['git push x --force', 'git ?', 'no', 'maybe'],
  ])('unknown words: %s on %s allows %s, forbids %s', (pattern, words, allow, forbid) => {
    expect(match(pattern, words)).toBe(allow);
    expect(match(pattern, words, 'forbid')).toBe(forbid);
  });

  test('without a spec no wildcard allows, and every word written out does', () => {
    expect(match('git log **', 'git log', 'allow', false)).toBe('no');
    expect(match('git log', 'git log', 'allow', false)).toBe('yes');
    expect(match('git log **', 'git log', 'forbid', false)).toBe('yes');
  });

  test('a deny holds for whatever unknown words turn out to be', () => {
    const words = fc.array(fc.constantFrom('a', 'b', '-f', '?'), { maxLength: 4 });
    const pattern = fc.array(fc.constantFrom('a', 'b', '-f', '*', '**'), { maxLength: 4 });
    const values = fc.array(fc.array(fc.constantFrom('a', 'b', '-f'), { maxLength: 2 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(words, pattern, values, (argv, tokens, expansions) => {
        const source = ['git', ...tokens].join(' ');
        const said = match(source, ['git', ...argv].join(' '), 'forbid');
        const real = argv.flatMap((word, index) => (word === '?' ? expansions[index]! : [word]));
        if (match(source, ['git', ...real].join(' '), 'forbid') === 'yes') expect(said).not.toBe('no');
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a pattern of the shell could meet', () => {
  test.each([
    ['/w/*.ts', '**/.env', false],
    ['/w/*', '**/.env', false],
    ['/w/.e*', '**/.env', true],
    ['/w/.en?', '**/.env', true],
    ['/w/.envx*', '**/.env', false],
    ['/w/*/.env', '**/.env', true],
    ['/w/*/x', '**/.env', false],
    ['/w/.[e]nv/', '**/.env', true],
    ['/w/@(.e)nv*', '**/.env', true],
    ['/w/*.ts', '**/*.pem', false],
    ['/w/s*', '**/*.pem', true],
    ['/w/*m', '**/*.pem', true],
    ['/w/*', '**/credentials', true],
    ['/w/*x', '/etc/**', true],
  ])('%s and %s: %s', (met, pattern, expected) => {
    expect(couldBeMet(compilePaths([pattern])[0]!, met)).toBe(expected);
  });

  test('is never less than what it meets', () => {
    const holes = (of: readonly string[]) => fc.array(fc.constantFrom('', ...of), { minLength: 6, maxLength: 6 });
    const withHoles = (name: string, put: readonly string[]) => [...name].map((letter, at) => put[at] || letter).join('');
    fc.assert(
      fc.property(fc.stringMatching(/^[ab.]{1,6}$/), holes(['?', '*']), holes(['*']), (name, shell, policy) => {
        const [met, wanted] = [withHoles(name, shell), withHoles(name, policy)];
        fc.pre(!(name.startsWith('.') && !met.startsWith('.')) && !/^\.{1,2}$|\*\*/.test(wanted));
        expect(couldBeMet(compilePaths([`**/${wanted}`])[0]!, `/w/${met}`)).toBe(true);
      }),
    );
  });
});
