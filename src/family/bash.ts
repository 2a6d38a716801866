import type { Frame, Report, ShellFamily } from '../contract/shell-family.js';
import { ABORT, ABORT_ACTION, lineageRecord, readLineage } from './bash-lineage.js';
import { readExports } from './exports.js';
import { readNames, shellVariables } from './facts.js';
import { cutFrames } from './frames.js';
import { eligible, readSuffix, suffix } from './pipe-status.js';
import { quoteWord, singleQuoted } from './quote.js';

// Every word of the protocol is `\builtin name`: the backslash defeats aliases, `builtin` defeats functions.
const TEMPORARY = 'SHELLGATE_COMMAND TMOUT MAILCHECK PROMPT_COMMAND PS0 PS1 PS2';
/** Unset, not assigned: a readonly name must not cut the line, nor end a `set -e` shell. */
const unset = (names: string): string => `\\builtin unset -n ${names}||\\builtin :;\\builtin unset -v ${names}||\\builtin :`;
const record = (nonce: string, fields = ''): string => `\\builtin printf '%s\\0' $'\\036'${nonce}${fields} ${nonce}`;

/** A name that no text can guess; it holds PIPESTATUS from the end of the text to the report. */
const keeper = (id: string): string => `_sg${id.slice(0, 8).replace(/\W/g, '_')}`;

const report = (frame: Frame, nonce: string): string =>
  record(nonce, ` "$?" "\${PWD-}" "$-" "\${!-}" "\${BASH_ALIASES[*]+a}" "\${${keeper(frame.id)}-}" "\${PIPESTATUS[@]}"`);

/** What follows either report: cleanup, then the lineage, before bash can show a prompt or run PROMPT_COMMAND. */
const tail = (frame: Frame): string =>
  `${mark(frame)}${unset(`${TEMPORARY} ${keeper(frame.id)}`)};${lineageRecord(frame.nonces.lineage)}`;

/** Ends the output on a terminal, whose bytes arrive in their own time. */
const mark = ({ terminal }: Frame): string =>
  terminal ? `\\builtin printf '\\033]5379;%s\\007' ${terminal.mark} >${quoteWord(terminal.path)};` : '';

/** Gives the text the `$?` of the command before: no file, no fork. `A||B` keeps it on entry to B, `set -e` or not. */
function carry(status: number): string {
  if (status === 0) return '';
  return status === 1 ? '((0))||' : `\\builtin . /dev/fd/0 <<<'\\builtin return ${status}'||`;
}

function body(frame: Frame): string {
  const { text, capture, terminal } = frame;
  const kept = !terminal && eligible(text, frame.last) ? text + suffix(keeper(frame.id)) : text;
  const started = frame.nonces.started === undefined ? '' : `${record(frame.nonces.started)};`;
  const run = `${started}${carry(frame.previousStatus)}\\builtin eval ${singleQuoted(kept)}`;
  if (terminal) return `${run} <${quoteWord(terminal.path)} >${quoteWord(terminal.path)} 2>&1`;
  if (!capture) return `${run} </dev/null`;
  const output = `>${quoteWord(capture.out)} 2>${quoteWord(capture.err)}`;
  return capture.in === undefined ? `${run} </dev/null ${output}` : `{ ${run} ${output}; } <${quoteWord(capture.in)}`;
}

/**
 * The text in a subshell of its own, started in the background. The outer subshell keeps only the control stream, to
 * report the end; the inner one, which runs the text, has none of the protocol's streams: a redirection of a subshell
 * replaces them instead of saving them.
 */
function subshell(frame: Frame): string {
  const { text, capture, nonces } = frame;
  const output = capture ? `>${quoteWord(capture.out)} 2>${quoteWord(capture.err)}` : '>/dev/null 2>&1';
  const started = nonces.started === undefined ? '' : `${record(nonces.started)};`;
  const inner = `( ${carry(frame.previousStatus)}\\builtin eval ${singleQuoted(text)} ) ${output}`;
  const end = report(frame, nonces.finished ?? nonces.fallback);
  // An inner subshell would take back what bash does for background jobs: not to die of the foreground's interrupt.
  return `{ \\builtin trap - EXIT DEBUG ERR;\\builtin trap '' INT QUIT;${started}${inner};${end}; } <${quoteWord(capture?.in ?? '/dev/null')} 2>/dev/null &`;
}

