import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandBraces } from '../../src/analysis/braces.js';
import { plain } from '../../src/analysis/chunks.js';
import { specs } from '../../src/analysis/specs/index.js';
import { analyze, line, reasonCodes, shownEffect } from './analyzing.js';

// Found by feeding text without grammar to bash and to the analysis (test/fuzz/soup.ts).
describe('what the parser reads differently from bash asks', () => {
  test.each([
    ['show$\\\n(evil)', 'torn-line'],
    ['echo "$\\\n(evil)"', 'torn-line'],
    ['echo $x\\\ny', 'torn-line'],
    ['echo ${x\\\ny}', 'torn-line'],
    ['cat <\\\n(evil)', 'torn-line'],
    ["echo 'a b'<(show)", 'glued-words'],
    ['x=(a<(show))', 'glued-words'],
    ['tool 2>(evil)', 'torn-line'],
    ['tool <&-f', 'torn-line'],
    ['tool `echo t$[i` x', 'torn-line'],
    ['x=(a)${y/;}', 'glued-words'],
    ["tool >& '$(evil)'", 'expanded-twice'],
    ["x='$(evil)'; tool >& $x", 'expanded-twice'],
    ['x=$(<<E)then a\\\nb', 'open-here-document'],
    ['cat <<E\nx', 'open-here-document'],
  ])('%j: %s', async (text, code) => {
    expect(reasonCodes(await analyze(text))).toContain(code);
  });

  test.each([
    ['echo a \\\n  b && \\\n  echo c |\\\n cat'],
    ['tool >& out-1.log 2>&1 <&- >&-'],
    ['diff <(show a) <(show b) >(cat)'],
    ['cat <<E\n$(show <<F\nx\nF\n)\nE'],
    ['git commit -m "$(cat <<\'E\'\ntext\nE\n)"'],
    ['echo "price: 5$" a$ x'],
  ])('%j does not', async text => {
    expect(reasonCodes(await analyze(text))).toEqual([]);
  });
});

test('what a second expansion would run is named', async () => {
  expect((await analyze("tool >& '$(evil)'")).programs.map(line)).toContain('evil');
});

describe('braces come before parameters', () => {
  test.each([
    ['echo $HOME{1..2}', 'echo ⟨brace:⟩'],
    ['echo {$,}HOME', 'echo ⟨brace:⟩'],
    ['echo a{$x,b}c', 'echo ⟨brace:⟩'],
    ['echo {08..{a,b}10} {a}b,c}', 'echo 08..a10 08..b10 a}b c'],
    ['echo {a,b}${x#{}', 'echo ⟨brace:⟩'],
    ['echo $HOME/{a,b}', 'echo /home/ana/a /home/ana/b'],
    ['echo "$HOME"{a,b}', 'echo /home/anaa /home/anab'],
    ['echo {$HOME,b}', 'echo /home/ana b'],
    ['echo {1..x} {a,{1..2}}', 'echo {1..x} a 1 2'],
  ])('%s → %s', async (text, expected) => {
    expect((await analyze(text)).programs.map(line)).toEqual([expected]);
  });
});

test('any braces expand as bash expands them', () => {
  const pieces = fc.constantFrom('{', '{', '}', '}', ',', ',', '..', 'a', 'b', '1', '3', '0', '-', '.', '{a,b}', '{1..3}');
  const words = fc.sample(fc.string({ unit: pieces, minLength: 1, maxLength: 9 }), { numRuns: 400, seed: 7 });
  const script = words.map(word => `printf '%s\\0' x${word}; printf '\\1'`).join('\n');
  const real = execFileSync('/bin/bash', ['--norc', '-c', script], { encoding: 'utf8' }).split('\x01');
  const expanded = words.map(word =>
    expandBraces([plain(`x${word}`)])
      .map(chunks => `${chunks.map(chunk => (chunk.kind === 'text' ? chunk.text : '')).join('')}\0`)
      .join(''),
  );
  expect(expanded).toEqual(real.slice(0, -1));
});

test.each([
  ['env =1 evil', 'evil'],
  ["sh - 'tool' <<< evil", 'sh - tool'],
  ['x=a; x=b >out$x', ''],
])('%s', async (text, expected) => {
  const analysis = await analyze(text, { specs });
  if (expected !== '') expect(analysis.programs.map(line)).toContain(expected);
  expect(analysis.effects.map(shownEffect)).not.toContain('write /home/ana/project/outa');
});

test('a value that may be empty leaves the next word to its option', async () => {
  expect(reasonCodes(await analyze('nice -n"$x" 5 show', { specs }))).toContain('opaque-option');
  expect(reasonCodes(await analyze('head -n"$x" file', { specs }))).not.toContain('opaque-option');
});

test('an operator that is not known may be -v', async () => {
  expect((await analyze("test $@-v 'b[$(evil)]'")).programs.map(line)).toContain('evil');
  expect(reasonCodes(await analyze('[ "$x" = "a[0]" ]'))).toEqual([]);
});

test('quotes in a default keep its words together', async () => {
  expect((await analyze('show ${x:-"a b"$@"" c}')).programs.map(line)).toEqual(['show ⟨variable:⟩']);
});

test('digits behind other text are no number, and a known beginning is cut at its blanks', async () => {
  expect(reasonCodes(await analyze('x="a[0"$(wc -l <f); ((x))'))).toContain('evaluated-value');
  expect((await analyze('x="a  b"${#y}; tool $x')).programs.map(line)).toEqual(['tool a ⟨variable:b⟩']);
});

describe('what may not have happened is not relied on', () => {
  test.each([
    ['x=evil; export x=show </missing; $x'],
    ['x=evil; read x </missing; x=show >/missing/x; $x'],
    ['f(){ local x=evil; local x=show <f; $x; }; f'],
    ['x=evil; { x=show; } </missing; $x'],
    ['set -- evil; set --show show; "$1"'],
    ['set -- evil; set -y show; "$1"'],
    ['set -- evil; set -- show <-; "$1"'],
    ['x=evil; declare -@ x=show; $x'],
    ['x=evil; printf -[v x show; $x'],
    ['x=evil; ((1/0, x=1)); $x'],
    ['x=evil; ((0&x+=(x=1))); $x'],
    ['x=evil; : {x}</missing; $x'],
    ['for x in show evil; do for y in a; do break 2; done; done; $x'],
    ['x=evil; unset -@ x; $x show'],
    ["$'to\\\nol' a"],
  ])('%s', async text => {
    const names = (await analyze(text)).programs.map(({ argv }) => argv[0]!);
    expect(names.some(name => 'opaque' in name)).toBe(true);
  });

  test.each([['x=show; x=show >/dev/null 2>&1; $x'], ['set -- show; set -eu; "$1"'], ['set -o pipefail -- show; "$1"']])(
    '%s',
    async text => {
      expect((await analyze(text)).programs.map(line)).toContain('show');
    },
  );
});
