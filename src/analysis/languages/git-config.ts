import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import type { ReadingBuilder } from '../specs/reading-builder.js';

/** Settings that only change how things look or who wrote them, lower case; `*` stands for one part. */
const HARMLESS =
  /^(user\.(name|email)|author\.(name|email)|committer\.(name|email)|color\..*|column\..*|advice\..*|log\.(?!.*program).*|core\.(quotepath|autocrlf|eol|safecrlf|abbrev|ignorecase|filemode|precomposeunicode|untrackedcache|longpaths|whitespace|commentchar|preloadindex|checkstat|trustctime|logallrefupdates|compression|bigfilethreshold|symlinks)|diff\.(algorithm|renames|renamelimit|context|mnemonicprefix|noprefix|colormoved|colormovedws|interhunkcontext|wserrorhighlight|indentheuristic|statgraphwidth|submodule|relative|suppressblankempty|wordregex)|status\..*|branch\.sort|tag\.sort|versionsort\..*|grep\..*|blame\.(?!ignorerevsfile$).*|format\.(pretty|date)|i18n\..*|init\.defaultbranch|merge\.(conflictstyle|ff|renames|stat|log|renamelimit)|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|rebase\.(autostash|autosquash|stat|updaterefs|abbreviatecommands)|fetch\.(prune|prunetags|parallel)|rerere\.(enabled|autoupdate)|commit\.(verbose|status|cleanup|gpgsign)|tag\.gpgsign|gc\.auto|maintenance\.auto|protocol\.version|http\.(postbuffer|lowspeedlimit|lowspeedtime|version)|stash\..*|safe\.barerepository|feature\..*|index\.(version|threads)|pack\.(threads|windowmemory)|submodule\.(fetchjobs|recurse)|help\.autocorrect|pager\.[a-z-]+=(true|false))$/;
