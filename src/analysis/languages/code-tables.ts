import type { Grammar } from './code-lexer.js';

/**
 * What a function does with its arguments. `script`: the one at `at` (the first unless said) is given to a shell;
 * `file`: it is a program, or a list that is an argv, and what follows are more arguments; `image`: the same, with the
 * program's name once more among them; `list`: one argument is a shell's, of several the first is the program; `words`:
 * everything from `at` on is an argv; `strings`: everything fixed is; `receiver`: what stands before the dot is run;
 * `pipe`: a file name that may be a command (`open` of Perl and Ruby); `code`: more of the same language; `delete`, `tree`,
 * `read`, `write`, `copy`, `move`: paths; `open`: a path, and a mode that says how.
 */
export type Act =
  | 'script'
  | 'list'
  | 'file'
  | 'image'
  | 'strings'
  | 'words'
  | 'receiver'
  | 'code'
  | 'pipe'
  | 'delete'
  | 'tree'
  | 'read'
  | 'write'
  | 'copy'
  | 'move'
  | 'open';

export interface Call {
  readonly act: Act;
  /** Place of the argument that counts, 0 unless said. */
  readonly at?: number;
  /** Only in code that says this somewhere: the name is a common one. */
  readonly needs?: RegExp;
}

export interface CodeLanguage {
  readonly grammar: Grammar;
  /** By name; of several that share one, the first whose condition holds. */
  readonly calls: ReadonlyMap<string, readonly Call[]>;
  /** Arguments may stand without parentheses. */
  readonly bare?: boolean;
  /** `(name argument…)`. */
  readonly lisp?: boolean;
  /** A line that begins with one of these is given to a shell. */
  readonly escapes?: RegExp;
}

/** `act: name name…; act@1: name…` with what all of them need. */
function calls(needs: RegExp | undefined, text: string): [string, Call][] {
  return text.split(';').flatMap(part => {
    const [head, names] = part.split(':');
    const [act, at] = head!.trim().split('@');
    return names!
      .trim()
      .split(/\s+/)
      .map((name): [string, Call] => [
        name,
        { act: act as Act, ...(at !== undefined && { at: Number(at) }), ...(needs && { needs }) },
      ]);
  });
}

function table(entries: readonly [string, Call][]): ReadonlyMap<string, readonly Call[]> {
  const byName = new Map<string, Call[]>();
  for (const [name, call] of entries) byName.set(name, [...(byName.get(name) ?? []), call]);
  return byName;
}

const python: CodeLanguage = {
  grammar: {
    comments: ['#'],
    quotes: ['"""', "'''", '"', "'"],
    prefixes: /^(?:[rbuf]|rb|br|rf|fr)$/i,
  },
  escapes: /^[ \t]*!{1,2}(.*)$/gm,
  calls: table([
    ...calls(
      /\b(?:os|posix|nt)\b/,
      'script: system popen popen2 popen3 startfile; image: execv execve execvp execvpe execl execle execlp execlpe posix_spawn posix_spawnp; image@1: spawnv spawnve spawnvp spawnvpe spawnl spawnle spawnlp spawnlpe; delete: remove; move: rename renames replace',
    ),
    ...calls(/\b(?:os|pathlib|Path)\b/, 'delete: unlink rmdir; tree: removedirs'),
    ...calls(/\bshutil\b/, 'tree: rmtree; copy: copy copy2 copyfile copytree; move: move'),
    ...calls(/\b(?:subprocess|sh|invoke|plumbum)\b/, 'file: run call check_call check_output Popen'),
    ...calls(/\b(?:subprocess|commands)\b/, 'script: getoutput getstatusoutput'),
    ...calls(/\b(?:pty|pexpect)\b/, 'file: spawn'),
    ...calls(
      undefined,
      'list: create_subprocess_exec; script: create_subprocess_shell; code: exec eval compile; open: open; read: read_text read_bytes; write: write_text write_bytes',
    ),
  ]),
};

