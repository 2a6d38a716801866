import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { filePathOf, hostOf } from '../specs/hosts.js';
import { ancestors, isKnown, leadOf, resolvePaths } from '../specs/paths.js';
import { splitWords } from '../specs/words.js';
import { aliasOf, readSetting, settingsOf } from './git-config.js';

const HOOKS: Readonly<Record<string, readonly string[]>> = {
  commit: ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-rewrite'],
  merge: ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-merge', 'reference-transaction'],
  pull: ['pre-merge-commit', 'commit-msg', 'post-merge', 'post-checkout', 'pre-rebase', 'post-rewrite'],
  checkout: ['post-checkout'],
  switch: ['post-checkout'],
  worktree: ['post-checkout'],
  rebase: ['pre-rebase', 'post-rewrite', 'post-checkout', 'pre-commit', 'commit-msg'],
  am: ['applypatch-msg', 'pre-applypatch', 'post-applypatch'],
  push: ['pre-push'],
  'cherry-pick': ['prepare-commit-msg', 'commit-msg', 'post-commit'],
  revert: ['prepare-commit-msg', 'commit-msg', 'post-commit'],
  gc: ['pre-auto-gc'],
};
const ALWAYS = ['config', 'config.worktree', 'info/attributes'];
const HEREDITARY = ['reference-transaction', 'post-index-change', 'fsmonitor-watchman'];

/** More folders than this are not looked through for a repository. */
const DEEPEST = 12;

/** git: `-c` settings, aliases, the files and hooks that decide, remotes, and what a few sub-commands do by operand. */
export function git(parsed: Parsed): void {
  const sub = parsed.path[1];
  settings(parsed);
  signatures(parsed);
  if (!sub) {
    unnamed(parsed);
    return;
  }
  relyOnRepository(parsed, sub);
  SUBCOMMANDS[sub]?.(parsed);
}

const SUBCOMMANDS: Readonly<Record<string, (parsed: Parsed) => void>> = {
  ...Object.fromEntries('show log whatchanged cat-file blame annotate'.split(' ').map(name => [name, contents])),
  diff: parsed => {
    outsideReads(parsed);
    contents(parsed);
  },
  grep: parsed => {
    outsideReads(parsed);
    contents(parsed);
    if (!parsed.has('-O')) return;
    const pagers = parsed.values('-O');
    for (const pager of pagers) parsed.into.start({ script: pager, shell: 'sh', via: 'git grep -O' });
    if (pagers.length === 0) parsed.into.effect('exec', 'opens a pager');
  },
  reset,
  checkout: checkout,
  clone: clone,
  init: makes,
  worktree: parsed => {
    if (parsed.path[2] === 'add') makes(parsed);
  },
  fetch: parsed => remotes(parsed, parsed.operands.slice(0, 1)),
  pull: parsed => {
    parsed.into.write({ text: '.' }, { tree: true });
    remotes(parsed, parsed.operands.slice(0, 1));
  },
  push: push,
  'request-pull': parsed => remotes(parsed, parsed.operands.slice(1, 2)),
  'ls-remote': parsed => remotes(parsed, parsed.operands.slice(0, 1)),
};

function settings(parsed: Parsed): void {
  for (const setting of settingsOf(parsed)) readSetting(parsed.into, setting);
}

/** A format that shows who signed starts the configured gpg program. */
function signatures({ into, values }: Parsed): void {
  for (const format of values('--format', '--pretty', '--sort'))
    if (/%[-+ ]?G|signature/.test(leadOf(format)) || (!isKnown(format) && format.lead === ''))
      into.effect('exec', 'may run the configured gpg program', format);
}

