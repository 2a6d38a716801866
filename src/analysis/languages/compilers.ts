import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';

const alternatives = (text: string): string => text.trim().split(/\s+/).join('|');

/** What stands behind `-f` and takes a value that names no file. */
const VALUED_F = alternatives(`
  visibility sanitize sanitize-recover sanitize-trap no-sanitize diagnostics-color max-errors error-limit template-depth
  template-backtrace-limit message-length constexpr-[a-z-]+ abi-version input-charset exec-charset fp-contract fp-model
  cf-protection lto tls-model stack-protector align-[a-z]+ inline-limit pack-struct excess-precision trivial-auto-var-init
  strict-flex-arrays (?:file|debug|macro)-prefix-map zero-call-used-regs vect-cost-model`);

/** What stands behind `-f` and names a file, loads a plugin, or writes reports where it likes. */
const WRITING_F = alternatives(`
  module-mapper plugin dump profile auto-profile lto-plugin working-dir crash save proc-stat time-trace test-coverage
  opt-info callgraph`);

/** Of the thousands of options of a compiler, those that neither write, load nor start anything. */
const COMPILES = new RegExp(
  `^(?:${[
    /-W(?![alp],)[\w+-]*(?:=[\w+-]*)?/, // warnings; -Wa, -Wl, and -Wp, hand words on
    /-(?:[OgRwvcSEsCPHQ#rnN]|O\w+|g[\w-]+|###)/,
    /-(?:std=.*|ansi|pedantic(?:-errors)?|traditional(?:-cpp)?|trigraphs|undef|ObjC(?:\+\+)?|x.+)/,
    /-(?:pipe|shared|static[-\w]*|rdynamic|pthread|nostd\w+|no(?:start|default)\w+|no-pie|pie)/,
    /-(?:M|MM|MG|MP|MD|MMD|d[DIMNU]|dumpversion|dumpmachine|dumpspecs|dumpfullversion|print-[\w-]+(?:=[\w.+-]+)?)/,
    /-(?:[DUIL].+|l[\w.+-]+|isystem.+|iquote.+|framework)/,
    /-m[\w.+-]+(?:=[\w.,+-]+)?/,
    new RegExp(`-f(?!${WRITING_F})[\\w+-]+`),
    new RegExp(`-f(?:${VALUED_F})=.*`),
    /--(?:version|help|verbose|target=[\w-]+|std=[\w+]+)/,
  ]
    .map(({ source }) => source)
    .join('|')})$`,
);

/** Names a program, or hands an option on to a part of the compiler. */
const HANDS_ON =
  /^-(?:Wl,|Wa,|Wp,|Xlinker|fplugin|fpass-plugin|specs|-specs|wrapper|B|fuse-ld|-ld-path|-gcc-toolchain|-config|T)./;
const LINKS = /^-Wl,(?:-rpath|-O\d|--as-needed|--gc-sections|-z,|-soname|-s\b)[^@]*$/;
const NAMES_OUTPUT = /^-(?:o|MF|MT|MQ|MJ)./;
const ONLY_SHOWS = /^--?(?:version|help|V|h|vV)$/;

/** A compiler writes `a.out` or objects next to where it runs; `@file` holds more options. */
export function compiler(parsed: Parsed): void {
  const { into } = parsed;
  for (const word of compiled(parsed))
    if (isStrange(word, parsed)) into.ask('unlisted-option', `${into.program}: "${leadOf(word)}" is not described`);
}

/** rustc, whose options its table lists, and what comes with it. */
export function rust(parsed: Parsed): void {
  if (/^rust(up|fmt)|^cargo/.test(parsed.into.program)) rustTools(parsed);
  else compiled(parsed);
}

/** What every compiler does; the words, unless it only shows its version. */
function compiled({ into, invocation }: Parsed): readonly Word[] {
  const words = invocation.argv.slice(1);
  if (words.some(word => leadOf(word).startsWith('@')))
    into.ask('response-file', `${into.program}: reads more options from a file`);
  if (words.length <= 1 && words.every(word => ONLY_SHOWS.test(leadOf(word)))) return [];
  into.write({ text: '.' }, { tree: true });
  for (const word of words) {
    const lead = leadOf(word);
    if (HANDS_ON.test(lead) && !LINKS.test(lead))
      into.effect('exec', 'names a program or an option of a part of the compiler', word);
    const output = /^-o(.+)$/.exec(lead);
    if (output) into.write(isKnown(word) ? { text: output[1]! } : word);
  }
  return words;
}

function isStrange(word: Word, { table }: Parsed): boolean {
  const lead = leadOf(word);
  const name = lead.split('=')[0]!;
  if (!/^-./.test(lead) || [name, `-${name}`, name.slice(1)].some(spelling => table.options.has(spelling))) return false;
  return !COMPILES.test(lead) && !HANDS_ON.test(lead) && !NAMES_OUTPUT.test(lead);
}

function rustTools({ into, operands, has, invocation }: Parsed): void {
  if (into.program === 'rustup') {
    if (
      /^(show|which|doc|help|component|target|toolchain)$/.test(leadOf(operands[0] ?? { text: '' })) &&
      /^(list|)$/.test(leadOf(operands[1] ?? { text: '' }))
    )
      return;
    const run = invocation.argv.findIndex(word => leadOf(word) === 'run');
    const argv = run < 0 ? [] : invocation.argv.slice(run + 2);
    if (argv.length > 0) into.start({ argv, via: 'rustup run', unknownArguments: false });
    into.network({ text: 'static.rust-lang.org' });
    into.tag('package-install');
    into.effect('state', 'changes the Rust tool chain');
    return;
  }
  for (const file of operands) {
    into.read(file);
    if (!has('--check')) into.write(file);
  }
}
