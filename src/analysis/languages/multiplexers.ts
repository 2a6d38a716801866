import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { joined } from '../specs/starting.js';
import { splitWords } from '../specs/words.js';

const LOOKS =
  /^(ls|list-\w+|lsw|lsp|lsc|lsk|has|has-session|info|show-options|show|show-environment|display-message|start-server)$/;
const STARTS =
  /^(new|new-session|neww|new-window|splitw|split-window|respawn-pane|respawnp|respawn-window|respawnw|run-shell|run|if-shell|if|pipe-pane|pipep|display-popup|popup|confirm-before|confirm)$/;
/** tmux runs these of its own commands in place of others. */
const MOST_NESTED = 4;

/** tmux: sub-commands that look, those that run, and keys typed to another program. */
export function tmux(parsed: Parsed): void {
  const { into, operands } = parsed;
  if (operands.length === 0) {
    if (!parsed.has('-V', '-v', '--version', '-h', '-c')) into.ask('interactive', `${into.program}: an interactive program`);
    return;
  }
  const list = cut(operands);
  if (list.length > 1) into.ask('tmux-list', 'tmux: several of its commands');
  for (const command of list) tmuxCommand(parsed, command, 0);
}

/** Its commands are apart by words that are, or end with, a semicolon. */
function cut(words: readonly Word[]): readonly (readonly Word[])[] {
  const list: Word[][] = [[]];
  for (const word of words) {
    const ends = isKnown(word) && /(^|[^\\]);$/.test(word.text);
    const kept = ends ? { text: word.text.slice(0, -1) } : word;
    if (leadOf(kept) !== '' || !isKnown(kept)) list.at(-1)!.push(kept);
    if (ends) list.push([]);
  }
  // A semicolon at the very end is one all the same.
  return list.filter((command, index) => command.length > 0 || index === list.length - 1);
}

function tmuxCommand(parsed: Parsed, [verb, ...rest]: readonly Word[], depth: number): void {
  const { into } = parsed;
  if (!verb) return;
  const name = leadOf(verb);
  if (LOOKS.test(name)) {
    if (rest.some(word => /#\(/.test(leadOf(word)) || !isKnown(word))) into.ask('tmux-format', 'tmux: a format may run programs');
    return;
  }
  if (/^(capture-pane|capturep)$/.test(name)) return;
  if (/^kill-/.test(name)) {
    into.tag('kill');
    into.effect('process', `tmux ${name}`);
    return;
  }
  into.effect('process', `tmux ${name} acts outside of this session`);
  if (/^(send-keys|send|paste-buffer|pasteb)$/.test(name)) {
    into.ask('typed-keys', 'tmux: keys typed to another program');
    typed(parsed, rest);
  } else if (STARTS.test(name)) runs(parsed, { name, words: rest, depth });
  else into.ask('tmux-command', `tmux ${name}: not described`);
}

/** Keys that end with Enter are a line to whatever reads them, which may be a shell. */
function typed({ into }: Parsed, words: readonly Word[]): void {
  const keys = withoutOptions(words, /^-[a-zA-Z]*[tN]$/);
  const end = keys.findIndex(word => /^(Enter|C-m|C-j|KPEnter)$/i.test(leadOf(word)));
  const line = keys.slice(0, end < 0 ? keys.length : end);
  if (end > 0) into.start({ script: joined(line), shell: 'sh', via: 'tmux send-keys' });
}

function withoutOptions(words: readonly Word[], takesValue: RegExp): readonly Word[] {
  let at = 0;
  while (at < words.length && leadOf(words[at]!).startsWith('-')) at += takesValue.test(leadOf(words[at]!)) ? 2 : 1;
  return words.slice(at);
}

/** What stands behind the options of a tmux command is a shell script, or the words of a program. */
function runs(parsed: Parsed, { name, words, depth }: { name: string; words: readonly Word[]; depth: number }): void {
  const { into } = parsed;
  const takesValue = /popup/.test(name) ? /^-[a-zA-Z]*[bcdehsStTwxy]$/ : /^-[a-zA-Z]*[cnstFxyelpT]$/;
  const command = withoutOptions(words, takesValue);
  const own = /^(if|confirm)/.test(name);
  if (command.length === 0) into.ask('interactive', 'tmux: a shell outside of this session');
  else if (command.length === 1 || own) into.start({ script: command[0]!, shell: 'sh', via: 'tmux' });
  else into.start({ argv: command, via: 'tmux', unknownArguments: false });
  if (!own || depth >= MOST_NESTED) return;
  // `if-shell SCRIPT COMMAND COMMAND`: the others are commands of tmux.
  for (const text of name.startsWith('confirm') ? command : command.slice(1)) {
    const inner = isKnown(text) ? splitWords(text.text) : undefined;
    if (inner) for (const one of cut(inner.map(word => ({ text: word })))) tmuxCommand(parsed, one, depth + 1);
  }
}

/** screen: a program, or with -X a command to a screen that runs. */
export function screen(parsed: Parsed): void {
  const { into, operands } = parsed;
  if (parsed.has('-ls', '-list', '-v', '--version', '-h', '--help') || parsed.has('-wipe')) return;
  const [verb, ...rest] = operands;
  if (!parsed.has('-X')) {
    if (parsed.has('-r', '-R', '-x') || operands.length === 0) into.ask('interactive', 'screen: an interactive program');
    else into.start({ argv: operands, via: 'screen', unknownArguments: false });
    into.effect('process', 'screen starts or joins a session of its own');
    return;
  }
  into.ask('screen-command', 'screen -X: commands to another session');
  const argv = verb && /^(exec|screen)$/.test(leadOf(verb)) ? rest.filter(word => !/^[.!|:]+$/.test(leadOf(word))) : [];
  if (argv.length > 0) into.start({ argv, via: 'screen -X', unknownArguments: false });
  if (verb && leadOf(verb) === 'stuff' && rest[0])
    into.start({
      script: { text: leadOf(rest[0]).replace(/(?:\^M|\\[nr]|\\015|\r|\n)+$/, '') },
      shell: 'sh',
      via: 'screen -X stuff',
    });
}
