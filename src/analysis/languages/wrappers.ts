import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { readOptions } from '../specs/options.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { joined } from '../specs/starting.js';
import { part } from './placeholder.js';

const start = (parsed: Parsed, argv: readonly Word[], via = parsed.into.program): void => {
  if (argv.length > 0) parsed.into.start({ argv, via, unknownArguments: false });
};

/** Words that a program joins with blanks and gives to a shell. */
function startJoined(parsed: Parsed, words: readonly Word[], via = parsed.into.program): void {
  if (words.length === 0) return;
  parsed.into.start({ script: joined(words), shell: 'sh', via });
}

/** watch gives its words to a shell, with -x it starts them. */
export function watch(parsed: Parsed): void {
  if (parsed.has('-x')) start(parsed, parsed.operands);
  else startJoined(parsed, parsed.operands);
}

/** chroot without a command starts a shell. */
export function chroot(parsed: Parsed): void {
  if (parsed.operands.length === 1) start(parsed, [{ text: 'sh' }]);
}

/** flock FILE COMMAND…, or FILE -c SCRIPT. */
export function flock(parsed: Parsed): void {
  const [, ...rest] = parsed.operands;
  if (rest[0] && /^(-c|--command)$/.test(leadOf(rest[0]))) {
    if (rest[1]) parsed.into.start({ script: rest[1], shell: 'sh', via: 'flock -c' });
  } else start(parsed, rest);
}

/** strace -o: a file, a program that is sent the text, or with -ff a file for each process. */
export function traceOutput({ into, values, has, options }: Parsed): void {
  const apart = has('-ff') || options.filter(({ name }) => name === '-f' || name === '--follow-forks').length > 1;
  for (const output of values('-o')) {
    const lead = leadOf(output);
    if (/^[|!]/.test(lead)) into.start({ script: part(output, lead.slice(1)), shell: 'sh', via: 'strace -o' });
    else into.write(apart ? { opaque: 'glob', lead } : output, { detail: '-o' });
  }
}

/** script: util-linux takes a file and -c, BSD a file and a command. */
export function script(parsed: Parsed): void {
  if (parsed.has('-c', '-h', '-V')) return;
  const [, ...rest] = parsed.operands;
  // GNU's goes on reading options behind its file.
  const at = rest.findIndex(word => /^(-[a-zA-Z]*c|--command)$/.test(leadOf(word)));
  if (at >= 0 && rest[at + 1]) parsed.into.start({ script: rest[at + 1]!, shell: 'sh', via: 'script -c' });
  const words = rest[0] && leadOf(rest[0]) === '--' ? rest.slice(1) : rest;
  if (words.length > 0) start(parsed, words);
  else parsed.into.ask('interactive', 'script: an interactive shell');
}

/** entr: a command, or with -s a script. */
export function entr(parsed: Parsed): void {
  const [first] = parsed.operands;
  if (parsed.has('-s')) {
    if (first) parsed.into.start({ script: first, shell: 'sh', via: 'entr -s' });
  } else start(parsed, parsed.operands);
}

/** setarch: the architecture may be left out when options stand before the program. */
export function setarch(parsed: Parsed): void {
  const [first, ...rest] = parsed.operands;
  const named =
    parsed.into.program === 'setarch' &&
    first &&
    isKnown(first) &&
    /^(linux(32|64)|i[3-6]86|x86_64|athlon|ppc\w*|arm\w*|aarch64|s390x?|sparc\w*|mips\w*|alpha|ia64|uname26|riscv\w*)$/.test(
      first.text,
    );
  if (!named) {
    start(parsed, parsed.operands);
    return;
  }
  const behind = readOptions(parsed.table, rest);
  start(parsed, behind.operands);
}

/** capsh: what stands behind `--` goes to bash. */
export function capsh(parsed: Parsed): void {
  const words = parsed.invocation.argv;
  const at = words.findIndex(word => isKnown(word) && /^(--|==|--shell=.*)$/.test(word.text));
  if (at < 0) {
    if (words.some(word => !isKnown(word))) parsed.into.ask('opaque-option', 'capsh: a word is not known');
    return;
  }
  start(parsed, [{ text: 'bash' }, ...words.slice(at + 1)], 'capsh --');
  const script = words[at + 2];
  if (script && leadOf(words[at + 1]!) === '-c') parsed.into.start({ script, shell: 'bash', via: 'capsh -- -c' });
}

/** `sg GROUP [-c] COMMAND`: its words go to a shell. */
export function switchGroup(parsed: Parsed): void {
  const [, ...rest] = parsed.operands;
  const words = rest[0] && leadOf(rest[0]) === '-c' ? rest.slice(1) : rest;
  if (words.length === 0) parsed.into.ask('interactive', `${parsed.into.program}: a shell with other rights`);
  else startJoined(parsed, words);
}