export const bash: ShellFamily = {
  name: 'bash',
  minimumVersion: '4.4',
  abortSignal: 41,
  argv(shell) {
    const [program = '/bin/bash', ...rest] = shell;
    const own = ['--noprofile', '--norc', '--noediting', '-p', '-i'];
    const extra = rest.filter(word => !own.includes(word));
    const long = (word: string) => word.startsWith('--');
    // bash takes long options only in front of short ones.
    return [program, ...extra.filter(long), ...own.filter(long), ...extra.filter(word => !long(word)), '-p', '-i'];
  },
  boot(nonce) {
    return (
      `${unset(TEMPORARY)};\\builtin unset MAILPATH MAIL;\\builtin set +H +m +o history;` +
      `\\builtin shopt -u promptvars expand_aliases;\\builtin unset HISTFILE;` +
      `\\builtin trap ${singleQuoted(ABORT_ACTION)} ${ABORT};${record(nonce, ' "$BASH_VERSION" "$-"')}\n`
    );
  },
  frame(frame) {
    const start = `\n\\builtin export SHELLGATE_COMMAND=${frame.id};`;
    const run = frame.place === 'subshell' ? subshell(frame) : `${body(frame)};`;
    return `${start}${run}${report(frame, frame.nonces.report)};${tail(frame)}\n`;
  },
  fallback: (frame, nonce) => `${report(frame, nonce)};${tail(frame)}\n`,
  enter: directory => `\n\\builtin cd -- ${quoteWord(directory)} >/dev/null||\\builtin :\n`,
  sync: nonce => `\n${record(nonce)}\n`,
  repair: '\nPOSIXLY_CORRECT=1;\\unset -f builtin;\\unset POSIXLY_CORRECT\n',
  reports: cutFrames,
  report(raw) {
    const [status = '', cwd = '', flags = '', background = '', aliases = '', kept = '', ...pipe] = raw.fields;
    if (!/^\d{1,3}$/.test(status)) return undefined;
    const suffixed = readSuffix(kept);
    const pipeStatus = suffixed?.pipeStatus ?? (pipe.length > 0 ? [Number(status)] : undefined);
    const found: Report = {
      nonce: raw.nonce,
      status: suffixed?.status ?? Number(status),
      cwd,
      flags,
      background,
      aliases: aliases !== '',
      ...(pipeStatus && { pipeStatus }),
    };
    return found;
  },
  lineage: raw => readLineage(raw.fields),
  withoutOwnTalk(stderr, { text, ended }) {
    // Interactive bash says goodbye, and without a terminal complains of it after a program died of a signal.
    const plain = stderr.includes('tcsetattr') ? stderr.replace(/^[^\n]*: \[\d+: \d+ \(\d+\)\] tcsetattr: .*\n/gm, '') : stderr;
    return ended && /\b(?:exit|logout)\b/.test(text) ? plain.replace(/(^|\n)(?:exit|logout)\n$/, '$1') : plain;
  },
  factsLine(query, nonce) {
    // `||:` for `set -e`; each answer ends with NUL, whatever the builtin printed or did not print.
    const names = query.names.map(name => {
      const word = singleQuoted(name);
      return `\\builtin type -t -- ${word}||\\builtin :;\\builtin type -P -- ${word}||\\builtin :;\\builtin printf '\\0'`;
    });
    // Every element of what is evaluated as arithmetic, since each could run a command.
    const all = (name: string) => (query.numeric?.includes(name) ? `${name}[*]` : name);
    const variables = shellVariables(query).map(name => `"\${${all(name)}+=}\${${all(name)}-}"`);
    const values = variables.length > 0 ? [`\\builtin printf '%s\\0' ${variables.join(' ')}`] : [];
    const begin = `\\builtin printf '%s\\0' $'\\036'${nonce}`;
    const exported = `\\builtin export -p;\\builtin printf '\\0%s\\0' ${nonce}`;
    return `\n${[begin, ...names, ...values, exported].join(';')}\n`;
  },
  facts: readNames,
  environment: readExports,
  syntaxCheck: shell => [shell[0] ?? '/bin/bash', '--noprofile', '--norc', '-p', '-n'],
  quote: quoteWord,
};
