import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';

// Programs that start another one. Their tables ask in any case; what is found here is for the rules that forbid it.

const startWords = (parsed: Parsed, argv: readonly Word[], { elsewhere = false } = {}): void => {
  if (argv.length > 0) parsed.into.start({ argv, via: parsed.path.join(' '), unknownArguments: false, elsewhere });
};

const startText = (parsed: Parsed, text: string, { elsewhere = false } = {}): void => {
  if (text.trim() !== '') parsed.into.start({ script: { text }, shell: 'sh', via: parsed.path.join(' '), elsewhere });
};

/** What stands behind `--`; undefined: there are none. */
function behind(words: readonly Word[]): readonly Word[] | undefined {
  const at = words.findIndex(word => isKnown(word) && word.text === '--');
  return at < 0 ? undefined : words.slice(at + 1);
}

/** Without dashes the command stands behind so many operands; others take a command only behind dashes. */
const DIRECT: Readonly<Record<string, number>> = {
  'env-cmd': 0,
  dotenv: 0,
  esy: 0,
  pkgx: 0,
  summon: 0,
  envconsul: 0,
  envchain: 1,
};

/** `onchange GLOB -- COMMAND`, `chruby-exec VERSION -- COMMAND`, `env-cmd COMMAND`. */
export function behindDashes(parsed: Parsed): void {
  if (parsed.path.length > 1) return;
  const words = behind(parsed.invocation.argv);
  const skipped = DIRECT[parsed.into.program];
  if (words) startWords(parsed, words);
  else if (skipped !== undefined) startWords(parsed, parsed.operands.slice(skipped));
}

/** `aws-vault exec PROFILE COMMAND`, `doppler run -- COMMAND`, `dotenv run COMMAND`. */
export function secretRunner(parsed: Parsed): void {
  const named = /^(aws-vault|gopass|chamber)$/.test(parsed.into.program) ? 1 : 0;
  startWords(parsed, behind(parsed.invocation.argv) ?? parsed.operands.slice(named));
}

/** `distrobox enter NAME -- COMMAND`, `toolbox run COMMAND`. */
export function containerShell(parsed: Parsed): void {
  const direct = parsed.path[1] !== 'run' ? [] : parsed.operands.slice(parsed.into.program === 'dokku' ? 1 : 0);
  const words = behind(parsed.invocation.argv) ?? direct;
  startWords(parsed, words, { elsewhere: true });
}

/** Terminals and their kin: one word behind `-e` may be a command line, several are one program's. */
export function terminal(parsed: Parsed): void {
  const words = parsed.values('-e', '-x', '--command', '--execute', '--exec');
  const [only, ...more] = words;
  if (only && more.length === 0) parsed.into.start({ script: only, shell: 'sh', via: parsed.path.join(' ') });
  else startWords(parsed, words);
}

/** `n exec VERSION COMMAND`, `rvm [VERSION] do COMMAND`. */
export function versionWords(parsed: Parsed): void {
  const words = parsed.invocation.argv.slice(1);
  const at = words.findIndex(word => /^(exec|run|as|use|do|x)$/.test(leadOf(word)));
  if (at < 0) return;
  const versioned = parsed.into.program === 'n';
  startWords(parsed, words.slice(at + (versioned ? 2 : 1)));
}

/** `rofi -modi NAME:SCRIPT,NAME:SCRIPT`. */
export function rofiModes(parsed: Parsed): void {
  for (const list of parsed.values('-modi', '-modes'))
    for (const mode of leadOf(list).split(',')) if (mode.includes(':')) startText(parsed, mode.slice(mode.indexOf(':') + 1));
}

const FUZZY_ACTION =
  /\b(?:execute(?:-silent|-multi)?|become|reload(?:-sync)?|transform[\w-]*|(?:change-)?preview)(?::(.*)|\((.*?)\)|\[(.*?)\]|\{(.*?)\}|<(.*?)>)/gs;

/** `fzf --bind KEY:execute(SCRIPT)`. */
export function fuzzyBindings(parsed: Parsed): void {
  for (const binding of parsed.values('--bind'))
    for (const [, ...forms] of leadOf(binding).matchAll(FUZZY_ACTION))
      startText(parsed, forms.find(form => form !== undefined) ?? '');
}

/** `sshfs -o ssh_command=SCRIPT`. */
export function mountOptions(parsed: Parsed): void {
  for (const option of parsed.values('-o')) {
    const command = /(?:^|,)(?:ssh_command|sftp_server|proxycommand)=(.*)$/is.exec(leadOf(option));
    if (command) startText(parsed, command[1]!);
  }
}

/** `salt TARGET cmd.run SCRIPT`. */
export function salt(parsed: Parsed): void {
  const at = parsed.operands.findIndex(word => /^cmd\.(run|shell|exec_code|powershell|retcode|script)/.test(leadOf(word)));
  const script = at < 0 ? undefined : parsed.operands[at + 1];
  if (script) startText(parsed, leadOf(script), { elsewhere: true });
}

const RESOURCE = /\bexec\s*\{\s*(?:"([^"]*)"|'([^']*)')|\b(?:execute|bash|command)\s*\(?\s*(?:"([^"]*)"|'([^']*)')/g;

/** Manifests of puppet and chef: the commands they plainly name. */
export function manifest(parsed: Parsed): void {
  for (const code of parsed.values('-e'))
    for (const [, ...forms] of leadOf(code).matchAll(RESOURCE)) startText(parsed, forms.find(form => form !== undefined) ?? '');
}

/** lldb's own commands that go to a shell. */
export function lldb(parsed: Parsed): void {
  for (const command of parsed.values('-o', '-O', '--one-line', '--one-line-before-file')) {
    const shell = /^\s*(?:platform\s+)?sh(?:ell)?\s+(?:-h\s+)?(.*)$/s.exec(leadOf(command));
    if (shell) startText(parsed, shell[1]!);
  }
}

const RUNS_TEXT = /^(?:(?:ansible\.(?:builtin|windows)\.)?(?:win_)?(?:command|shell|raw|expect))$/;

/** `ansible HOSTS -m shell -a SCRIPT`; without a module it is a command. */
export function ansible(parsed: Parsed): void {
  const [module] = parsed.values('-m');
  if (module && !RUNS_TEXT.test(leadOf(module))) return;
  for (const text of parsed.values('-a')) startText(parsed, leadOf(text), { elsewhere: true });
}

/** `nvm exec [VERSION] COMMAND`, `fnm exec [--using VERSION] [--] COMMAND`. */
export function versionExec(parsed: Parsed): void {
  const [first, ...rest] = parsed.operands;
  const versioned = parsed.into.program === 'nvm' && first !== undefined && NODE_VERSION.test(leadOf(first));
  startWords(parsed, versioned ? rest : parsed.operands);
}

const NODE_VERSION = /^(?:v?\d[\d.]*|(?:lts|iojs|node|stable|system|default)(?:\/.*)?)$/;

/** `corepack yarn …` is yarn. */
export function corepack(parsed: Parsed): void {
  startWords(parsed, [{ text: parsed.path[1]! }, ...parsed.operands]);
}
