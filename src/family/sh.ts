import type { FactsQuery } from '../contract/analysis.js';
import type { NameFact } from '../contract/facts.js';
import type { Frame, RawReport, ShellFamily } from '../contract/shell-family.js';
import { LOADED, loadedReason, namesSet } from './bash-lineage.js';
import { readExports } from './exports.js';
import { readNames, shellVariables } from './facts.js';
import { cutFrames } from './frames.js';
import { quoteWord, singleQuoted } from './quote.js';

// The POSIX shells (dash, busybox): no `builtin`, no `$'…'`, no PIPESTATUS. Every word of the protocol is
// `\command name`: the backslash defeats aliases, `command` defeats functions and keeps a failing special builtin from
// ending the shell. An interrupt makes these shells forget what they have read ahead; the fallback line is sent later.
const PROTOCOL = ['SHELLGATE_COMMAND', 'TMOUT', 'MAILCHECK', 'PROMPT_COMMAND', 'PS1', 'PS2'];
const UNSET = `\\command unset -v ${PROTOCOL.join(' ')}||\\command :`;
/** Builtins that a text or the protocol relies on. `type` says of each what it means now. */
const RELIED = [
  'cd',
  'command',
  'echo',
  'eval',
  'exec',
  'exit',
  'export',
  'printf',
  'read',
  'set',
  'test',
  'trap',
  'type',
  'unset',
];
const ABORT = 'USR2';

/** `status` first: the record's own first word would change `$?`. */
const record = (nonce: string, fields = ''): string =>
  `\\command printf '\\036%s\\0' ${nonce};\\command printf '%s\\0'${fields} ${nonce}`;
const report = (nonce: string): string =>
  `\\command printf '\\036%s\\0%s\\0' ${nonce} "$?";\\command printf '%s\\0' "\${PWD-}" "$-" "\${!-}" ${nonce}`;

function lineageRecord(nonce: string): string {
  return (
    `\\command printf '\\036%s\\0' ${nonce};\\command printf '%s\\0' "${namesSet(PROTOCOL)}" "${namesSet(LOADED)}";\\command alias;\\command printf '\\0';` +
    `\\command trap;\\command printf '\\0';\\command type ${RELIED.join(' ')};\\command printf '\\0%s\\0' ${nonce}`
  );
}

function readLineage(fields: readonly string[]): string | undefined {
  if (fields.length !== 5) return 'the shell gave an unreadable account of itself';
  const [kept = '', loaded = '', aliases, traps = '', meanings = ''] = fields;
  if (kept.trim() !== '') return `the protocol's variable ${kept.trim().split(' ')[0]} is readonly`;
  if (loaded !== '') return loadedReason(loaded);
  if (aliases !== '') return 'aliases are defined and in force';
  const trap = traps
    .replace(new RegExp(`^trap -- '(?:[^']|'\\\\'')*' (?:SIG)?${ABORT}\\n`, 'm'), '')
    .replace(/^trap -- '' \S+\n/gm, '');
  if (trap !== '') return 'a trap is set';
  const changed = meanings.split('\n').find(line => line !== '' && !/ is a (?:special )?shell builtin$/.test(line));
  return changed && `a builtin was replaced (${changed})`;
}

function carry(status: number): string {
  if (status === 0) return '';
  return status === 1 ? '\\command false||' : `(\\command exit ${status})||`;
}

const mark = (terminal: NonNullable<Frame['terminal']>): string =>
  `\\command printf '\\033]5379;%s\\007' ${terminal.mark} >${quoteWord(terminal.path)};`;

function body(frame: Frame): string {
  const { text, capture, terminal, nonces } = frame;
  const started = nonces.started === undefined ? '' : `${record(nonces.started)};`;
  const run = `${started}${carry(frame.previousStatus)}\\command eval ${singleQuoted(text)}`;
  if (terminal) return `${run} <${quoteWord(terminal.path)} >${quoteWord(terminal.path)} 2>&1`;
  if (!capture) return `${run} </dev/null`;
  const output = `>${quoteWord(capture.out)} 2>${quoteWord(capture.err)}`;
  return capture.in === undefined ? `${run} </dev/null ${output}` : `{ ${run} ${output}; } <${quoteWord(capture.in)}`;
}

const MEANINGS: readonly (readonly [RegExp, NameFact['kind']])[] = [
  [/^an alias for/, 'alias'],
  [/^a shell keyword/, 'keyword'],
  [/^a (?:shell )?function/, 'function'],
  [/^a (?:special )?shell builtin/, 'builtin'],
];

