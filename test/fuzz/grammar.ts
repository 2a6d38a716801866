/** A small, fast generator of numbers that repeats itself for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Programs that only record how they were started. */
export const TOOLS = ['evil', 'tool', 'show', 'pick', 'send'] as const;
/** Programs that record it and then do what they are for. */
export const WRAPPERS = ['env', 'xargs', 'nice', 'nohup', 'timeout', 'sh', 'bash', 'cat', 'stdbuf'] as const;

const HARD: readonly string[] = [
  'echo "$(case x in a) T;; x) T W;; esac)"',
  'echo $(case x in (x) T;; esac)',
  'echo $(T # ) comment\n)',
  'echo "$(T "$(T W)" "W")"',
  'echo "`T "a b"`"',
  'echo `T \\`T\\``',
  'echo "`echo \\"\\`T\\`\\"`"',
  "echo $'a\\'b' W; T $'\\x41\\102\\u43'",
  'cat <<A <<B\n$(T)\nA\n`T`\nB\nT',
  'cat <<"A"; T\n$(T) \\\nA\nT',
  'cat <<\\A\n$(T)\nA\nT',
  'cat <<A\nx \\$(T) \\`T\\` \\\\$(T)\nA\nT',
  'cat <<-A\n\t$(T)\n\tA\nT',
  'cat <<A$(T)\nx\nA$(T)\nT',
  'echo $(cat <<A\n$(T) )\nA\n)',
  'T <<A && T\nx\nA\nT',
  'i\\\nf T; then T; fi',
  'wh\\\nile false; do T; done; T',
  'T;T&&T||T',
  'T&T|T',
  '{ T;}; (T)&(T)',
  'if T;then T;elif T;then T;else T;fi',
  'until T; do break; done',
  'for x in T; do $x; done; $x',
  'for x; do $x W; done',
  'for x in "$@"; { $x; }',
  'case T in T) T;& *) T;; esac',
  'case $x in e*|s*) T;;& *) $x;; esac',
  'select v in a; do T; break; done <<< 1',
  'f() ( T ); f',
  'f() if true; then T "$@"; fi; f W',
  'function f() { T; }; f; f() { T; }; f',
  'f() { return; T; }; f; T',
  'f() { x=T; }; f; $x W',
  'f() { local x; x=T; g; }; g() { $x; }; f; $x',
  'f() { set -- T; "$@"; }; f W; "$@"',
  'f() { shift; "$@"; }; f a T W',
  "x=T eval '$x W'; $x",
  'f() { $x; }; x=T f; $x',
  'x=T; y=$x; x=T; $y; $x',
  'x=T; (x=T; $x); $x',
  'x=T; { x=T; } ; $x',
  'x=T; echo | x=T; $x',
  'x=T; x=T & $x; wait',
  'x=T; if T; then x=T; fi; $x',
  'x=T; true || x=T; $x',
  'x=T; [[ a == a ]] && x=T; $x',
  'x="T a"; $x b',
  'x="T a"; "$x" b',
  'x=T; x+=" a"; $x',
  'IFS=,; x=T,a; $x',
  'IFS=, read -r x y <<< T,b; $x',
  'while IFS= read -r x; do $x; done < f1',
  'a=(T "a b"); "${a[@]}"; ${a[@]}; ${a[1]}',
  'a=(x T); "${a[1]}" W; "${a[@]:1}"',
  'a=([1]=T); "${a[1]}"',
  'declare -A m; m[k]=T; ${m[k]}',
  'declare -l x=EVIL; $x',
  'declare -u x; x=w; T $x',
  'declare -i n; n=1+1; T $n',
  'declare -n r=x; r=T; $x',
  'x=y; declare $x=T; $y',
  "export x=T; bash -c '$x'",
  "x=T; bash -c '$x'",
  "x=T bash -c '$x W'",
  'printf -v x "%s" T; $x',
  'read x y <<< "T b"; $x $y',
  'read -r x < <(echo T); $x',
  'x=$(echo T); $x',
  'x=`echo T`; "$x" W',
  'x=$(cat <<E\nT\nE\n); $x',
  'set -- T a; shift 0; $1 $2; shift; T $1',
  'set -f; T f*; set +f; T f*',
  'T f* *1 ? [a-f]1 "f*" f\\*',
  'T ~ ~/a a~ "~" ~+ x=~ \\~',
  'T {a,b}{1..2} {a..c} {1..10..4} {a,b{c,d},} a{,} {} {a} "{a,b}" {a\\,b,c}',
  'T "${x}"y ${x:-z} ${nope:-"a b"} ${nope-\'q\'} ${x:+T} ${#x} ${x:1} ${x: -2} ${x:1:2}',
  'T ${x#e} ${x%l} ${x/e/E} ${x//i/I} ${x^} ${x^^} ${x,} "${x@Q}"',
  'T $((1+1)) $((2*3)) $((x=5)) $x $(( 1 ? 2 : 3 ))',
  'T $[1+1] $[$(echo 2)]',
  '((j=3)); T $j; ((j++)); T $j; ((j+=2)); T $j',
  'let j=4 k=j+1; T $j $k',
  'for ((j=0; j<2; j++)); do T $j; done; T $j',
  '[[ $(T) && -n `T` || T == $(T) ]]; T',
  '[[ a =~ ^(a|b)$ ]] && T "${BASH_REMATCH[0]}"',
  '[ "$(T)" = "" ] && T',
  'test -n "`T`" || T',
  'T >o1 >o2 2>&1 <f1; T &>>o3; T >&o4; T 3>o5 4>&3',
  'T {fd}>o6; T >&$fd',
  '{ T; T; } >o7; ( T ) >>o7; if T; then T; fi >o8',
  'x=o9; T > $x; T > "$x"x; T >$(echo o10)',
  'cd d && T >o11; T >o12; (cd d; T >o13); T >o14',
  'cd d; cd ..; T >o15; cd nowhere; T >o16',
  'pushd d >/dev/null; T >o17; popd >/dev/null; T >o18',
  'f() { cd d; }; f; T >o19',
  'exec 5>o20; T >&5; exec 5>&-',
  'T <<< W >o21 | T >o22 & T; wait',
  'cat < <(T) > >(T >o23); wait',
  'T | while read -r q; do T "$q"; done',
  'T "$@" "$*" $@ $* "a$@b" "$#"',
  'eval "T \\"\\$x\\" \'a b\'"',
  'eval \'x=T\'; $x; eval "$x W"',
  "eval 'T \\\n W'; eval T\\ a",
  'bash -c \'T "$0" "$1"\' T W',
  'bash -c "x=T; \\$x"; sh -c \'T; T W\'',
  "trap 'T x' EXIT; trap '$x' EXIT",
  "echo 'T a' | bash; printf 'T\\n' | sh",
  'coproc P { T; }; wait; T',
  'time T; time -p T; ! T; ! ! T',
  'true && T || T; false && T || T',
  'exit 0; T',
  'T; return; T',
  '# T\nT # T',
  'echo a#T; T',
  'x=#T; T $x',
  '"T" \'T\' T""T',
  'env -i T; env A=b T $A; env -S "T a\\_b"',
  'echo "T a" | xargs; echo a | xargs -n1 T; xargs T <<< "a b"',
  'nice T; nohup T; timeout 2 T W; stdbuf -o0 T',
  'command T; command -- T W; builtin echo T',
  'alias x=T\nx',
  'unset x y; $x T; "$x"T',
  '$nope T; $nope$nope T W',
  '"" T; \'\' ; T',
  '${nope:=T}; $nope',
  '${x/#/}; ${x/%/}; ${x//}',
  'T "a\nb" \'a\nb\' a\\\nb',
  'T\tW\n\n\nT ; ; ',
  'x=5; ((0 && (x=7))); T $x; ((1 || (x=8))); T $x',
  'x=5; ((1 ? (x=6) : (x=7))); T $x; T $((x=9, x+1)) $x',
  'T $((0x10)) $((010)) $((2#101)) $((-3)) $((7/2)) $((7%4)) $((2**3)) $((1<<4)) $((!0)) $((~1)) $((3>2))',
  'i=1; T $((i++)) $i $((++i)) $i; ((i+=2, i*=3)); T $i',
  'x=; T ${x:-"a b" c} "${x:-\'a b\'}" ${x:-""} "${x:-\\q}" ${x:-a\\ b} ${x:+y} ${x-z}',
  'x=a; T "${x#\'a\'}" "${x:-"q  r"}" ${x:-"q  r"} ${x:+"q  r"} "${x/"a"/b}"',
  'T ${q:-${y:=T}} $y; T ${x:-${w:=T}} $w',
  "A=1 B=$A T; A=0; A=2 B=$A bash -c 'T $B'; T $A",
  'a[1]=T; "${a[1]}"; "${a[-1]}"; a+=(T); T "${a[@]}" "${#a[@]}"',
  'a=(T b c); unset "a[1]"; T "${a[@]}" "${a[*]}"; ${a[@]:0:1}',
  'declare -A m=([k]=T [l]=b); T "${m[k]}" "${!m[@]}"; ${m[k]}',
  'set -- T b c; T "${@:2}" "${@:1:1}" ${*:2} "${!#}"; "${@:1:2}"',
  'x=T; T "${x::2}" "${x: -2:1}" "${x@U}" "${x@L}" ${!x*} "${x@A}"',
  "T $'\\cA' $'\\e' $'\\x{41}' $'\\1234' $'\\u20ac' $'\\q' $'a\\0b' $'\\'' $'\\\\'",
  './to* W; ./[t]ool; ./t??l x; d/t*l',
  'a-b() { T; }; a-b; function c.d { T; }; c.d',
  'f() { g() { T; }; }; f; g; unset -f g; g',
  'command eval T; command command T; builtin command eval T; command exec T',
  '( exec nosuch; T ); ( exec T; T )',
  "trap T ERR; false; trap 'T r' RETURN; f() { :; }; f; trap - ERR",
  "trap 'T d' DEBUG; T; trap - DEBUG",
  'for x in 1 2; do for y in T; do $y; break 2; done; x=T; done; $y $x',
  'x=w; for v in 1 2 3; do T $x; x=$v; done; T $x',
  'for v in 1 2; do continue; x=T; done; $x',
  'x=T; while true; do $x; x=w; break; done; $x',
  'x=T; until [[ $x == w ]]; do $x; x=w; done; T $x',
  'x=w; if x=T; then $x; fi; $x',
  'x=w; { x=T; T; } | cat; T $x; { x=v; } & wait; T $x',
  'x=w; (x=T; T $x; exit); T $x',
  'for f in o24 o25; do T > $f; done; T > "$f.x"',
  'f() { T > "$1"; }; f o26; f d/o27',
  'T >&- 2>&-; T <&-; T 2>&1 >/dev/null; T > /dev/stdout',
  'x="T W"; eval $x; eval "$x"; eval $x "\'a b\'"',
  'eval eval T; eval \'eval "T \\$x"\'',
  'x="a  b"; T $x "$x" $x"$x"; x=" a "; T $x b$x"c"',
  'x="*"; T $x "$x"; x="f*"; T $x; x="~"; T $x',
  'set -- $x; T "$#" "$@"; set -- "${a[@]}"; T "$@"; set --; T "$@" end',
  'read -r x y <<< "T a b"; T "$y"; $x; read -ra a <<< "T q"; "${a[@]}"',
  'printf -v x %s%s T W; $x; printf -v y "%s" T; "$y"',
  'mapfile -t a < f1; "${a[0]}"; readarray -t b <<< T; ${b[0]}',
  'x=$(printf T); $x; y="$(echo T)"; "$y"; z=$(T); T "$z"',
  'echo T | { read -r x; $x; }; echo T > o28; . ./o28; bash o28',
  'cat > o29 <<E\nT\nE\nbash o29; bash < o29',
  'ln -s tool o30; ./o30',
  'T=T; $T; T() { command T "$@"; }; T W',
  'true | T && T; ! true | T || T; T |& cat',
  'T; (T); { T; }; if T; then :; fi; ! T; time T; T & wait',
  'if ! T; then T; else T; fi; while ! true; do T; done',
  'case T in T|x) T;; esac; case "$x" in "$y") T;; *) T; esac',
  '[[ -f f1 && ! -d f1 ]] && T || T; [[ $x -lt 3 || a < b ]] && T',
  '[ -f f1 ] && [ ! -d f1 ] && T; test 1 -lt 2 -a 2 -gt 1 && T',
  'T ) ; T',
  'if T; T',
];

