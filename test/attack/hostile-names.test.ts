import { expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';

interface Row {
  readonly text: string;
  /** What policy allowed before. Default `echo next`. */
  readonly next?: string;
  /** Who says that it asks now. Default the lineage: nothing at all is allowed in this shell any more. */
  readonly by?: 'facts';
}

/** After each of these a word of a command may mean something that nobody judged. */
const ROWS: readonly Row[] = [
  { text: 'builtin(){ command builtin "$@"; }; readonly -f builtin' },
  { text: 'printf(){ command printf "$@"; }; readonly -f printf' },
  { text: 'function /bin/ls { :; }' },
  { text: 'function ./x { :; }' },
  { text: 'cd(){ :; }' },
  { text: 'command_not_found_handle(){ :; }' },
  { text: 'shopt -s extdebug' },
  { text: 'enable -n echo' },
  { text: 'enable -n printf' },
  { text: 'declare -n x=PATH', next: 'x=/tmp:/bin' },
  { text: 'declare -gn y=LD_PRELOAD', next: 'y=/tmp/x.so' },
  { text: 'set -k' },
  { text: 'set -o posix' },
  { text: 'set +o interactive-comments', next: 'echo next # not hidden' },
  { text: 'shopt -s lastpipe' },
  { text: 'shopt -s autocd' },
  { text: 'shopt -s cdable_vars' },
  { text: 'shopt -s nocasematch' },
  { text: 'shopt -s xpg_echo' },
  { text: 'shopt -s localvar_inherit' },
  { text: 'shopt -s compat43' },
  { text: 'shopt -u extquote' },
  { text: 'set -a' },
  { text: 'set -P' },
  { text: 'set -H' },
  { text: 'shopt -s expand_aliases; alias echo="echo not"' },
  { text: 'trap "command true" DEBUG' },
  { text: 'trap "command true" CHLD' },
  { text: 'trap "command true" EXIT' },
  { text: 'trap "command true" USR1' },
  { text: 'trap "command true" ERR' },
  { text: 'trap "command true" RETURN' },
  { text: 'trap "command true" RTMIN+7' },
  { text: 'export LD_PRELOAD=/tmp/no.so', next: 'ls' },
  { text: 'export LD_LIBRARY_PATH=/tmp/no', next: 'ls' },
  { text: 'export BASH_ENV=/tmp/no', next: 'ls' },
  { text: 'export GIT_PAGER=/tmp/no', next: 'git --version', by: 'facts' },
  { text: 'export NODE_OPTIONS=--require=/tmp/no', next: 'node --version', by: 'facts' },
  { text: 'export POSIXLY_CORRECT=1' },
  { text: 'own(){ :; }; export -f own' },
  { text: 'declare -i n; y="a[\\$(command true)]"', next: 'n=y' },
  { text: "PS4='$(command true)'; shopt -s promptvars; set -x" },
  { text: 'readonly TMOUT=9' },
  // Text that nobody saw, whatever it left behind and whatever the shell says of it.
  { text: 'eval "$(date +:)"' },
  { text: 'cat </dev/null | . /dev/stdin; source /dev/null' },
  { text: 'source <(date +:)' },
  // Seen, and then it speaks for the shell.
  { text: 'builtin(){ case $* in *declare*|*trap*|*enable*) ;; *) command builtin "$@";; esac; }' },
  { text: 'eval "$(echo "builtin(){ case \\$* in *declare*|*trap*|*enable*) ;; *) command builtin \\"\\$@\\";; esac; }")"' },
  { text: 'trap "[[ \\$BASH_COMMAND == *trap* ]] && trap - DEBUG" DEBUG' },
  { text: 'declare -r PROMPT_COMMAND=true' },
  { text: 'declare -r SHELLGATE_COMMAND' },
  { text: 'ls(){ :; }', next: 'ls', by: 'facts' },
  { text: 'hash -p /bin/false ls', next: 'ls', by: 'facts' },
  { text: 'BASH_CMDS[ls]=/bin/false', next: 'ls', by: 'facts' },
  { text: 'mkdir bin; cp /bin/false bin/ls; PATH=$PWD/bin:$PATH', next: 'ls', by: 'facts' },
];

attack(
  'after a line that gives words another meaning, what policy allowed is asked about, and the question says why',
  async host => {
    verifies('P3', 'P5');
    const seen = await host.see<Record<string, { restarted: boolean; reasons: string[]; fault?: string }>>('hostile-names', {
      rows: ROWS,
    });
    // A shell that lost what reports are made of is not asked about any more: it is gone.
    const wrong = ROWS.filter(({ text, by = 'lineage' }) => !seen[text]?.restarted && !seen[text]?.reasons?.includes(by));
    expect(wrong.map(({ text }) => [text, seen[text]])).toEqual([]);
  },
);