/** No sub-command that is described: an alias given in the same line can still be followed. */
function unnamed(parsed: Parsed): void {
  const [name, ...rest] = parsed.operands;
  if (!name || !isKnown(name)) return;
  if (/^(subtree|lfs)$/.test(name.text) && rest[0] && /^(push|pull|fetch)$/.test(leadOf(rest[0]))) {
    parsed.into.start({ argv: [{ text: 'git' }, ...rest], via: `git ${name.text}`, unknownArguments: true });
    return;
  }
  const alias = aliasOf(settingsOf(parsed), name.text);
  if (alias === undefined) return;
  if (alias.startsWith('!')) {
    parsed.into.start({ script: { text: alias.slice(1) }, shell: 'sh', via: 'git alias' });
    return;
  }
  const words = splitWords(alias);
  if (words)
    parsed.into.start({
      argv: [{ text: 'git' }, ...words.map(text => ({ text })), ...rest],
      via: 'git alias',
      unknownArguments: false,
    });
}

/** The repository may be this directory or any above it. */
function relyOnRepository({ into }: Parsed, sub: string): void {
  const hooks = [...(HOOKS[sub] ?? []), ...(HOOKS[sub] ? HEREDITARY : [])];
  const files = [...ALWAYS, ...hooks.map(hook => `hooks/${hook}`)];
  if (!into.directories) {
    into.ask('unknown-directory', 'git: which repository is not known');
    return;
  }
  for (const directory of into.directories) {
    // A folder with a HEAD is a repository itself, without a `.git`: its settings and hooks would be those that run.
    for (const above of ancestors(directory))
      for (const file of ['HEAD', ...files.map(name => `.git/${name}`)]) into.rely(`${above}/${file}`);
    if (directory.split('/').length > DEEPEST)
      into.ask('unknown-directory', 'git: the folders above are too many to look through');
    into.rely(`${directory}/.gitattributes`);
  }
  into.rely(`${into.home}/.gitconfig`);
  into.rely(`${into.home}/.config/git/config`);
}

/** `git diff` outside a work tree, or with a path outside of it, compares plain files. */
function outsideReads(parsed: Parsed): void {
  for (const operand of parsed.operands) {
    if (parsed.has('--no-index') || /^(\/|~|\.\.(\/|$))/.test(leadOf(operand))) parsed.into.read(operand);
  }
}

/** Options with which only names and numbers of what changed are shown. */
const NAMES_ONLY = [
  '--stat',
  '--name-only',
  '--name-status',
  '--numstat',
  '--shortstat',
  '--summary',
  '--quiet',
  '-q',
  '--raw',
  '-s',
];

/** A version of a file shows what the file held: `HEAD:.env`, `-- .env`, `.env`. Revisions are no paths, and stay out. */
function contents(parsed: Parsed): void {
  const { operands, into, path } = parsed;
  const sub = path[1] ?? '';
  const named = parsed.invocation.argv.map(leadOf);
  const patches = named.some(word => /^(-p|-u|--patch.*|-U\d*|--unified.*|-L.*|-W|--function-context|-c|--cc)$/.test(word));
  for (const word of named) readVersion(/^-L[^:]*:(.+)$/.exec(word)?.[1], into);
  for (const operand of operands) {
    if (!isKnown(operand)) continue;
    const [, version] = /^[^:]*:(?:[0-3]:)?([^(/!^:].*|\/.+)$/s.exec(operand.text) ?? [];
    if (version !== undefined) readVersion(version, into);
    else if (/^(log|whatchanged)$/.test(sub) ? patches : !NAMES_ONLY.some(option => named.includes(option)))
      readVersion(/\.\./.test(operand.text) ? undefined : operand.text.replace(/^:(\([^)]*\)|[/!^]+)/, ''), into);
  }
  const { stdin } = parsed.invocation;
  if (sub === 'cat-file' && stdin.kind === 'here' && stdin.text && isKnown(stdin.text))
    for (const line of stdin.text.text.split('\n').slice(0, 50)) readVersion(/:(.+)$/.exec(line)?.[1], into);
}