const perl: CodeLanguage = {
  grammar: {
    comments: ['#'],
    quotes: ['"', "'"],
    interpolates: /[$@][\w{:]/,
    backtick: 'run',
    delimited: 'perl',
    regularExpressions: true,
  },
  bare: true,
  calls: table(
    calls(
      undefined,
      'list: system exec; script: readpipe; pipe: open; strings: open2 open3 run; code: eval; delete: unlink rmdir; tree: rmtree remove_tree; move: rename; copy: copy',
    ),
  ),
};

const ruby: CodeLanguage = {
  grammar: {
    comments: ['#'],
    quotes: ['"', "'"],
    interpolates: /#\{/,
    backtick: 'run',
    delimited: 'ruby',
    regularExpressions: true,
  },
  bare: true,
  calls: table([
    ...calls(
      undefined,
      'list: system exec spawn sh; file: popen popen2 popen2e popen3 capture2 capture2e capture3 pipeline; pipe: open; code: eval instance_eval class_eval; tree: rm_rf rm_r remove_dir rmtree remove_entry; delete: rm rm_f',
    ),
    ...calls(
      /\b(?:File|Dir|IO|Pathname)\b/,
      'delete: delete unlink rmdir; read: read readlines foreach binread; write: write binwrite; move: rename',
    ),
    ...calls(/\bFileUtils\b/, 'copy: cp cp_r copy; move: mv move'),
  ]),
};

const FILES = /\bfs\b|fs\/promises|rimraf|\bfsp\b|\b(?:Bun|Deno)\b/;
const javascript: CodeLanguage = {
  grammar: {
    comments: ['//'],
    blockComments: true,
    quotes: ['"', "'"],
    interpolates: /\$\{/,
    backtick: 'string',
    regularExpressions: true,
  },
  calls: table([
    ...calls(
      /child_process|execa|shelljs|\bzx\b|spawn_sync/,
      'script: exec execSync execCommand; file: spawn spawnSync execFile execFileSync fork execa execaSync',
    ),
    ...calls(/\b(?:Bun|Deno)\b/, 'file: spawn spawnSync Command run'),
    ...calls(/^\s*(?:run|runProgram|runNonMongoProgram)\b/, 'strings: run runProgram runNonMongoProgram'),
    ...calls(undefined, 'code: eval Function runInNewContext runInThisContext'),
    ...calls(
      FILES,
      'tree: rimraf rimrafSync remove removeSync; delete: rm rmSync rmdir rmdirSync unlink unlinkSync; read: readFile readFileSync createReadStream readTextFile readTextFileSync; write: writeFile writeFileSync appendFile appendFileSync createWriteStream truncate truncateSync writeTextFile; copy: copyFile copyFileSync cpSync; move: rename renameSync',
    ),
  ]),
};

const php: CodeLanguage = {
  grammar: { comments: ['//', '#'], blockComments: true, quotes: ['"', "'"], interpolates: /\$[\w{]|\{\$/, backtick: 'run' },
  calls: table(
    calls(
      undefined,
      'script: system exec shell_exec passthru popen; file: proc_open; file: pcntl_exec; code: eval assert create_function; delete: unlink rmdir; read: file_get_contents readfile file; open: fopen; write: file_put_contents; copy: copy; move: rename',
    ),
  ),
};

const lua: CodeLanguage = {
  grammar: { comments: ['--'], quotes: ['"', "'"], longBrackets: true },
  bare: true,
  calls: table([
    ...calls(undefined, 'script: execute popen system; code: load loadstring dostring'),
    ...calls(/\bos\b/, 'delete: remove; move: rename'),
    ...calls(/\bio\b/, 'open: open; read: lines'),
  ]),
};

/** Languages of which only the calls that start something are known. */
const others: CodeLanguage = {
  grammar: {
    comments: ['#', '//'],
    quotes: ['"""', '"', "'"],
    interpolates: /#\{|\$\{|\$\(/,
    backtick: 'run',
    prefixes: /^[csr]$/,
  },
  bare: true,
  escapes: /^[ \t]*!(.*)$/gm,
  calls: table(
    calls(
      undefined,
      'script: system shell shell_cmd unix dos popen callCommand command executeScript shell_exec; file: system2 callProcess rawSystem readProcess readCreateProcess cmd run_program; file: exec sh ProcessBuilder process run Process proc; receiver: execute; tree: rm_rf; delete: unlink',
    ),
  ),
};

const lisp: CodeLanguage = {
  grammar: { comments: [';'], quotes: ['"'], dashedNames: true },
  lisp: true,
  calls: table(
    calls(
      undefined,
      'script: system shell shell-command shell-command-to-string async-shell-command compile call-process-shell-command start-process-shell-command process-lines; strings: call-process make-process process-file run-program sh process system* open-pipe exec; words@1: start-process; tree: delete-directory; delete: delete-file; code: eval read-string',
    ),
  ),
};

const BY_PROGRAM: readonly [RegExp, CodeLanguage][] = [
  [/^(?:i?python|pypy)[\d.]*$/, python],
  [/^perl[\d.]*$/, perl],
  [/^(?:ruby|irb|rake|rails|crystal|jruby)[\d.]*$/, ruby],
  [/^(?:node|nodejs|bun|deno|tsx|ts-node|zx|mongosh|mongo)$/, javascript],
  [/^php[\d.]*$/, php],
  [/^(?:lua|luajit|nvim-lua)[\d.-]*$/, lua],
  [/^(?:emacs|emacsclient|guile|sbcl|clisp|racket|clojure|clj|bb|ecl)$/, lisp],
  [
    /^(?:R|Rscript|octave|octave-cli|matlab|julia|elixir|mix|erl|ghc|runghc|ocaml|groovy|scala|jshell|gnuplot|nim|swift|dart)$/,
    others,
  ],
];

/** The language that a program by this name reads; undefined: none whose calls are known. */
export const languageOf = (program: string): CodeLanguage | undefined => BY_PROGRAM.find(([name]) => name.test(program))?.[1];
