import { singleQuoted } from './quote.js';

/**
 * Builtins and keywords of bash up to 5.3, and the function that runs for every name that means nothing. A function of such
 * a name changes what the text of a request means.
 */
const WORDS = new Set(
  (
    '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo ' +
    'enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf ' +
    'pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit ' +
    'umask unalias unset wait if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc ' +
    'command_not_found_handle'
  ).split(' '),
);

/** The trap that the boot line sets: what it does, and how `trap -p` names its signal. */
export const ABORT = 'RTMIN+7';
export const ABORT_ACTION =
  '[[ ${SHELLGATE_COMMAND-} ]]&&{ \\builtin unset -v SHELLGATE_COMMAND;\\builtin trap - INT;\\builtin kill -INT $$; }';
const OWN_TRAP = /^(?:SIG)?RTMIN\+7$/;
const PROTOCOL = ['SHELLGATE_COMMAND', 'TMOUT', 'MAILCHECK', 'PROMPT_COMMAND', 'PS0', 'PS1', 'PS2'];
/**
 * What programs run, or the linker loads into every one of them, before their own first line. The start environment has
 * none of these (`cleanEnvironment`). `ENV` is not here: only interactive shells read it, and deployments use the name.
 */
export const LOADED = ['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH', 'GCONV_PATH', 'BASH_ENV'];
/** What bash itself has as integers. */
const INTEGERS = new Set('BASHPID EPOCHSECONDS EUID HISTCMD LINENO OPTIND PPID RANDOM SECONDS SRANDOM UID'.split(' '));
/** `${A+A }${B+B }…`: those that are set. */
export const namesSet = (names: readonly string[]): string => names.map(name => `\${${name}+${name} }`).join('');
export const loadedReason = (names: string): string =>
  `${names.trim().split(' ')[0]} is set, and every program that starts runs what it names`;

/**
 * One record that says what could give words another meaning. It runs after the protocol names were unset, so one that
 * is still set is readonly. Builtins and expansions only: no fork. Each builtin that prints is a write, and each write
 * wakes the host, so nothing stands between the listings: `readListing` tells them apart.
 */
export function lineageRecord(nonce: string): string {
  const kept = namesSet(PROTOCOL);
  const loaded = namesSet(LOADED);
  return (
    `\\builtin printf '%s\\0' $'\\036'${nonce} "$-" "\${BASHOPTS-}" "\${SHELLOPTS-}" "\${BASH_ALIASES[*]+a}" "${kept}" "${loaded}";` +
    `\\builtin declare -F;\\builtin enable -n;\\builtin declare -pin;\\builtin trap -p;\\builtin printf '\\0%s\\0' ${nonce}`
  );
}

/**
 * Options with which a text means something else than it says: off and on, as the shell starts with them. Without
 * `interactive_comments` a `#` hides nothing; with `lastpipe` a pipeline sets variables of the shell.
 */
const OFF =
  'autocd cdable_vars cdspell extdebug lastpipe localvar_inherit localvar_unset nocasematch xpg_echo assoc_expand_once array_expand_once'.split(
    ' ',
  );
const ON = ['interactive_comments', 'extquote', 'sourcepath'];
const FLAGS: Readonly<Record<string, string>> = { k: 'keyword', H: 'histexpand', a: 'allexport', P: 'physical' };

/** The first reason found, in words, or undefined: the shell's words mean what they say. */
export function readLineage(fields: readonly string[]): string | undefined {
  if (fields.length !== 7) return UNREADABLE;
  const [flags = '', shopts = '', options = '', aliases, kept = '', loaded = '', listing = ''] = fields;
  if (kept.trim() !== '') return `the protocol's variable ${kept.trim().split(' ')[0]} is readonly`;
  if (loaded !== '') return loadedReason(loaded);
  const listed = readListing(listing);
  if (listed !== undefined) return listed;
  const set = new Set(shopts.split(':'));
  if (aliases !== '' && set.has('expand_aliases')) return 'aliases are defined and in force';
  const long = new Set(options.split(':'));
  if (long.has('posix')) return 'posix mode is on';
  const on = OFF.find(name => set.has(name)) ?? [...set].find(name => /^compat\d/.test(name));
  if (on !== undefined) return `the shell's option ${on} is on`;
  if (flags.includes('x') && set.has('promptvars')) return 'PS4 is expanded before each command (xtrace and promptvars are on)';
  // Each list knows only what was set through its own builtin.
  const off = long.has('interactive-comments') ? ON.find(name => !set.has(name)) : 'interactive-comments';
  if (off !== undefined) return `the shell's option ${off} is off`;
  const flag = Object.keys(FLAGS).find(letter => flags.includes(letter));
  return flag && `the shell's option ${FLAGS[flag]} is on`;
}

const UNREADABLE = 'the shell gave an unreadable account of itself';
const OWN_ACTION = singleQuoted(ABORT_ACTION);
/** `trap -- 'text' NAME`, where the text may span lines. */
const TRAP = /^trap -- ('(?:[^']|'\\'')*'|-) (\S+)\n/gm;

/** Traps first: only their text can span lines and look like another listing. Ignored signals do no harm. */
function readListing(listing: string): string | undefined {
  let trap: string | undefined;
  const others = listing.replace(TRAP, (_entry, text: string, name: string) => {
    const own = OWN_TRAP.test(name) && text === OWN_ACTION;
    if (text !== "''" && text !== '-' && !own) trap ??= name;
    return '';
  });
  if (trap !== undefined) return `a trap is set on ${trap}`;
  for (const line of others.split('\n')) {
    const problem = line === '' ? undefined : problemOf(line);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(line: string): string | undefined {
  const [, attributes = '', name = ''] = /^declare -f(\S*) (\S+)$/.exec(line) ?? [];
  if (WORDS.has(name) || name.includes('/')) return `a function is named ${name}`;
  if (attributes.includes('x')) return `the function ${name} is exported, and shells that programs start take it for theirs`;
  if (name !== '') return undefined;
  if (line.startsWith('enable -n ')) return `a builtin is disabled (${line.slice('enable -n '.length)})`;
  const [, kinds = '', variable = ''] = /^declare -(\w+) ([^\s=]+)/.exec(line) ?? [];
  // An assignment to such a name sets another variable: PATH, LD_PRELOAD.
  if (kinds.includes('n')) return `a name stands for another variable (${line})`;
  // What is assigned to an integer is evaluated, and may run commands: `n='a[$(ls)]'`.
  if (kinds.includes('i'))
    return INTEGERS.has(variable) ? undefined : `${variable} is an integer, which evaluates what it is given`;
  return UNREADABLE;
}
