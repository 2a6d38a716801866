import { describe, expect, test } from 'vitest';
import { analyze, line, reasonCodes, shownEffect } from './analyzing.js';

async function lines(text: string): Promise<string[]> {
  return (await analyze(text)).programs.map(line);
}

describe('what a line runs is named', () => {
  test.each<[string, string[]]>([
    ['echo a; evil', ['echo a', 'evil']],
    ['echo a && b || c', ['echo a', 'b', 'c']],
    ['a | b |& c', ['a', 'b', 'c']],
    ['a & b', ['a', 'b']],
    ['echo a#b; evil', ['echo a#b', 'evil']],
    ['echo a # x\nevil', ['echo a', 'evil']],
    ['( evil )', ['evil']],
    ['time { evil; }', ['evil']],
    ['! evil', ['evil']],
    ['coproc N { evil; }', ['evil']],
    ['if evil; then a; elif b; then c; else d; fi', ['evil', 'a', 'b', 'c', 'd']],
    ['case $x in a) evil;; *) b;& esac', ['evil', 'b']],
    ['select x in a b; do evil; done', ['evil']],
    ['for ((i=0; i<$(a); i++)); do evil; done', ['a', 'evil']],
    ['echo $(evil) `other`', ['evil', 'other', 'echo ⟨substitution:⟩ ⟨substitution:⟩']],
    ['echo `a \\`b\\``', ['b', 'a ⟨substitution:⟩', 'echo ⟨substitution:⟩']],
    ['cat <(evil)', ['evil', 'cat ⟨process-substitution:/dev/fd/⟩']],
    ['cat <<E\n$(evil)\nE', ['evil', 'cat']],
    ["cat <<'E'\n$(evil)\nE", ['cat']],
    ['cat <<< "$(evil)"', ['evil', 'cat']],
    ['x=$(evil)', ['evil']],
    ['a=([$(evil)]=1)', ['evil']],
    ['echo $((evil) )', ['evil', 'echo ⟨substitution:⟩']],
    ['((x = a[$(evil)] + 1))', ['evil']],
    [
      'echo ${v:a[$(evil)]} ${a[$(b)]} ${v/$(c)/$(d)} ${v:-$(e)}',
      ['evil', 'b', 'c', 'd', 'e', 'echo ⟨variable:⟩ ⟨variable:⟩ ⟨variable:⟩ ⟨variable:⟩'],
    ],
    ['[[ $(evil) == b ]]', ['evil']],
  ])('%s', async (text, expected) => {
    expect(await lines(text)).toEqual(expected);
  });
});

describe('spelling tricks do not hide a name', () => {
  test.each([
    "'evil'",
    '"evil"',
    'e\\vil',
    "e''vil",
    "$'\\x65vil'",
    "$'\\145vil'",
    "$'\\u0065vil'",
    '$"evil"',
    'e\\\nvil',
    'x=evil; $x',
    'x=evil; "$x"',
    'x=ev; ${x}il',
    'x=xevil; ${x#x}',
    'x=EVIL; ${x,,}',
    'x=evilx; ${x:0:4}',
    'x=eXil; ${x/X/v}',
    '${nope:+a}evil',
    'a=(evil b); ${a[0]}',
    'set -- evil; "$1"',
    'set -- evil; "$@"',
    'f(){ "$@"; }; f evil',
    'f(){ local x=evil; $x; }; f',
    'x=y; y=evil; ${!x}',
    'for x in evil; do $x; done',
    '$(echo evil)',
    'eval evil',
    "eval 'ev''il'",
    'builtin eval evil',
    'command evil',
    'command -p evil',
    'exec evil',
    'exec -a ls evil',
    'exec -cla ls evil',
    'trap evil EXIT',
    'alias ls=evil; ls',
    'hash -p evil ls',
    'compgen -C evil',
    "compgen -W '$(evil)'",
    'mapfile -C evil -c 1 a < l',
    'printf -v x %s evil; $x',
    'read x <<< a; evil',
    'true || evil',
    'f(){ evil; }',
    '. /dev/stdin <<< evil',
    'X=1 evil',
    '>x evil',
    'x= ; ${x}evil',
    '${x:=evil}',
    'while :; do break; done; evil',
    'f(){ return; }; f; evil',
    'exit; evil',
  ])('%s', async text => {
    const { programs } = await analyze(text);
    const named = programs.some(({ argv }) => argv[0] && 'text' in argv[0] && argv[0].text === 'evil');
    // A value that only the session knows may stand there instead: then the name is opaque, not wrong.
    const asked = programs.some(({ opaque }) => opaque.some(({ code }) => code === 'unknown-program'));
    expect(named || asked, JSON.stringify(programs.map(line))).toBe(true);
    if (!text.includes(':=') && !text.includes('nope')) expect(named).toBe(true);
  });
});

test('braces expand as bash expands them', async () => {
  expect(await lines('{evil,x} a{1..3}b {a,b}{c,d} {a,{b,c}}d {,x} {a} {a,b {z..x} {08..10} {1..7..3} a{b}{c,d}')).toEqual([
    'evil x a1b a2b a3b ac ad bc bd ad bd cd x {a} {a,b z y x 08 09 10 1 4 7 a{b}c a{b}d',
  ]);
});