/** `name is …`, as dash and busybox say it; anything else is nothing. */
function meaning(name: string, answer: string): NameFact {
  const words = answer.trimEnd();
  if (!words.startsWith(`${name} is `)) return { kind: 'missing' };
  const what = words.slice(name.length + 4).replace(/^a tracked alias for /, '');
  const kind = MEANINGS.find(([pattern]) => pattern.test(what))?.[1];
  if (kind) return { kind };
  return what.includes('/') ? { kind: 'file', path: what } : { kind: 'missing' };
}

export const sh: ShellFamily = {
  name: 'sh',
  abortSignal: 12,
  repair: '\n\\unset -f command\n',
  argv: ([program = '/bin/sh', ...rest]) => [program, ...rest.filter(word => word !== '-i'), '-i'],
  boot(nonce) {
    const abort = `test "\${SHELLGATE_COMMAND-}"&&{ unset -v SHELLGATE_COMMAND;trap - INT;kill -INT $$; }`;
    return `${UNSET};\\command unset -v MAILPATH MAIL ENV;\\command set +m;\\command trap ${singleQuoted(abort)} ${ABORT};${record(nonce, ' "" "$-"')}\n`;
  },
  frame(frame) {
    const { nonces, terminal } = frame;
    const end = `${report(nonces.report)};${terminal ? mark(terminal) : ''}${UNSET};${lineageRecord(nonces.lineage)}\n`;
    const start = `\n\\command export SHELLGATE_COMMAND=${frame.id};`;
    return `${start}${frame.place === 'subshell' ? subshell(frame) : `${body(frame)};`}${end}`;
  },
  fallback: ({ terminal, nonces }, nonce) =>
    `${report(nonce)};${terminal ? mark(terminal) : ''}${UNSET};${lineageRecord(nonces.lineage)}\n`,
  enter: directory => `\ncommand cd -- ${quoteWord(directory)} >/dev/null||:\n`,
  sync: nonce => `\n${record(nonce)}\n`,
  reports: cutFrames,
  report(raw) {
    const [status = '', cwd = '', flags = '', background = ''] = raw.fields;
    if (!/^\d{1,3}$/.test(status)) return undefined;
    return { nonce: raw.nonce, status: Number(status), cwd, flags, background, aliases: false };
  },
  lineage: raw => readLineage(raw.fields),
  withoutOwnTalk: stderr => stderr,
  factsLine(query, nonce) {
    const names = query.names.map(name => `\\command -V ${singleQuoted(name)} 2>&1||\\command :;\\command printf '\\0'`);
    const variables = shellVariables(query).map(name => `"\${${name}+=}\${${name}-}"`);
    const values = variables.length > 0 ? [`\\command printf '%s\\0' ${variables.join(' ')}`] : [];
    const exported = `\\command export -p;\\command printf '\\0%s\\0' ${nonce}`;
    return `\n${[`\\command printf '\\036%s\\0' ${nonce}`, ...names, ...values, exported].join(';')}\n`;
  },
  facts,
  environment: readExports,
  syntaxCheck: ([program = '/bin/sh', ...rest]) => [program, ...rest.filter(word => !word.startsWith('-')), '-n'],
  quote: quoteWord,
};

function facts(raw: RawReport, query: FactsQuery): ReturnType<ShellFamily['facts']> {
  const read = readNames(raw, query);
  if (!read) return undefined;
  const names = query.names.map((name, index): [string, NameFact] => [name, meaning(name, raw.fields[index] ?? '')]);
  return { ...read, names: Object.fromEntries(names) };
}

/** The text in a background subshell: the outer one reports the end, the inner one has none of the protocol's streams. */
function subshell({ text, capture, nonces, previousStatus }: Frame): string {
  const output = capture ? `>${quoteWord(capture.out)} 2>${quoteWord(capture.err)}` : '>/dev/null 2>&1';
  const started = nonces.started === undefined ? '' : `${record(nonces.started)};`;
  const inner = `( ${carry(previousStatus)}\\command eval ${singleQuoted(text)} ) ${output}`;
  const end = report(nonces.finished ?? nonces.fallback);
  return `{ \\command trap - EXIT;\\command trap '' INT QUIT;${started}${inner};${end}; } <${quoteWord(capture?.in ?? '/dev/null')} 2>/dev/null &`;
}
