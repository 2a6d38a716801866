import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSedScript, SedError } from '../../src/analysis/languages/sed-script.js';

const nothing = { reads: [], writes: [], runs: [], runsInput: false };

describe('scripts that only edit', () => {
  test.each([
    's/a/b/',
    's/a/b/g; s,x,y,2p',
    '1,5p',
    '$!d',
    '/^#/d;/^$/d',
    '/a/,/b/{s/x/y/;p}',
    ':a;N;$!ba;s/\\n/ /g',
    's/[^\\/]*$//',
    's/\\[x\\]/y/',
    'y/abc/xyz/',
    '/a/I!{p;d}',
    '1~2p; 2,+3d; 0,/x/s//y/',
    'a hello; w x',
    'i\\\n  text e\n s/a/b/',
    '/x/c\\text',
    '2q; 5Q 3',
    '\\,a,p',
    's/a/e/',
    's|/usr/bin|/opt|',
    's/"version": "[^"]*"/"version": "1"/',
    'p # e evil',
    's/a/b\\\nc/',
  ])('%s', script => {
    expect(readSedScript(script)).toEqual(nothing);
  });
});

describe('what leaves sed is found', () => {
  test.each([
    ['w OUT', { writes: ['OUT'] }],
    ['/x/w OUT', { writes: ['OUT'] }],
    ['s/a/b/gw OUT', { writes: ['OUT'] }],
    ['1,3W OUT\ns/a/b/', { writes: ['OUT'] }],
    ['r /etc/passwd', { reads: ['/etc/passwd'] }],
    ['1e evil', { runs: ['evil'] }],
    ['$!{s/a/b/\ne evil\n}', { runs: ['evil'] }],
    ['s/a/b/e', { runsInput: true }],
    ['s/a/b/;s/x/y/ge', { runsInput: true }],
    ['e', { runsInput: true }],
    ['sxaxbxe', { runsInput: true }],
    ['y/a/b/;e evil', { runs: ['evil'] }],
    ['a text\ne evil', { runs: ['evil'] }],
    ['a text\\\nmore\ne evil', { runs: ['evil'] }],
    ['b x;e evil', { runs: ['evil'] }],
  ])('%s', (script, expected) => {
    expect(readSedScript(script)).toEqual({ ...nothing, ...expected });
  });
});

describe('what is not certain throws', () => {
  test.each(['s/[/]/e/;s/a/id/e', 's/[/x/e', 's/a/b', 'k', 's/a/b/q', '/a', 's/[\\]/]/x/', 'p p', 'e;p', 'e}', '1,p'])(
    '%s',
    script => {
      expect(() => readSedScript(script)).toThrow(SedError);
    },
  );
});

test('a script this lexer calls harmless starts nothing in the real sed', () => {
  // `e` and `w` are refused by --sandbox, which makes the real sed the judge.
  const pieces = fc.constantFrom(
    's/a/b/',
    'e',
    'e id',
    'w',
    'w x',
    ';',
    '\n',
    '{',
    '}',
    'p',
    '1',
    '$',
    '/a/',
    ',',
    '!',
    'a x',
    'i\\',
    '[',
    ']',
    '\\',
    'y/a/b/',
    'g',
    'b',
    ':x',
    '#',
    ' ',
    's,a,b,w f',
    's|a|b|e',
    'r f',
  );
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), parts => {
      const script = parts.join('');
      let harmless: boolean;
      try {
        const read = readSedScript(script);
        harmless = read.runs.length === 0 && !read.runsInput && read.writes.length === 0 && read.reads.length === 0;
      } catch (error) {
        expect(error).toBeInstanceOf(SedError);
        return;
      }
      if (!harmless) return;
      let message = '';
      try {
        execFileSync('sed', ['--sandbox', script], { input: '', stdio: ['pipe', 'ignore', 'pipe'] });
      } catch (error) {
        message = String((error as { stderr?: Buffer }).stderr ?? '');
      }
      expect(message, script).not.toContain('sandbox');
    }),
    { numRuns: 300 },
  );
});