describe('fields are the words that the program gets', () => {
  test.each([
    ['set --; t "$@" a', 't a'],
    ['set -- x "y z"; t "$@" $@ "$*" "a$@b"', 't x y z x y z x y z ax y zb'],
    ['a=(x "y z"); t "${a[@]}" "${a[1]}" ${#a} ', 't x y z y z 1'],
    ['x="a  b"; t $x "$x" c$x', 't a b a  b ca b'],
    ['x=; t $x "$x" ${x:-d} ${x-e}', 't  d'],
    ["t $'a\\x41\\n' $'\\'' \\$x a\\ b", "t aA\n ' $x a b"],
    ["t $'\\x{41}' $'a\\0b' $'\\u20ac'", 't ⟨unparsed:⟩ a ⟨unparsed:⟩'],
    ['t ~ ~/a "~" x=~ ~+ \\~', 't /home/ana /home/ana/a ~ x=/home/ana /home/ana/project ~'],
    ['t *.ts src/*.ts "*" \\* src/*/../../x', 't ⟨glob:⟩ ⟨glob:src/⟩ * * ⟨variable:src/⟩'],
    ['t a$x"b" "$x" $((1+2)) $((3*x)) $(date)', 't ⟨variable:a⟩ ⟨variable:⟩ 3 ⟨number:⟩ ⟨substitution:⟩'],
    ['IFS=,; x=a,b; t $x "$x"', 't ⟨variable:⟩ a,b'],
  ])('%s', async (text, expected) => {
    expect(line((await analyze(text)).programs.at(-1)!)).toBe(expected);
  });

  test('an opaque word says whether it is one word', async () => {
    const { programs } = await analyze('t "$x" $x a"$x" *.c "$(d)" $(d)');
    const single = programs
      .at(-1)!
      .argv.slice(1)
      .map(word => 'opaque' in word && word.single === true);
    expect(single).toEqual([true, false, true, false, true, false]);
  });
});

test('redirections are effects with absolute paths', async () => {
  const { effects } = await analyze(
    'cd sub && a > out 2>&1 <in >>/tmp/../tmp/x 2>/dev/null; b &> ~/y; c > /dev/tcp/host/80; cat <> rw',
  );
  expect(effects.map(shownEffect)).toEqual([
    'write /home/ana/project/sub/out',
    'read /home/ana/project/sub/in',
    'write /tmp/x',
    'write /home/ana/y',
    'network host',
    'read /home/ana/project/rw',
    'write /home/ana/project/rw',
    'read /home/ana/project/sub/rw',
    'write /home/ana/project/sub/rw',
  ]);
});

describe('what cannot be known is a reason', () => {
  test.each([
    ['$x', 'unknown-program'],
    ['ls /x; /bin/l?', 'unknown-program'],
    ['eval "$x"', 'unseen-code'],
    ['trap "$x" EXIT', 'unseen-code'],
    ['f() { eval "$1"; }; f "$x"', 'unseen-code'],
    ['eval "$x" | cat', 'unknown-code'],
    ['. ./x', 'sourced-file'],
    ["echo 'oops", 'unparsable'],
    ['git log &&& evil', 'unparsable'],
    ["x='$(evil)'; echo ${x@P}", 'prompt-expansion'],
    ['cat <&10', 'protocol-descriptor'],
    ['read -u 11 x', 'protocol-descriptor'],
    ['cat /x >/proc/self/fd/12', 'protocol-descriptor'],
    ['echo > $f', 'redirection'],
    ['declare -n r=PATH', 'nameref'],
    ['x=$(cat f); ((x))', 'evaluated-value'],
    ["y='a[$(cat f)]'; RANDOM=y", 'evaluated-value'],
    ["y='a[$(cat f)]'; OPTIND=(1 y)", 'evaluated-value'],
    ["y='a[$(cat f)]'; for HISTCMD in y; do :; done", 'evaluated-value'],
    ["y='a[$(cat f)]'; printf -v OPTIND y", 'evaluated-value'],
    ['read SRANDOM', 'evaluated-value'],
    ['x=$(cat f); [[ $x -eq 1 ]]', 'evaluated-value'],
    ['read "$x"', 'evaluated-name'],
    ["cat <<E\n${x:-'$(evil)'}\nE", 'here-document-hole'],
    ['PATH=/x:$PATH; ls', 'path-changed'],
    ['f(){ f; }; f', 'recursion'],
    ['/proc/self/root/bin/x', 'special-path'],
    ['echo evil > x; ./x', 'changed-in-line'],
  ])('%s → %s', async (text, code) => {
    expect(reasonCodes(await analyze(text))).toContain(code);
  });

  test.each([
    "cat <<'E'\n`x` $(y)\nE",
    'i=$((i+1))',
    'mkdir -p x && cd x',
    'for f in a b; do echo "$f"; done',
    '[[ -f package.json ]] && cat package.json',
    'ls 2>&1 | head -5 2>/dev/null',
    'x=1; echo $x "$HOME" ~',
    "git commit -m \"$(cat <<'EOF'\nit's $done\nEOF\n)\"",
    'diff <(sort a) <(sort b)',
    'git log a...b',
    "awk '$1 > 3' f",
    'while read -r l; do echo "$l"; done < f',
    'i=0; while [ $i -lt 5 ]; do i=$((i+1)); done',
    'if [ "$a" = b ] || [[ $b -gt 3 ]]; then echo; fi',
    'set -euo pipefail; echo a',
  ])('nothing to ask about: %s', async text => {
    expect(reasonCodes(await analyze(text))).toEqual([]);
  });
});
