/** A text of about `size` characters: one piece again and again, between what begins and ends it. */
export type Shape = readonly [piece: string, before?: string, after?: string];

export const KIB_64 = 64 * 1024 - 128;
export const MB = 1_000_000;

/** What makes a text long. Each piece is a way to keep a scanner, the parser, the walk, a spec or a rule busy. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'one word': ['x', 'echo '],
  words: ['ab ', 'ls '],
  'words of rm': ['ab ', 'rm -rf '],
  'parts, ;': ['a;', '', 'a'],
  'parts, &&': ['ls && ', '', 'a'],
  'parts, ||': ['cd a || cd b; '],
  'parts, &': ['ls & '],
  lines: ['git log\n'],
  pipes: ['cat f|', '', 'cat'],
  'here-documents opened': ['cat <<a '],
  'here-documents': ['cat <<a\nb $x\na\n'],
  'one here-document': ['hello $x $(b)\n', 'cat <<a\n', 'a\n'],
  'here-document for sh': ['a\n', "sh <<'E'\n", 'E\n'],
  'braces, product': ['{a,b}', 'echo '],
  'braces, words': ['{a,b} ', 'echo '],
  'braces, open': ['{a,', 'echo '],
  'single quotes': ['x', "echo '", "'"],
  'double quotes': ['x $a ', 'echo "', '"'],
  'many quotes': [`'a'"b"`, 'echo '],
  'a substitution each': ['$(a) ', 'echo '],
  'substitutions in quotes': ['$(a) ', 'echo "', '"'],
  'open $(': ['$(', 'echo '],
  'open <(': ['<(', 'echo '],
  'open $((': ['$((', 'echo '],
  'open ${': ['${a:-', 'echo '],
  'open $[': ['$[', 'echo '],
  'open (': ['('],
  arithmetic: ['a+', '((', '1))'],
  backquotes: ['`a` ', 'echo '],
  'backquotes, escaped': ['`\\`\\\\\\`', 'echo '],
  backslashes: ['\\', 'echo '],
  patterns: ['*a* ', 'ls '],
  brackets: ['[', 'ls '],
  assignments: ['a=b '],
  'assignments, each alone': ['a=b;'],
  redirections: ['>a ', 'ls '],
  '..': ['../a/../b ', 'cat '],
  slashes: ['/a', 'cat '],
  'slashes at an end': ['/', 'cp a b', 'c'],
  'a name and a pattern': ['a', 'cat ', '/*'],
  'a name and a pattern, written': ['a', 'rm ', '/*.o'],
  'a name to clone': ['a', 'git clone ', ':'],
  'a script of sed': ['s/a/b/;', "sed -n '", "' f"],
  'a script of awk': ['print $1;', "awk '{", "}' f"],
  'tests of find': ['-name a -o ', 'find . ', '-name b'],
  'code, calls in calls': ['exec(', "node -e '", "'"],
  'code, names': ['system ', "python3 -c '", "'"],
  'code, strings': ['q(', "perl -e '", "'"],
  'code, open strings': ['f"{', "python3 -c '", "'"],
  'empty lines for sqlite': ['\n', "sqlite3 x '", "x'"],
  'statements for sqlite': ['vacuum ', "sqlite3 x '", "'"],
  'a pager of blanks': [' ', 'PAGER="', 'x" git log'],
  'names from git': ['--name-only ', 'git diff ', '| xargs -0 cat'],
  'sh -c': ['a; ', "sh -c '", "'"],
  eval: ['eval ', '', 'a'],
  wrappers: ['env ', '', 'a'],
  conditions: ['a == b && ', '[[ ', 'a ]]'],
  'arms of case': ['a) ls;; ', 'case x in ', 'esac'],
  functions: ['f() { a; }; '],
  'functions in functions': ['f() { '],
  ifs: ['if a; then '],
  'cd deeper': ['cd a; '],
  exports: ['export A=b; '],
  'words of export': ['A=b ', 'export '],
  'text piped to sh': ['a; ', "echo '", "' | sh"],
  'letters of another script': ['аб', 'echo '],
  accents: ['e\u0301\u0301\u0301', 'echo '],
  'control characters': ['\u0001', 'echo '],
  'half surrogates': ['\ud800', 'echo '],
  blanks: [' ', 'echo ', 'x'],
  variables: ['$TOKEN ', 'echo '],
  'options of git': ['-c a=b ', 'git ', 'log'],
};

export const longText = ([piece, before = '', after = '']: Shape, size: number): string =>
  before + piece.repeat(Math.ceil((size - before.length - after.length) / piece.length)) + after;

/** What can be nested, as [open, close]; as a word, or as commands of their own. */
export const NESTED_WORDS: readonly (readonly [string, string])[] = [
  ...([
    ['$(', ')'],
    ['"$(', ')"'],
    ['<(', ')'],
    ['>(', ')'],
    ['$((', '))'],
    ['${', '}'],
    ['${a:-', '}'],
    ['$[', ']'],
    ['{a,', '}'],
    ['[', ']'],
    ['@(', ')'],
    ['a[', ']'],
    ['`', '`'],
  ] as const),
];
export const NESTED_COMMANDS: readonly (readonly [string, string])[] = [
  ...([
    ['(', ')'],
    ['{ ', ';}'],
    ['((', '))'],
    ['[[ ( ', ' ) ]]'],
    ['if a; then ', '; fi'],
    ['while a; do ', '; done'],
    ['for i in a; do ', '; done'],
    ['case a in b) ', ';; esac'],
    ['f() { ', '; }'],
    ['! ', ''],
    ['coproc ', ''],
  ] as const),
];

export const nestedWord = ([open, close]: readonly [string, string], depth: number): string =>
  `echo ${open.repeat(depth)}x${close.repeat(depth)}`;
export const nestedCommand = ([open, close]: readonly [string, string], depth: number): string =>
  `${open.repeat(depth)}x${close.repeat(depth)}`;

/** Lines of so many parts: the same again and again, or each about something else. */
export const PARTS: readonly ((part: number) => string)[] = [
  () => 'ls',
  () => 'git status',
  () => 'sed -i s/a/b/ f',
  () => 'find . -name x -exec rm {} +',
  part => `cat f${part}`,
  part => `touch d${part}/f`,
  part => `rm -rf d${part}`,
  part => `cd d${part}`,
  part => `v${part}=1`,
  part => `f${part}() { ls; }`,
  part => `npm --prefix d${part} test`,
  part => `mv a${part} b${part}`,
];
