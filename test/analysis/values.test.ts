import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Word } from '../../src/contract/analysis.js';
import { analyze } from './analyzing.js';

const VALUES = ['evil', 'a/b/evil', 'xxevil.sh.bak', 'Evil One', 'aXbXc', '*a?', 'aaa'];
const PATTERNS = ['*', '*/', '*X', 'x*', '?', '??*', '*.*', '.*', 'a*a', 'X*', '*a', 'a', 'zz', '.sh', 'evil'];

const cuts = VALUES.flatMap(value =>
  PATTERNS.flatMap(pattern => ['#', '##', '%', '%%'].map(operator => `x='${value}'; t "\${x${operator}${pattern}}"`)),
);
const replaced = VALUES.flatMap(value =>
  ['/', '//', '/#', '/%'].flatMap(operator => ['a', 'x', '.bak', 'l'].map(from => `x='${value}'; t "\${x${operator}${from}/Q}"`)),
);
const cases = VALUES.flatMap(value => ['@U', '@L', '@u', '^^', ',,', '^', ','].map(change => `x='${value}'; t "\${x${change}}"`));
const arrays = [
  ...['[-1]', '[-2]', '[1]', '[0]', '[@]:1', '[@]:1:1', '[@]:0:2', '[@]:3', '[@]:9', '[*]:1'].map(
    part => `a=(one 'two three' four); t "\${a${part}}"`,
  ),
  'a=(one two); a[1]=x; t "${a[@]}"',
  'a=(one two); a[2]=x; t "${a[@]}"',
  'a=one; a[1]=two; t "$a" "${a[1]}"',
  'a=(); a+=(one); a+=(two); t "${a[@]}"',
];
const builtins = [
  'printf -v x \'%s-%s\' a b; t "$x"',
  'printf -v x \'a\\tb%%\'; t "$x"',
  'printf -v x %s a b c; t "$x"',
  'read x <<< \'  a b  \'; t "$x"',
  'read -r x <<< \'a b\'; t "$x"',
  'IFS= read -r x <<< \'  a b \'; t "$x"',
  'IFS=, read -r x <<< "a,b"; t "$x"',
  'mapfile -t x <<< $\'one two\\nthree\'; t "${x[@]}" "$x"',
  "t $'a\\0b'c $'\\x00' $'d\\000e'",
  'f() { echo a; echo b; }; x=$(f); t "$x"',
  'x=$(echo -e \'a\\nb\\\\c\'); t "$x"',
  'x=$(printf \'%b\' a); t "$x"',
  'x=$(echo -ne \'a b\'); t "$x"',
];

const LINES = [...cuts, ...replaced, ...cases, ...arrays, ...builtins];

/** What bash gives to `t`, line by line. */
function given(): string[][] {
  const script = [
    "t() { local w; for w; do printf '%s\\001' \"$w\"; done; printf '\\002'; }",
    ...LINES.map(line => `(\n${line}\n)`),
  ].join('\n');
  const { stdout, status } = spawnSync('/bin/bash', ['--noprofile', '--norc'], {
    input: script,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  return stdout.split('\x02').map(words => words.split('\x01').slice(0, -1));
}

const textOf = (word: Word): string | undefined => ('text' in word ? word.text : undefined);

test('a value that is called known is the one that bash computes', { timeout: 60_000 }, async () => {
  const real = given();
  let known = 0;
  for (const [index, text] of LINES.entries()) {
    const words = (await analyze(text)).programs.at(-1)!.argv.slice(1).map(textOf);
    if (words.includes(undefined)) continue;
    known += 1;
    expect(words, text).toEqual(real[index]);
  }
  expect(known).toBeGreaterThan(LINES.length * 0.8);
});
