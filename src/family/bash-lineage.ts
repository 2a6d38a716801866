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

/** The trap that the boot line sets, as `trap -p` names it. */
const OWN_TRAP = /^(?:SIG)?RTMIN\+7$/;
const PROTOCOL = ['SHELLGATE_COMMAND', 'TMOUT', 'MAILCHECK', 'PROMPT_COMMAND', 'PS0', 'PS1', 'PS2'];

/**
 * One record that says what could give words another meaning. It runs after the protocol names were unset, so one that
 * is still set is readonly. Builtins and expansions only: no fork, a few microseconds.
 */
export function lineageRecord(nonce: string): string {
  const kept = PROTOCOL.map(name => `\${${name}+${name} }`).join('');
  return (
    `\\builtin printf '%s\\0' $'\\036'${nonce} "$-" "\${BASHOPTS-}" "\${SHELLOPTS-}" "\${BASH_ALIASES[*]+a}" "${kept}";` +
    `\\builtin declare -F;\\builtin printf '\\0';\\builtin trap -p;\\builtin printf '\\0';\\builtin enable -n;` +
    `\\builtin printf '\\0';\\builtin declare -pn;` +
    `\\builtin printf '\\0%s\\0' ${nonce}`
  );
}

/** The first reason found, in words, or undefined: the shell's words mean what they say. */
export function readLineage(fields: readonly string[]): string | undefined {
  if (fields.length !== 9) return 'the shell gave an unreadable account of itself';
  const [flags = '', shopts = '', options = '', aliases, kept = '', functions = '', traps = '', disabled = '', references = ''] =
    fields;
  if (kept.trim() !== '') return `the protocol's variable ${kept.trim().split(' ')[0]} is readonly`;
  const named = lines(functions).map(line => line.replace(/^declare -\S+ /, ''));
  const shadow = named.find(name => WORDS.has(name) || name.includes('/'));
  if (shadow !== undefined) return `a function is named ${shadow}`;
  const trap = trapNames(traps).find(name => !OWN_TRAP.test(name));
  if (trap !== undefined) return `a trap is set on ${trap}`;
  const off = lines(disabled)[0];
  if (off !== undefined) return `a builtin is disabled (${off.replace(/^enable -n /, '')})`;
  // An assignment to such a name sets another variable: PATH, LD_PRELOAD.
  if (references !== '') return `a name stands for another variable (${lines(references)[0]})`;
  if (aliases !== '' && shopts.split(':').includes('expand_aliases')) return 'aliases are defined and in force';
  if (shopts.split(':').includes('extdebug')) return 'extdebug is on';
  if (options.split(':').includes('posix')) return 'posix mode is on';
  if (/[kH]/.test(flags)) return `the shell's option ${/k/.test(flags) ? 'keyword' : 'histexpand'} is on`;
  return undefined;
}

/** Signal names of `trap -p` output: `trap -- 'text' NAME`, where the text may span lines. Ignored signals do no harm. */
function trapNames(listing: string): string[] {
  const names: string[] = [];
  const unread = listing.replace(/^trap -- ('(?:[^']|'\\'')*'|-) (\S+)\n/gm, (_line, text: string, name: string) => {
    if (text !== "''" && text !== '-') names.push(name);
    return '';
  });
  return unread === '' ? names : [...names, 'a signal'];
}

const lines = (text: string): string[] => text.split('\n').filter(line => line !== '');