function readVersion(path: string | undefined, into: Parsed['into']): void {
  if (path !== undefined && path !== '' && !/[\^~*?[]|@\{/.test(path)) into.read({ text: path });
}

/** Leaves commits behind that a branch had: `reset HEAD~1`. With a path behind it, or to where it is, it only unstages. */
function reset({ operands, into, invocation }: Parsed): void {
  const [to, more] = operands;
  if (!to || more || invocation.argv.some(word => leadOf(word) === '--')) return;
  if (!isKnown(to) || /[\^~]|@\{|^[0-9a-f]{7,40}$|\//.test(to.text)) into.tag('history-rewrite');
}

/** Paths are restored from the index or a commit, and what was changed in them is gone. */
function checkout({ invocation, operands, into, has }: Parsed): void {
  const dashes = invocation.argv.some((word, index) => index > 1 && isKnown(word) && word.text === '--');
  const paths = operands.some(operand => /^(\.|:\/|:\(|\.\/)|\.[a-z]{1,4}$/.test(leadOf(operand)));
  const treeAndPath = operands.length > 1 && !has('-b', '-B', '--orphan');
  if (dashes || paths || treeAndPath) into.tag('discard-changes');
  const from = invocation.argv.findIndex(word => isKnown(word) && word.text === '--');
  if (dashes) for (const path of invocation.argv.slice(from + 1)) into.write(path, { detail: 'restored' });
}

/** A repository or a work tree is put where the first operand says. */
function makes({ operands, into }: Parsed): void {
  for (const operand of operands.slice(0, 1)) into.make(operand, { tree: true });
}

function clone(parsed: Parsed): void {
  const [from, to] = parsed.operands;
  remotes(parsed, parsed.operands.slice(0, 1));
  // A plain name may be a place here: a repository, a bundle.
  if (from && isPlainName(from)) for (const end of ['', '.git', '.bundle']) readPlace(parsed, from, end);
  if (to) {
    parsed.into.make(to, { tree: true });
    return;
  }
  const name = from && isKnown(from) ? clonedName(from.text) : undefined;
  for (const end of ['', ...(parsed.has('--bare', '--mirror') ? ['.git'] : [])])
    parsed.into.write({ text: name === undefined ? '.' : name + end }, { tree: true });
}

/** The folder that a clone of this place makes: `x` for `git@host:team/x.git/`. */
function clonedName(place: string): string | undefined {
  const text = place.replace(/(?<!\/)\/+$/, '').replace(/\/?\.git$/, '');
  return text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf(':')) + 1) || undefined;
}

function push(parsed: Parsed): void {
  const { into, operands } = parsed;
  remotes(parsed, operands.slice(0, 1));
  const [to] = operands;
  if (to && isLocal(to)) into.write(filePathOf(to) ?? to, { tree: true });
  for (const refspec of operands.slice(1)) {
    const lead = leadOf(refspec);
    if (lead.startsWith('+')) into.tag('force-push');
    else if (lead.startsWith(':') && lead !== ':') into.tag('delete', 'remote-delete');
    else if (!isKnown(refspec) && lead === '')
      into.ask('opaque-refspec', 'git push: what it pushes is not known and may be forced');
  }
}

const isLocal = (word: Word): boolean => /^([./~]|file:\/\/)/i.test(leadOf(word));
const isPlainName = (word: Word): boolean => !isLocal(word) && !leadOf(word).includes(':');

function readPlace({ into }: Parsed, place: Word, end: string): void {
  into.read(isKnown(place) ? { text: place.text + end } : place, { tree: true });
}

/** A URL names its host, a path is read, a plain name is a remote of the repository. */
function remotes({ into, path }: Parsed, words: readonly Word[]): void {
  for (const word of words) {
    const lead = leadOf(word);
    if (/^[a-z0-9]+::/i.test(lead)) {
      into.ask('transport-helper', `git ${path[1]}: "${lead}" starts a transport program`);
      if (/^ext::/i.test(lead) && isKnown(word)) into.start({ script: { text: lead.slice(5) }, shell: 'sh', via: 'git ext::' });
    } else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(lead) || /^[^/]+:/.test(lead)) {
      const host = hostOf(word);
      if (host) into.network(host);
      else into.read(filePathOf(word) ?? word, { tree: true });
    } else if (/^[./~]/.test(lead)) {
      for (const target of resolvePaths(word, into.directories)) into.read(target, { tree: true });
    } else into.network(undefined, `remote ${lead || '(not known)'}`);
  }
  if (words.length === 0) into.network(undefined, 'the default remote');
}
