import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { BUILTINS } from '../../src/analysis/builtins/index.js';
import { verifies } from '../helpers/verifies.js';
import { analyze, line, reasonCodes, shownEffect } from './analyzing.js';

async function effectsOf(text: string): Promise<string[]> {
  const analysis = await analyze(text);
  return [...analysis.effects, ...analysis.programs.flatMap(program => program.effects)].map(shownEffect);
}

test('every builtin of this bash is known', () => {
  const names = execFileSync('/bin/bash', ['--norc', '-c', 'enable -a'], { encoding: 'utf8' })
    .split('\n')
    .map(row => row.replace(/^enable (-n )?/, ''))
    .filter(Boolean);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter(name => !Object.hasOwn(BUILTINS, name))).toEqual([]);
});

describe('where the shell goes', () => {
  test.each([
    ['cd sub; x > f', ['/home/ana/project/f', '/home/ana/project/sub/f']],
    ['cd sub && x > f', ['/home/ana/project/sub/f']],
    ['cd sub || x > f', ['/home/ana/project/f']],
    ['cd sub || exit; x > f', ['/home/ana/project/sub/f']],
    ['cd && x > f', ['/home/ana/f']],
    ['cd ~/a && x > f', ['/home/ana/a/f']],
    ['cd /a/b && cd .. && x > f', ['/a/f']],
    ['cd -P -- sub && x > f', ['/home/ana/project/sub/f']],
    ['(cd sub); x > f', ['/home/ana/project/f']],
    ['cd sub | cat; x > f', ['/home/ana/project/f']],
    ['cd sub & x > f', ['/home/ana/project/f']],
    ['x=$(cd sub); x > f', ['/home/ana/project/f']],
    ['pushd sub && x > f', ['/home/ana/project/sub/f']],
    ['{ cd sub && x; } && x > f', ['/home/ana/project/sub/f']],
    ['f() { cd sub; }; f && x > f', ['/home/ana/project/sub/f']],
    ['if a; then cd s; else cd t; fi && x > f', ['/home/ana/project/s/f', '/home/ana/project/t/f']],
    ['while a; do cd s && break; done; x > f', ['⟨variable:⟩']],
    ['cd - && x > f', ['⟨variable:⟩']],
    ['cd "$d" && x > f', ['⟨variable:⟩']],
    ['popd && x > f', ['⟨variable:⟩']],
    ['CDPATH=/a; cd b && x > f', ['⟨variable:⟩']],
  ])('%s', async (text, expected) => {
    const written = (await analyze(text)).effects.filter(({ kind }) => kind === 'write');
    expect(written.map(shownEffect)).toEqual(expected.map(path => `write ${path}`));
  });
});

