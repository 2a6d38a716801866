import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown } from '../specs/paths.js';

/** A shell command inside of a text that a program reads in a language of its own; the first group that matched is it. */
type Pattern = RegExp;

interface Embedding {
  readonly programs: readonly string[];
  /** In words of the command line, or in the value of `--name=value`. */
  readonly words?: readonly Pattern[];
  /** In what it reads. */
  readonly input?: readonly Pattern[];
}

/** `!command` at the start of a line. */
const BANG = /(?:^|\n)[ \t]*!+[ \t]*([^\n]+)/g;
const MAKE_TEXT = [
  /\$[({]shell\s+([^)}\n]*)/g,
  /(?:^|\n)\t[@+-]*([^\n]+)/g,
  /(?:^|\n)[^\s#=;][^#=;\n]*:[^=;\n]*;[ \t]*[@+-]*([^\n]+)/g,
  /!=[ \t]*([^\n]+)/g,
];
const PSQL = [
  /(?:^|\s)\\!\s*([^\n]*)/g,
  /\\(?:o|out|g|gx|w|write)\s*\|\s*([^\n]*)/g,
  /\b(?:from|to)\s+program\s+'((?:[^']|'')*)'/gi,
];
const MYSQL = [/(?:^|[\n;])[ \t]*(?:system\s|\\!|pager\s|\\P\s)[ \t]*([^\n;]*)/gi];
const TCL = [/(?:^|[;\n[{])[ \t]*(?:exec|spawn|system)\s+(?:-\w+\s+)*([^;\n\]}]+)/g, /\bopen\s+["{]?\|\s*([^"}\n]*)/g];
const DEBUGGER = [/(?:^|\n)[ \t]*(?:shell[ \t]+|![ \t]*|make[ \t]+|pipe\b[^|\n]*\||\|[^|\n]*\|)[ \t]*([^\n]+)/g];
const SQLITE = [/(?:^|\n)[ \t]*\.(?:once|output|import|read|excel|log)\b[^\n|]*\|[ \t]*([^\n'"]*)/g];
/** A range, `r`, `w` and `:` may stand before the `!` of an editor. */
const EDITOR = [/(?:^|[\n|])[ \t:]*(?:silent!?[ \t]+)?[%\d,.$'<>]*(?:r|re|read|w|write)?[ \t]*!+[ \t]*([^\n]+)/g];

const EMBEDDINGS: readonly Embedding[] = [
  { programs: ['make', 'gmake'], words: MAKE_TEXT, input: MAKE_TEXT },
  { programs: ['psql'], words: PSQL, input: PSQL },
  { programs: ['mysql', 'mariadb'], words: MYSQL, input: MYSQL },
  { programs: ['sqlite3'], words: SQLITE, input: SQLITE },
  { programs: ['ftp', 'sftp', 'lftp', 'telnet', 'dc', 'gnuplot', 'octave', 'matlab'], input: [BANG] },
  { programs: ['mail', 'mailx', 'mutt'], input: [/(?:^|\n)~[!|][ \t]*([^\n]+)/g] },
  { programs: ['ed', 'ex', 'vi', 'vim', 'nvim', 'view'], input: EDITOR },
  { programs: ['gdb'], words: DEBUGGER, input: DEBUGGER },
  { programs: ['tclsh', 'wish', 'expect'], words: TCL, input: TCL },
  { programs: ['m4'], words: [/\be?syscmd\(\s*[`"']*([^)'"]*)/g], input: [/\be?syscmd\(\s*[`"']*([^)'"]*)/g] },
  {
    programs: ['tex', 'latex', 'pdflatex', 'xelatex', 'lualatex', 'pdftex'],
    words: [/\\write18\s*\{([^}]*)\}/g, /\\input\s*\{?\s*\|\s*"?([^"}]*)/g],
    input: [/\\write18\s*\{([^}]*)\}/g],
  },
  { programs: ['gs'], words: [/%pipe%([^)]*)/g], input: [/%pipe%([^)]*)/g] },
  { programs: ['gnuplot'], words: [/\bset\s+out\w*\s+['"]\|([^'"]*)/g, BANG], input: [/\bset\s+out\w*\s+['"]\|([^'"]*)/g] },
  { programs: ['rpm', 'rpmbuild', 'rpmspec'], words: [/%\(([^)]*)\)/g] },
  { programs: ['java'], words: [/^-XX:On(?:OutOfMemory)?Error=(.*)$/gs] },
  { programs: ['mvn', 'mvnw'], words: [/^-D(?:exec\.executable|exec\.args)=(.*)$/gs] },
  { programs: ['sbt'], words: [/^!+\s*(.*)$/gs] },
  {
    programs: ['apt', 'apt-get', 'aptitude'],
    words: [
      /(?:Pre-Invoke|Post-Invoke(?:-Success)?|Pre-Install-Pkgs|::Bin::[\w:-]+|Proxy-?Auto-?Detect)(?:::[\w-]*)*\s*=\s*(.*)$/gis,
    ],
  },
  { programs: ['wget'], words: [/^use_?-?askpass\s*=\s*(.*)$/gis] },
  {
    programs: ['cargo'],
    words: [/\b(?:rustc|rustc-wrapper|rustc-workspace-wrapper|rustdoc|runner|linker)\s*=\s*\[?\s*["']?([^"'\]]*)/g],
  },
  {
    programs: ['git'],
    words: [/^ext::(.*)$/gs, /^--(?:access-hook|httpd|sendmail-cmd|to-cmd|cc-cmd|header-cmd|smtp-server)=(.*)$/gs],
  },
  { programs: ['rsync'], words: [/^--rsync-path=(.*)$/gs] },
  { programs: ['aria2c'], words: [/^--on-(?:bt-)?download-\w+=(.*)$/gs] },
  { programs: ['osascript'], words: [/\bdo script "((?:[^"\\]|\\.)*)"/g, /\bdoShellScript\(\s*["']([^"']*)/g] },
  { programs: ['aws'], words: [/\bcommands?=\[?["']?([^"'\]]*)/g] },
  {
    programs: ['yt-dlp', 'youtube-dl'],
    words: [/^(?:pre_process|after_filter|video|before_dl|post_process|after_move|after_video|playlist):(.*)$/gs],
  },
  { programs: ['dc', 'lftp'], words: [/^\s*!\s*([^;]*)/g] },
  { programs: ['nano'], words: [/^--speller=(.*)$/gs] },
];

const BY_PROGRAM: ReadonlyMap<string, readonly Embedding[]> = new Map(
  [...new Set(EMBEDDINGS.flatMap(({ programs }) => programs))].map(name => [
    name,
    EMBEDDINGS.filter(({ programs }) => programs.includes(name)),
  ]),
);

/** Longer texts are not searched; so many findings are enough. */
const MOST_TEXT = 16 * 1024;
const MOST_FOUND = 50;

/** Commands that stand in texts of a program's own language. They are found for the rules that forbid them. */
export function noteEmbedded({ into, invocation }: Parsed): void {
  const { stdin, printed } = invocation;
  const input = [stdin.kind === 'here' ? stdin.text : undefined, ...(printed?.values() ?? [])].filter(isText);
  let found = 0;
  const look = (texts: readonly string[], patterns: readonly Pattern[]): void => {
    for (const text of texts)
      for (const pattern of text.length > MOST_TEXT ? [] : patterns)
        for (const match of text.matchAll(pattern)) {
          const command = match.slice(1).find(group => group !== undefined);
          if (found > MOST_FOUND || command === undefined || command.trim() === '') continue;
          found += 1;
          into.start({ script: { text: command }, shell: 'sh', via: `${into.program} text` });
        }
  };
  for (const { words, input: read } of BY_PROGRAM.get(into.program) ?? []) {
    if (words)
      look(
        invocation.argv
          .slice(1)
          .filter(isText)
          .flatMap(({ text }) => spellings(text)),
        words,
      );
    if (read)
      look(
        input.map(({ text }) => text),
        read,
      );
  }
}

const isText = (word: Word | undefined): word is { readonly text: string } => word !== undefined && isKnown(word);

/** A word, and the value of `--name=value`. */
const spellings = (word: string): string[] => {
  const value = /^--[\w-]+=(.*)$/s.exec(word)?.[1];
  return value === undefined ? [word] : [word, value];
};