/** `--exec PROGRAM … -- ARGUMENTS`. */
export function daemonStarter(parsed: Parsed): void {
  const [program] = parsed.values('--exec', '--startas');
  parsed.into.effect('process', 'starts or stops a program outside of the session');
  if (program && !parsed.has('-K', '--stop', '-T', '--status')) start(parsed, [program, ...parsed.operands]);
}

/** Options of `run` and its kin that take a word. */
const RUN_VALUES = /^(?:-[epnEPfC]|--(?:environment|project|python|name|manifest-path|feature|env|node|file|cd))$/;

function withoutOptions(words: readonly Word[]): readonly Word[] {
  let at = 0;
  while (at < words.length && leadOf(words[at]!).startsWith('-')) at += RUN_VALUES.test(leadOf(words[at]!)) ? 2 : 1;
  return words.slice(at);
}

/** `exec`, `run`, `x` … then a command behind `--`. */
export function environmentRunner(parsed: Parsed): void {
  const { into, operands } = parsed;
  if (operands.length === 0 && parsed.options.length > 0) return;
  const verb = operands[0] ? leadOf(operands[0]) : '';
  const dashes = operands.findIndex(word => isKnown(word) && word.text === '--');
  if (/^cross-env(-shell)?$/.test(into.program)) {
    const words = dashes >= 0 ? operands.slice(dashes + 1) : operands;
    const at = words.findIndex(word => !/^[A-Za-z_]\w*=/.test(leadOf(word)));
    into.effect('environment', `${into.program} sets variables`);
    if (at >= 0) start(parsed, words.slice(at));
    if (at >= 0 || into.program === 'cross-env') return;
    for (const word of words) into.start({ script: word, shell: 'sh', via: into.program });
    return;
  }
  if (/^(exec|x|run|shell|develop|env)$/.test(verb)) {
    const command = operands.findIndex(word => /^(-c|--command)$/.test(leadOf(word)));
    const rest =
      dashes >= 0 ? operands.slice(dashes + 1) : operands.slice(command >= 0 ? command + 1 : into.program === 'direnv' ? 2 : 1);
    const [first, ...more] = withoutOptions(rest);
    // hatch names the environment in front, nix the package behind where it comes from.
    const named = /^(?:[\w.+-]+:|[^#]*#)(?=[\w.-]+$)/;
    const plain = /^(hatch|nix)$/.test(into.program) && first && isKnown(first) ? { text: first.text.replace(named, '') } : first;
    start(parsed, plain ? [plain, ...more] : rest, `${into.program} ${verb}`);
    into.effect('code', `${into.program} runs in an environment that files decide`);
    return;
  }
  into.ask('environment-runner', `${into.program} ${verb}: not described`);
  if (dashes >= 0) start(parsed, operands.slice(dashes + 1));
}

/** launchctl list and print look on; everything else starts or stops something. */
export function launchctl(parsed: Parsed): void {
  const verb = parsed.operands[0] ? leadOf(parsed.operands[0]) : '';
  if (/^(list|print|blame|version|help|dumpstate|hostinfo|managerpid|manageruid|managername)$/.test(verb)) return;
  parsed.into.tag('persistence');
  parsed.into.effect('process', `launchctl ${verb}`);
  const at = parsed.operands.findIndex(word => isKnown(word) && word.text === '--');
  if (at >= 0) start(parsed, parsed.operands.slice(at + 1), 'launchctl submit');
  const program = parsed.operands.findIndex(word => leadOf(word) === '-p');
  if (verb === 'submit' && program > 0) start(parsed, parsed.operands.slice(program + 1, program + 2), 'launchctl submit -p');
  if (/^(asuser|bsexec)$/.test(verb)) start(parsed, parsed.operands.slice(2), `launchctl ${verb}`);
}

/** osascript: AppleScript is code; a plain `do shell script "…"` in it is followed as well. */
export function osascript(parsed: Parsed): void {
  parsed.into.tag('foreign-code');
  for (const text of parsed.values('-e')) {
    parsed.into.effect('code', 'runs an AppleScript', text);
    if (!isKnown(text)) continue;
    for (const match of text.text.matchAll(/do shell script "((?:[^"\\]|\\.)*)"/gi))
      parsed.into.start({ script: { text: match[1]!.replace(/\\(.)/g, '$1') }, shell: 'sh', via: 'osascript' });
  }
  if (parsed.values('-e').length === 0 && parsed.operands.length === 0) parsed.into.effect('code', 'runs an AppleScript');
}

/** valgrind starts its words, hyperfine gives each to a shell, perf has sub-commands. */
export function measured(parsed: Parsed): void {
  const { into, operands } = parsed;
  if (into.program === 'hyperfine') {
    for (const operand of [...operands, ...parsed.values('--prepare')])
      into.start({ script: operand, shell: 'sh', via: 'hyperfine' });
  } else if (into.program === 'valgrind') start(parsed, operands);
  else if (/^(stat|record|trace)$/.test(operands[0] ? leadOf(operands[0]) : '')) {
    const rest = operands.slice(1);
    const at = commandOf(rest);
    if (at > 0) into.ask('perf-options', 'perf: options that are not described');
    if (at >= 0) start(parsed, rest.slice(at), `perf ${leadOf(operands[0]!)}`);
    into.write({ text: '.' }, { tree: true });
  } else into.ask('perf-command', 'perf: a sub-command that is not described');
}

const PERF_VALUES = /^(-[a-zA-Z]*[ecFojpnCtGmMrIiwSxuD]|--(event|output|call-graph|freq|count|filter|cpu|delay|repeat|cgroup))$/;

/** Where the command stands behind the options of a sub-command of perf. */
function commandOf(words: readonly Word[]): number {
  for (let at = 0; at < words.length; at += 1) {
    const lead = leadOf(words[at]!);
    if (lead === '--') return at + 1 < words.length ? at + 1 : -1;
    if (!lead.startsWith('-')) return at;
    if (PERF_VALUES.test(lead)) at += 1;
  }
  return -1;
}

const NOTHING: Word = { opaque: 'input', lead: '' };

/** parallel gives its words, and what it reads or is given behind `:::`, to a shell. */
export function parallel(parsed: Parsed): void {
  const end = parsed.operands.findIndex(word => isKnown(word) && /^::::?\+?$/.test(word.text));
  const command = end < 0 ? parsed.operands : parsed.operands.slice(0, end);
  const separator = end < 0 ? undefined : leadOf(parsed.operands[end]!);
  const given = end < 0 ? undefined : parsed.operands.slice(end + 1);
  if (separator?.startsWith('::::')) for (const file of given ?? []) parsed.into.read(file);
  if (command.length === 0) {
    parsed.into.ask('opaque-command', 'parallel: the commands it runs are not in its words');
    const { stdin } = parsed.invocation;
    const lines = given ?? (isKnown(stdin.text ?? NOTHING) ? [stdin.text!] : []);
    for (const script of lines) parsed.into.start({ script, shell: 'sh', via: 'parallel' });
    return;
  }
  // Each argument is quoted by parallel and put in place of `{}` or behind.
  const plain = separator === ':::' && given?.every(word => isKnown(word) && /^[\w./@%+=:,-]+$/.test(word.text));
  const text = command.map(leadOf).join(' ');
  if (!command.every(isKnown)) startJoined(parsed, command, 'parallel');
  else if (plain) {
    for (const word of given!) {
      const argument = leadOf(word);
      const filled = /\{[^}]*\}/.test(text) ? text.replace(/\{[^}]*\}/g, argument) : `${text} ${argument}`;
      parsed.into.start({ script: { text: filled }, shell: 'sh', via: 'parallel' });
    }
  } else {
    parsed.into.start({ script: { text }, shell: 'sh', via: 'parallel' });
    parsed.into.ask('opaque-arguments', 'parallel: arguments that are not known are added');
  }
}