describe('what stays in the shell is an effect', () => {
  test.each([
    ['f() { a; }', 'state f'],
    ['alias ls=evil', 'state ls'],
    ['trap evil DEBUG', 'state'],
    ['hash -p /x ls', 'state ls'],
    ['enable -n test', 'state'],
    ['enable -f ./x.so y', 'code'],
    ['shopt -s extdebug', 'state extdebug'],
    ['shopt -s expand_aliases', 'state expand_aliases'],
    ['set -o posix', 'state posix'],
    ['set +o interactive-comments', 'state interactive-comments'],
    ['shopt -u interactive_comments', 'state interactive_comments'],
    ['shopt -s lastpipe', 'state lastpipe'],
    ['echo x >&3', 'write ⟨variable:⟩'],
    ['echo x >&3 3>f', 'write ⟨variable:⟩'],
    ['declare -x', 'disclosure'],
    ['typeset -x -g', 'disclosure'],
    ['set -k', 'state -k'],
    ['set +B', 'state +B'],
    ['readonly x=1', 'state x'],
    ['exec > f', 'state'],
    ['exec ls', 'state'],
    ['umask 077', 'state 077'],
    ['ulimit -n 10', 'state'],
    ['bind -x a:b', 'state'],
    ['complete -C evil x', 'state'],
    ['unset -f cd', 'state cd'],
    ['unalias -a', 'state'],
    ['export -f f', 'environment f'],
    ['export GIT_PAGER=x', 'environment GIT_PAGER'],
    ['declare -x FOO=1', 'environment FOO'],
    ['PATH=/x', 'environment PATH'],
    ['PS4=x', 'environment PS4'],
    ['printf -v PATH x', 'environment PATH'],
    ['read PATH', 'environment PATH'],
    ['for PATH in a; do :; done', 'environment PATH'],
    ['BASH_CMDS[ls]=/x', 'environment BASH_CMDS'],
    [': ${GIT_SSH_COMMAND:=x}', 'environment GIT_SSH_COMMAND'],
    ['GIT_PAGER=x git log', 'environment GIT_PAGER'],
    ['LD_PRELOAD=x ls', 'environment LD_PRELOAD'],
    ['kill 1', 'process 1'],
    ['bg', 'process'],
    ['fc -s', 'code'],
    ['. ./x', 'code /home/ana/project/x'],
    ['history -w h', 'write /home/ana/project/h'],
  ])('%s → %s', async (text, expected) => {
    verifies('P11');
    expect(await effectsOf(text)).toContain(expected);
  });

  test.each([
    'echo a',
    'pwd',
    'x=1',
    'local_name=2; echo $local_name',
    'LC_ALL=C sort f',
    'NO_COLOR=1 ls',
    'while IFS= read -r l; do echo "$l"; done',
    'set -euo pipefail',
    'set +x; set -f',
    'shopt -s nullglob globstar',
    'command -v git',
    'type ls',
    'umask',
    'ulimit -a',
    'trap -p',
    'alias',
    'hash -r',
    'jobs',
    'wait',
    'kill -0 12',
    'kill -l',
    'history 5',
    'true; false; :',
    'read -r a b',
    'getopts ab o',
    'shift; set -- a',
    'declare -a list=(a b)',
    'unset x',
    'test -f x && [ -d y ]',
    'printf "%s\\n" a',
  ])('nothing stays: %s', async text => {
    expect(await effectsOf(text)).toEqual([]);
    expect(reasonCodes(await analyze(text))).toEqual([]);
  });
});

describe('places that evaluate text', () => {
  test.each([
    "[[ -v 'a[$(evil)]' ]]",
    "test -v 'a[$(evil)]'",
    "[ -v 'a[$(evil)]' ]",
    "unset 'a[$(evil)]'",
    "declare -a 'x=($(evil))'",
    "f(){ local 'a[$(evil)]=1'; }; f",
    "declare -i 'x=a[$(evil)]'",
    "wait -p 'a[$(evil)]' -n",
    "printf -v 'a[$(evil)]' x",
    "printf '%n' 'a[$(evil)]'",
    "read 'a[$(evil)]'",
    "mapfile 'a[$(evil)]'",
    "getopts a 'a[$(evil)]'",
    "let 'x=a[$(evil)]'",
    "((a['$(evil)']))",
    "x='a[$(evil)]'; ((x))",
    "x='a[$(evil)]'; echo $((x+1))",
    "x='a[$(evil)]'; [[ $x -eq 1 ]]",
    "x='a[$(evil)]'; echo ${y:x}",
    "x='a[$(evil)]'; echo ${y[x]}",
    "x='a[$(evil)]'; y=x; ((y))",
    "x='a[$(evil)]'; echo ${!x}",
    "x=(0 'a[$(evil)]'); ((x[1]))",
    "x='a[$(evil)]'; y=([x]=1)",
    "x='a[$(evil)]'; y+=(1 [x + 1]=1)",
    "x='a[$(evil)]'; y='x +'; ((y))",
    "x='a[$(evil)]'; for ((i=x;;)); do break; done",
    "compgen -W '$(evil)'",
  ])('%s', async text => {
    expect((await analyze(text)).programs.map(line)).toContain('evil');
  });

  test('a value of the session in arithmetic is a question for the facts', async () => {
    const { query, opaque } = await analyze('i=$((i + n)); [[ $m -gt 3 ]] && echo $((k++))');
    expect(opaque).toEqual([]);
    expect(query.numeric?.toSorted()).toEqual(['i', 'k', 'm', 'n']);
  });

  test('each element of an array counts, and the names in a key', async () => {
    expect((await analyze('((a[i])); b=(1 2); ((b[0])); c=([k]=1)')).query.numeric?.toSorted()).toEqual(['a', 'i', 'k']);
    expect(reasonCodes(await analyze('a=(1 2); ((a[1]++)); echo $((a[0]))'))).toEqual([]);
    expect(reasonCodes(await analyze('a=(1 $x); echo $((a[0]))'))).toContain('evaluated-value');
    expect(reasonCodes(await analyze("declare -A m; m=([k]='a[$(evil)]'); ((m[k]))"))).toContain('evaluated-value');
  });

  test('where a known value is cut, the separators of the session are a question for the facts', async () => {
    expect((await analyze('x="a b"; cat $x')).query.variables).toContain('IFS');
    expect((await analyze('set -- a b; cat "$*"')).query.variables).toContain('IFS');
    expect((await analyze('x="a b"; cat "$x" *')).query.variables).not.toContain('IFS');
  });

  test('a number that a command prints is one', async () => {
    expect(reasonCodes(await analyze('n=$(cat f | wc -l); echo $((n + 1))'))).toEqual([]);
    expect(reasonCodes(await analyze('n=$(wc -l f); echo $((n + 1))'))).toContain('evaluated-value');
    expect(reasonCodes(await analyze('wc(){ cat f; }; n=$(wc -l < f); echo $((n + 1))'))).toContain('evaluated-value');
  });
});