/** `'…'` around any text. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes command lines out of the corpus's ingredients: spelling, expansion, grouping, wrapping, evaluating. */
export class LineGrammar {
  readonly #random: () => number;
  #depth = 0;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  line(): string {
    this.#depth = 0;
    // Mostly the variables that names are made of are set, else nearly every line would be opaque.
    const before = this.#chance(0.7)
      ? `x=${this.#tool()} y=${this.#of(['x', 'z', 'w'])} z=${this.#tool()} a=(${this.#tool()} b); set -- ${this.#tool()} c; `
      : '';
    return before + this.#list(1 + this.#upTo(3));
  }

  #upTo(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #of<T>(values: readonly T[]): T {
    return values[this.#upTo(values.length)]!;
  }

  #chance(part: number): boolean {
    return this.#random() < part;
  }

  #list(count: number): string {
    let text = this.#command();
    for (let index = 1; index < count; index += 1)
      text += this.#of(['; ', '; ', ' && ', ' || ', ' | ', ' & ', '\n']) + this.#command();
    return text;
  }

  /** A list for inside of something; deep ones are one simple command. */
  #inner(): string {
    if (this.#depth > 2) return this.#simple();
    this.#depth += 1;
    const text = this.#list(1 + this.#upTo(2));
    this.#depth -= 1;
    return text;
  }

  /** Shapes that parsers like to read differently; `T` becomes a tool and `W` a word. */
  #hard(): string {
    return this.#of(HARD).replace(/\b[TW]\b/g, mark => (mark === 'T' ? this.#tool() : this.#word()));
  }

  #command(): string {
    const kind = this.#upTo(24);
    if (kind >= 20) return this.#hard();
    if (kind < 8 || this.#depth > 3) return this.#simple();
    if (kind < 10) return this.#assignment();
    if (kind < 14) return this.#compound();
    if (kind < 17) return this.#evaluated();
    if (kind < 19) return this.#wrapped();
    return this.#shellWork();
  }

  #assignment(): string {
    return this.#of<() => string>([
      () => `x=${this.#spelled(this.#tool())}`,
      () => `y=${this.#word()}`,
      () => 'i=$((i+1))',
      () => `a=(${this.#tool()} ${this.#word()})`,
      () => `x=$(${this.#simple()})`,
      () => `export z=${this.#tool()}`,
      () => `set -- ${this.#tool()} ${this.#word()}`,
      () => `x+=${this.#of(['a', 'b c'])}`.replace(' ', '\\ '),
      () => `printf -v x %s ${this.#tool()}`,
      () => `read x <<< ${this.#tool()}`,
      () => `local x=${this.#tool()}`,
      () => `declare y=${this.#tool()}`,
      () => `: \${q:=${this.#tool()}}`,
      () => 'IFS=i',
    ])();
  }

  #tool(): string {
    return this.#of(TOOLS);
  }

  /** The same word, written in another way. */
  #spelled(word: string): string {
    const cut = 1 + this.#upTo(word.length - 1);
    const [head, tail] = [word.slice(0, cut), word.slice(cut)];
    return this.#of([
      word,
      word,
      word,
      `'${word}'`,
      `"${word}"`,
      `${head}''${tail}`,
      `${head}""${tail}`,
      `${head}"${tail}"`,
      `\\${word}`,
      `${head}\\${tail}`,
      `$'\\x${head.charCodeAt(0).toString(16)}${word.slice(1)}'`,
      `$'\\${head.charCodeAt(0).toString(8)}'${word.slice(1)}`,
      `$'\\u00${head.charCodeAt(0).toString(16)}'${word.slice(1)}`,
      `$"${word}"`,
      `{${word},}`,
      `{${word},b}`,
      `${head}{${tail},x}`,
      `${head}\${nope}${tail}`,
      `${head}$nope''${tail}`,
      `${head}$@${tail}`,
      `\${nope:-${word}}`,
      `${head}\\\n${tail}`,
      `$(echo ${word})`,
      `\`echo ${word}\``,
      `\${v:-${head}}${tail}`,
    ]);
  }

  #name(): string {
    return this.#chance(0.72)
      ? this.#spelled(this.#tool())
      : this.#of([
          '$x',
          '"$x"',
          '${x}',
          '$y',
          '"${a[0]}"',
          '${a[@]}',
          '"${a[@]}"',
          '"$1"',
          '"$@"',
          '$@',
          '${x:0:4}',
          '${x,,}',
          '${!y}',
          '$z',
          '${x#e}',
          '${x/o/a}',
          '$q',
          '"$*"',
          './tool',
        ]);
  }

  #word(): string {
    const kinds: (() => string)[] = [
      () => 'w',
      () => 'a b'.replace(' ', '\\ '),
      () => '-f',
      () => `'q r'`,
      () => '"d $x e"',
      () => '$x',
      () => '"$x"',
      () => '$y',
      () => '"${y:-d}"',
      () => '${nope-e}',
      () => '{1,2}{a,b}',
      () => '{1..3}',
      () => 'a{b,c}',
      () => '{a..c}x',
      () => '{08..10}',
      () => '"{a,b}"',
      () => '{a,{b,c}}',
      () => '{,x}',
      () => '~',
      () => '~/x',
      () => '$((1+2))',
      () => '$((i+1))',
      () => '${#x}',
      () => '"$@"',
      () => '"${a[@]}"',
      () => '$i',
      () => '*.none',
      () => 'f*',
      () => '[f]1',
      () => 'a=b',
      () => 'x#y',
      () => `$'t\\tn'`,
      () => '""',
      () => `"$(${this.#simple()})"`,
      () => `$(${this.#simple()})`,
      () => `\`${this.#tool()}\``,
      () => `<(${this.#simple()})`,
      () => '${x%l}',
      () => '${x^}',
      () => '"${x//e/i}"',
      () => '\\$x',
      () => '"\\$x \\"y\\" \\\\"',
      () => `"'$x'"`,
      () => '$HOME',
      () => 'a\\\nb',
    ];
    return this.#depth > 2 ? this.#of(['w', '$x', '"$x"', '{a,b}']) : this.#of(kinds)();
  }

  #simple(): string {
    this.#depth += 1;
    let text = this.#chance(0.08) ? `${this.#of(['A=1', 'B="$x"', 'A=$(tool)'])} ` : '';
    text += this.#name();
    for (let index = this.#upTo(3); index > 0; index -= 1) text += ` ${this.#word()}`;
    if (this.#chance(0.15)) text += ` ${this.#redirection()}`;
    this.#depth -= 1;
    return text;
  }

  #redirection(): string {
    return this.#of([
      '>out',
      '2>/dev/null',
      '2>&1',
      '>>f1',
      '<f1',
      '>"$x.o"',
      '<<< "$x"',
      '>d/o',
      '&>o2',
      '<<< $(tool)',
      '>|f2',
      '2>&1 >o3',
      '< <(show)',
      '> >(cat)',
    ]);
  }

  #compound(): string {
    return this.#of<() => string>([
      () => `( ${this.#inner()} )`,
      () => `{ ${this.#inner()}\n}`,
      () => `if ${this.#inner()}; then ${this.#inner()}\nfi`,
      () => `if [[ $x == e* ]]; then ${this.#inner()}\nelse ${this.#inner()}\nfi`,
      () => `for x in ${this.#word()} ${this.#tool()}; do ${this.#inner()}\ndone`,
      () => `for v in 1 2; do ${this.#inner()}; break\ndone`,
      () => `while read -r x; do ${this.#inner()}\ndone <<< ${this.#tool()}`,
      () => `case ${this.#word()} in w) ${this.#inner()};; *) ${this.#inner()}\n;;& q) ${this.#tool()}\nesac`,
      () => `f() { ${this.#inner()}\n}; f ${this.#word()}`,
      () => `f() { "$@"; }; f ${this.#tool()} ${this.#word()}`,
      () => `function g { local x=${this.#tool()}; $x "$1"\n}; g ${this.#word()}; $x`,
      () => `${this.#tool()}() { ${this.#inner()}\n}; ${this.#tool()}`,
      () => `[[ -n "$(${this.#simple()})" ]] && ${this.#simple()}`,
      () => `(( i = 1 << 2 )) || ${this.#simple()}`,
      () => `! ${this.#simple()}`,
      () => `time ${this.#simple()}`,
      () => `coproc { ${this.#simple()}\n}; wait`,
      () => `for ((j=0;j<2;j++)); do ${this.#simple()}\ndone`,
      () => `cat <<E\n$(${this.#simple()}) $x\nE\n${this.#simple()}`,
      () => `cat <<'E'\n$(evil) $x\nE\n${this.#simple()}`,
      () => `cat <<-E | ${this.#simple()}\n\tx\n\tE`,
    ])();
  }

  #evaluated(): string {
    return this.#of<() => string>([
      () => `eval ${singleQuoted(this.#inner())}`,
      () => `eval ${this.#tool()} ${this.#word()}`,
      () => `sh -c ${singleQuoted(this.#tool())}`,
      () => `bash -c ${singleQuoted(this.#inner())}`,
      () => `bash -c '"$@"' _ ${this.#tool()} ${this.#word()}`,
      () => `bash -c "${this.#tool()} $x"`,
      () => `bash <<< ${this.#tool()}`,
      () => `bash <<'E'\n${this.#simple()}\nE`,
      () => `. /dev/stdin <<< ${this.#tool()}`,
      () => `trap ${singleQuoted(this.#simple())} EXIT`,
      () => `builtin eval ${this.#tool()}`,
      () => `echo ${this.#tool()} | sh`,
      () => `echo "\${x@P}"`,
      () => `test -v 'b[$(${this.#tool()})]'`,
      () => `declare -a 'c=($(${this.#tool()}))'`,
      () => `let 'k=b[$(${this.#tool()})]'`,
      () => `[[ b[$(${this.#tool()})] -eq 1 ]]`,
      () => `k='b[$(${this.#tool()})]'; (( k ))`,
      () => `k='b[$(${this.#tool()})]'; echo \${b[k]}`,
      () => `printf -v 'b[$(${this.#tool()})]' x`,
      () => `unset 'b[$(${this.#tool()})]'`,
      () => `echo \${v:b[$(${this.#tool()})]}`,
      () => `mapfile -C '${this.#tool()} #' -c 1 m < f1`,
      () => `exec 3< <(${this.#tool()})`,
    ])();
  }

  #wrapped(): string {
    const command = `${this.#spelled(this.#tool())} ${this.#word()}`;
    return this.#of<() => string>([
      () => `env ${command}`,
      () => `env A=1 ${command}`,
      () => `env -u A ${command}`,
      () => `env -S '${this.#tool()} a b'`,
      () => `env env ${command}`,
      () => `nice -n 5 ${command}`,
      () => `nohup ${command} </dev/null`,
      () => `timeout 5 ${command}`,
      () => `timeout -k 1 -s TERM 5 ${command}`,
      () => `command ${command}`,
      () => `command -p ${command}`,
      () => `( exec ${command} )`,
      () => `( exec -a zz ${command} )`,
      () => `echo a b | xargs ${this.#tool()}`,
      () => `echo ${this.#tool()} | xargs env`,
      () => `echo a | xargs -I{} ${this.#tool()} x{}`,
      () => `/usr/bin/env ${command}`,
      () => `stdbuf -oL ${command}`,
    ])();
  }

  #shellWork(): string {
    return this.#of<() => string>([
      () => `cd d && ${this.#simple()}`,
      () => `cd nowhere || ${this.#simple()}`,
      () => `pushd d >/dev/null; ${this.#simple()}; popd >/dev/null`,
      () => `unset x; ${this.#simple()}`,
      () => `shift; "$1"`,
      () => `alias ${this.#tool()}=evil; ${this.#simple()}`,
      () => `set -f; ${this.#simple()}`,
      () => `hash -p ./tool show; show`,
      () => `unset -f ${this.#tool()}; ${this.#tool()}`,
      () => `shopt -s expand_aliases\nalias show=evil\nshow`,
      () => `true || ${this.#simple()}`,
      () => `false && ${this.#simple()}`,
      () => `wait; ${this.#simple()}`,
      () => `return 0 2>/dev/null; ${this.#simple()}`,
      () => `command -v ${this.#tool()}`,
      () => `type ${this.#tool()}`,
    ])();
  }
}