const isStandardInput = (file: Word): boolean => isKnown(file) && /^(-|\/dev\/(stdin|fd\/0))$/.test(file.text);

/** at and batch: what they read runs later. */
export function at(parsed: Parsed): void {
  if (parsed.has('-l', '-V') || (parsed.has('-f') && !parsed.values('-f').some(isStandardInput))) return;
  later(parsed);
}

function later(parsed: Parsed): void {
  const { stdin } = parsed.invocation;
  if (stdin.kind === 'here' && stdin.text) parsed.into.start({ script: stdin.text, shell: 'sh', via: parsed.into.program });
  else parsed.into.ask('later', `${parsed.into.program}: what it will run is not in the text`);
}

/** crontab: a table in a file or on standard input. */
export function crontab(parsed: Parsed): void {
  const { into, operands, invocation } = parsed;
  if (parsed.has('-l', '-r', '-e')) return;
  const [file] = operands;
  const printed = file && invocation.printed?.get(file);
  if (printed && isKnown(printed)) {
    table(parsed, printed.text);
    return;
  }
  if (file && leadOf(file) !== '-') {
    into.read(file);
    into.effect('code', 'runs the table of a file', file);
    if (isKnown(file)) into.rely(file.text);
    return;
  }
  const { stdin } = invocation;
  if (stdin.kind !== 'here' || !stdin.text || !isKnown(stdin.text)) {
    into.ask('later', 'crontab: what it will run is not in the text');
    return;
  }
  table(parsed, stdin.text.text);
}

function table({ into }: Parsed, text: string): void {
  for (const line of text.split('\n')) {
    if (/^\s*(#|$)/.test(line)) continue;
    const entry = /^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)$/.exec(line);
    if (!entry || /^\s*\w+\s*=/.test(line)) into.effect('environment', 'sets a variable of the table');
    else into.start({ script: { text: entry[1]!.split('%')[0]! }, shell: 'sh', via: 'crontab' });
  }
}