describe('attributes and prefixes do not make a name wrong', () => {
  test.each([
    ['declare -l x=EVIL; $x', undefined],
    ['declare -u x; x=evil; $x', undefined],
    ['x=ls; local x=evil; $x', 'ls'],
    ['x=evil; f(){ local x=ls; }; f; $x', 'evil'],
    ['x=evil; f(){ (local x=ls; x=ls); }; f; $x', 'evil'],
    ["x=ls; x=evil eval '$x'", 'evil'],
    ["x=evil; x=ls eval ''; $x", 'evil'],
    ['f(){ $x; }; x=ls; x=evil f', 'evil'],
    ['x=evil; (x=ls); $x', 'evil'],
    ['x=evil; x=ls true; $x', 'evil'],
    ['x=ls; x=evil export x; $x', undefined],
    ['x=ls; x=evil declare -x x; $x', undefined],
    ['x=ls; x=evil readonly x; $x', undefined],
    ['x=ls; x=evil command export x; $x', undefined],
    ['f(){ export x; }; x=ls; x=evil f; $x', undefined],
    ['x=ls; true && x=evil; $x', 'evil'],
    ['x=ls; a && x=evil; $x', undefined],
    ['x=ls; f(){ break; x=evil; }; for i in 1; do f; done; $x', 'evil'],
    ['x=ls; return; x=evil; $x', 'evil'],
    ['x=ls; f(){ return; x=evil; }; f; $x', 'ls'],
    ['x=evil; for i in 1 2; do for j in 1; do break 2; done; x=ls; done; $x', undefined],
    ['x=evil; ((0 && (x=1))); $x', undefined],
    ['RANDOM=evil; x$RANDOM', undefined],
  ])('%s', async (text, expected) => {
    const names = (await analyze(text)).programs.map(({ argv }) => argv[0]!);
    if (expected === undefined) {
      expect(names.some(name => 'opaque' in name)).toBe(true);
      return;
    }
    const known = names.flatMap(name => ('text' in name && /^(evil|ls)$/.test(name.text) ? [name.text] : []));
    expect(known).toEqual([expected]);
  });
});

describe('what a trap or a function runs, it runs at some later time', () => {
  test.each([
    ["x=a; trap 'rm $x' EXIT; x=/etc/passwd", 'rm', '⟨variable:⟩'],
    ["set -- a; trap 'rm $1' EXIT; set -- /etc/passwd", 'rm', '⟨positional:⟩'],
    ["x=a; trap 'x=b' USR1; cat $x", 'cat', '⟨variable:⟩'],
    ["x=a; trap 'echo done' EXIT; cat $x", 'cat', 'a'],
    ["set -- a; trap 'echo done' EXIT; cat $1", 'cat', 'a'],
    ['x=a; f() { rm $x; }; x=/etc/passwd', 'rm', '⟨variable:⟩'],
    ["trap 'IFS=a' USR1; x=ba; cat $x", 'cat', '⟨variable:⟩'],
  ])('%s → %s %s', async (text, name, operand) => {
    const found = (await analyze(text)).programs.map(line);
    expect(found.filter(one => one.startsWith(name))).toEqual([`${name} ${operand}`]);
  });
});
