import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { noteCalls } from './code-calls.js';

// Debuggers and editors: commands of their own in options, some of which go to a shell.

/** gdb --args PROGRAM ARGUMENTS; what its commands give to a shell is followed. */
export function gdb(parsed: Parsed): void {
  if (parsed.has('--args', '-args')) startArguments(parsed);
  for (const command of parsed.values('-ex', '-iex', '-eval-command', '-init-eval-command')) {
    const code = isKnown(command) ? /^\s*(?:python|py|pi|python-interactive)\s+(.*)$/s.exec(command.text) : undefined;
    if (code) noteCalls(parsed.into, { text: code[1]! }, 'python');
    const shell = isKnown(command) ? /^\s*(?:!|shell\s|make\s)\s*(.*)$/s.exec(command.text) : undefined;
    if (shell) parsed.into.start({ script: { text: shell[1]! }, shell: 'sh', via: 'gdb shell' });
  }
}

function startArguments({ into, operands }: Parsed): void {
  if (operands.length > 0) into.start({ argv: operands, via: 'gdb --args', unknownArguments: false });
}

/** expect: a plain `spawn` in its script is followed. */
export function expect(parsed: Parsed): void {
  for (const text of parsed.values('-c')) {
    if (!isKnown(text)) continue;
    for (const [, words] of text.text.matchAll(/(?:^|[;\n])\s*(?:spawn|exec|system)\s+(?:-\w+\s+)*([^;\n]+)/g))
      parsed.into.start({ script: { text: words! }, shell: 'sh', via: 'expect spawn' });
  }
}

/** Behind these stands a command of the editor. */
const EXECUTES = /^(?:-c|--cmd|-S|-[a-zA-Z]*c)$/;
const BANG = /^(?:silent!?\s+)?(?:exe(?:cute)?\s+["'])?[%\d,.$'<>]*(?:r|re|read|w|write)?\s*!+\s*(.+)$/s;

/** What an editor's own command gives to a shell. */
function shellOf(command: string, { into }: Parsed): string | undefined {
  const code = /^(lua|luado|python3?|py3?|pyx|perl|ruby)\s+(.*)$/s.exec(command);
  if (code) noteCalls(into, { text: code[2]! }, code[1]!.startsWith('py') ? 'python' : code[1]!.replace(/do$/, ''));
  return (
    BANG.exec(command)?.[1] ??
    /^ter(?:m(?:i(?:n(?:al?)?)?)?)?!?\s+(?:\+\+\S+\s+)*(.+)$/s.exec(command)?.[1] ??
    /\b(?:system|systemlist|termopen|jobstart|job_start|term_start)\(\s*[[{]?\s*(["'])(.*?)\1/s.exec(command)?.[2]
  );
}

/** Editors: `:!COMMAND` in an option or behind `+` goes to a shell. */
export function editor(parsed: Parsed): void {
  for (const [at, word] of parsed.invocation.argv.slice(1).entries()) {
    if (!isKnown(word)) continue;
    if (/^(?:-[a-z]*|--eval=|--execute=)?\(/.test(word.text)) noteCalls(parsed.into, word, 'emacs');
    const command = /^(?:\+|-c|--cmd=?)?:?([\s\S]*)$/.exec(word.text)![1]!;
    // A word that is neither an option nor behind one is a file, unless it begins like a command of the editor.
    const given = command !== word.text || EXECUTES.test(leadOf(parsed.invocation.argv[at]!));
    const script = given ? shellOf(command, parsed) : undefined;
    if (script === undefined) continue;
    parsed.into.ask('editor-shell', `${parsed.into.program}: runs a program`);
    parsed.into.start({ script: { text: script.replace(/\|\s*q!?$/, '') }, shell: 'sh', via: parsed.into.program });
  }
}