/** Settings whose value git gives to a shell or starts as a program. */
const PROGRAMS =
  /^(core\.(pager|editor|sshcommand|askpass|fsmonitor|gitproxy|alternaterefscommand)|pager\.[^.]+|sequence\.editor|diff\.external|diff\..*\.(command|textconv)|difftool\..*\.cmd|mergetool\..*\.cmd|merge\..*\.driver|filter\..*\.(clean|smudge|process)|gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand|credential(\..*)?\.helper|man\..*\.cmd|browser\..*\.cmd|interactive\.difffilter|remote\..*\.(uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|sendemail\.(tocmd|cccmd|headercmd|smtpserver)|trailer\..*\.(cmd|command)|submodule\..*\.update|tar\..*\.command|web\.browser|instaweb\..*|notes\.rewritemode|imap\.tunnel)$/;
const HARMLESS_PAGERS = /^(cat|less|more|true|false|)$/;

/** `-c name=value`: what it starts is followed, what is harmless passes, the rest is a change of configuration. */
export function readSetting(into: ReadingBuilder, setting: Word): void {
  const lead = leadOf(setting);
  const at = lead.indexOf('=');
  if (at < 0 && !isKnown(setting)) {
    into.ask('opaque-setting', 'git -c: which setting is not known');
    return;
  }
  const name = (at < 0 ? lead : lead.slice(0, at)).toLowerCase();
  const value: Word = isKnown(setting)
    ? { text: at < 0 ? 'true' : setting.text.slice(at + 1) }
    : { opaque: setting.opaque, lead: lead.slice(at + 1) };
  if (HARMLESS.test(name)) return;
  if (/^alias\./.test(name)) {
    into.effect('config', 'git -c sets an alias', { text: name });
    return;
  }
  if (PROGRAMS.test(name)) {
    if (
      isKnown(value) &&
      ((name !== 'core.fsmonitor' && HARMLESS_PAGERS.test(value.text)) || (name === 'core.fsmonitor' && value.text === 'false'))
    )
      return;
    if (/^(core\.pager|pager\.|filter\.|diff\..*textconv|interactive\.)/.test(name)) into.feeds(value);
    into.start({
      script: isKnown(value) ? { text: value.text.replace(/^!/, '') } : value,
      shell: 'sh',
      via: `git -c ${name}`,
    });
    into.effect('config', `git -c ${name} names a program`, value);
    return;
  }
  into.effect('config', `git -c ${name}`, value);
  if (/^(include|includeif)\b/.test(name)) into.ask('included-config', `git -c ${name} reads more configuration`);
}

/** Values of git's own `-c` and of clone's; other sub-commands have a `-c` of another meaning, which the table calls harmless. */
export const settingsOf = (parsed: Parsed): readonly Word[] =>
  parsed.options.filter(given => given.rule.dangerous && /^(-c|--config)$/.test(given.name)).flatMap(given => given.values);

/** Text of an alias that `-c alias.NAME=…` sets. */
export function aliasOf(settings: readonly Word[], name: string): string | undefined {
  const wanted = `alias.${name.toLowerCase()}=`;
  for (const setting of [...settings].reverse()) {
    if (isKnown(setting) && setting.text.toLowerCase().startsWith(wanted)) return setting.text.slice(wanted.length);
  }
  return undefined;
}

const ASKING = ['--get', '--get-all', '--get-regexp', '--get-urlmatch', '--get-color', '--get-colorbool', '--list', '-l'];
const CHANGING = ['--add', '--replace-all', '--unset', '--unset-all', '--rename-section', '--remove-section', '--edit', '-e'];

const VERBS = /^(list|get|set|unset|rename-section|remove-section|edit)$/;

/** `git config a.b c --list` sets a value. */
function hasLateOption({ invocation, operands }: Parsed): boolean {
  const behind = invocation.argv.slice(invocation.argv.indexOf(operands[0]!) + 1);
  return behind.some(word => leadOf(word).startsWith('-'));
}

/** git config: shows a value, or changes a file that decides what git runs. */
export function gitConfig(parsed: Parsed): void {
  const { into, operands } = parsed;
  for (const setting of settingsOf(parsed)) readSetting(into, setting);
  if (operands.some(word => /extraheader|token|password|passwd|secret|credential\..*\.(?!helper)|cookie/i.test(leadOf(word))))
    into.effect('disclosure', 'shows what git signs in with');
  const verb = operands[0] ? leadOf(operands[0]) : '';
  const isLate = verb !== '' && !VERBS.test(verb) && hasLateOption(parsed);
  const asks =
    !isLate &&
    (parsed.has(...ASKING) ||
      verb === 'get' ||
      verb === 'list' ||
      (!parsed.has(...CHANGING) && operands.length <= 1 && !/^(set|unset|edit)$/.test(verb)));
  if (isLate) into.ask('late-options', 'git config: what stands behind the name of a setting is its value, not an option');
  const file = fileOf(parsed);
  if (asks) {
    into.read(file);
    if (operands[0] && !isKnown(operands[0]) && operands[0].lead === '')
      into.ask('opaque-setting', 'git config: which setting is not known');
    return;
  }
  noteProgram(into, /^(set|add)$/.test(verb) ? operands.slice(1) : operands);
  into.effect('config', 'changes the configuration of git', operands[0]);
  into.read(file);
  into.write(file, { detail: 'git config' });
  into.tag('persistence');
}

/** A setting that names a program for later. */
function noteProgram(into: ReadingBuilder, [key, value]: readonly Word[]): void {
  if (!key || !value || !isKnown(key) || !isKnown(value)) return;
  const alias = /^alias\./i.test(key.text);
  if (alias ? !value.text.startsWith('!') : !PROGRAMS.test(key.text.toLowerCase())) return;
  if (HARMLESS_PAGERS.test(value.text) || (/^[\w-]+$/.test(value.text) && /^credential/i.test(key.text))) return;
  into.start({ script: { text: value.text.replace(/^!/, '') }, shell: 'sh', via: 'git config' });
}

function fileOf(parsed: Parsed): Word {
  const [file] = parsed.values('-f');
  if (file) return file;
  if (parsed.has('--global')) return { text: posix.join(parsed.into.home, '.gitconfig') };
  if (parsed.has('--system')) return { text: '/etc/gitconfig' };
  return { text: '.git/config' };
}

/** git submodule foreach: a script, or the words of one. */
export function gitForeach(parsed: Parsed): void {
  const { operands, into } = parsed;
  for (const setting of settingsOf(parsed)) readSetting(into, setting);
  if (operands.length === 0) return;
  const script: Word = operands.every(isKnown) ? { text: operands.map(leadOf).join(' ') } : { opaque: 'variable', lead: '' };
  // Each submodule is a directory of its own.
  into.start({
    argv: [{ text: 'sh' }, { text: '-c' }, script],
    via: 'git submodule foreach',
    unknownArguments: false,
    cwd: undefined,
  });
}
