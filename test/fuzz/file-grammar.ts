import { COMMANDS } from './file-commands.js';
import { PROGRAMS, type ProgramShape } from './file-programs.js';
import { seeded } from './grammar.js';

/** Ways to put a command: in another directory, in a loop, with names in variables. C is the command. */
const FRAMES: readonly string[] = [
  'C',
  'C',
  'C',
  'C',
  'C',
  'cd d && C',
  '( cd s; C )',
  'cd d; C; cd ..; C',
  'pushd d > /dev/null; C; popd > /dev/null; C',
  'cd l && C',
  'cd out; C',
  'cd nowhere; C',
  'cd "$PWD/d"; C',
  'cd -P l; C',
  'cd d/sub/..; C',
  'for i in 1 2; do C; done',
  'for v in N P; do touch "$v"; done',
  'for v in d/*; do cp "$v" "$v.l"; done',
  'for v in f*; do mv "$v" "$v.m"; done',
  'while read -r v; do touch "$v.w"; break; done < f1',
  'ls s | while read -r v; do touch "s/$v.p"; done',
  'f() { C; }; f',
  'f() { touch "$1"; }; f N',
  'f() { local v=N; touch "$v"; }; f; touch P',
  'if [ -f f1 ]; then C; else C; fi',
  'C && C',
  'C || C',
  'C & wait',
  'C | C',
  '{ C; C; } > N',
  '( C ) 2> N',
  '! C',
  'case x in x) C;; esac',
  'until C; do break; done',
  'trap "touch N" EXIT; C',
  'v=N; touch "$v"; C',
  'v=D; cp P "$v/n"',
  'v=P; rm -f "$v"; C',
  'v=d; cd "$v"; C',
  'a=(P N); touch "${a[@]}"',
  'set -- P N; cp "$1" "$2"',
  'v=N; echo x > "$v.txt"',
  'v=N; echo > ${v}; C',
  'printf -v v %s N; touch "$v"',
  'v=N; : > "${v:-f1}"',
  'touch "${v:-N}"',
  'v=N; v+=x; touch $v',
  'exec {fd}> N; C; echo x >&$fd',
  'exec 4< P; cat <&4; C',
  'exec > N; C',
  'cd d > N; C',
  'mapfile -t a < P; C; touch "${a[0]}"',
  'select v in N; do C; done <<< 1',
  'pushd D > /dev/null && C',
  'cd ~ && C',
  'cd - ; C',
  'CDPATH=d cd sub; C',
  'OLDPWD=d; cd -; C',
  '( cd D && C )',
  'cd D; cd ..; C',
  'v=(D); cd "${v[0]}"; C',
  'for v in D; do ( cd "$v"; C ); done',
  'f() ( cd d; C ); f; touch N',
  'v=N; f() { touch "$v"; }; v=P f',
  'cat P | while read -r v; do echo x > "$v"; break; done',
  'x=$(C); touch "N"',
  'echo "$(< P)" "$(cat < P)"',
  'cat <(C) > N',
  '[[ -f P ]] && C',
  'C; for f in n*; do cat "$f"; done',
  'v=$(cat P); C',
  'v=$(basename P); touch "D/$v"',
  'v="D/n"; C; cp P "${v%n}m"',
  'v=P; cat "${v/1/2}"',
  'v=P; cp "$v" "${v}.q"; C',
  'coproc C; wait',
  'shopt -s extglob; C; cat !(f1)',
  'shopt -s dotglob; cat *',
  'set -f; C; cat f*',
  'readonly v=N; touch "$v"; C',
  'set -o noclobber; C',
  'ln -s ../outside q; C; touch q/n',
  'ln -sfn "$PWD/../outside" d2; cat d2/of',
  'mkdir -p q/r; cd q/r; C',
  'mv d q; C; cat q/f3',
  'cp -r d q; cd q; C',
  'time C',
  'command C',
  'while C; do break; done',
  'touch $(echo N)',
  'cp P "$(pwd)/n"',
  'set -C; C',
  'umask 077; C',
  'alias t=touch; C',
  'export v=N; bash -c \'touch "$v"\'',
  'shopt -s nullglob; C',
  'dd() { touch N; }; dd',
  'read -r v <<< N; touch "$v"',
];

const FILES = [
  'f1',
  'f2',
  "'sp ace'",
  'd/f3',
  'd/sub/f4',
  's/f3',
  'ln',
  'l/f3',
  '"$PWD/f1"',
  './f2',
  'd/../f1',
  '$HOME/h',
  '~/h',
  'out/of',
  '../outside/of',
  'f[12]',
  'd/*',
  '{f1,f2}',
  '-- f1',
  's/x',
];
const NEW = [
  'n1',
  'n2',
  'd/n3',
  "'n 4'",
  './n5',
  '"$PWD/n6"',
  'd/sub/n7',
  '~/n8',
  '../outside/n9',
  'out/n10',
  'l/n11',
  'd//n12',
  'nd/n13',
  'f1',
  'd',
  "$'n\\x31'",
  'n{a,b}',
  'ln',
  'd/./sub/../n14',
  'dang',
];
const DIRECTORIES = ['d', 's', 'd/sub', 'l', './d', '"$PWD/s"', '../outside', 'out', 'd/', 'e', '.', '~', 'd/../s'];
const TREES = ['d', 's', 'd/sub', 'l', '"$PWD/d"', 'e', 'd/', './s', 'f1'];
const WORDS = ['w', '"a b"', '../outside', 'f1', '$HOME', '-n'];

/** Where a command's streams go. */
const REDIRECTIONS = [
  '> N',
  '>> N',
  '2> N',
  '&> N',
  '&>> N',
  '>& N',
  '>| P',
  '< P',
  '<> N',
  '3<> N',
  '{fd}> N',
  '{fd}>> P',
  '{fd}< P',
  '3< P <&3',
  '3> N >&3',
  '3> N 2>&3-',
  '<<< W',
  '<<< "$(< P)"',
  '< <(cat P)',
  '> >(cat > N)',
  '2>&1 > N',
  '> N 2>&1',
  '| tee N',
  '|& tee N',
  '| cat > N',
  '<<E > N\nx $(cat P)\nE',
];

/** Writes lines that make, change, take away and read files. */
export class FileGrammar {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  line(): string {
    return this.#filled(this.#of(FRAMES).replace(/\bC\b/g, () => this.command()));
  }

  /** One command on its own. */
  command(): string {
    const command = this.#chance(2) ? this.#of(COMMANDS) : this.#shaped(this.#of(PROGRAMS));
    return this.#chance(7) && !command.includes('\n') ? `${command} ${this.#of(REDIRECTIONS)}` : command;
  }

  #shaped({ start, options, words, strict }: ProgramShape): string {
    const given: string[] = [];
    while (options.length > 0 && given.length < 3 && !this.#chance(3)) given.push(this.#of(options));
    const own = this.#of(words);
    return [start, ...(strict || !this.#chance(4) ? [...given, own] : [own, ...given])].join(' ');
  }

  #filled(text: string): string {
    const words: Readonly<Record<string, readonly string[]>> = { P: FILES, N: NEW, D: DIRECTORIES, T: TREES, W: WORDS };
    return text.replace(/\{([PNDTW])\}|(?<![\w$-])([PNDTW])(?!\w)/g, (_, held: string, mark: string) =>
      this.#of(words[held ?? mark]!),
    );
  }

  /** True once in so many times. */
  #chance(times: number): boolean {
    return this.#random() * times < 1;
  }

  #of<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)]!;
  }
}
