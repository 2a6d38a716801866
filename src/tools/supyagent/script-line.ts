/** Shells that take a whole script as one word; the analysis reads what stands in it. */
const SHELLS = /^(?:sh|bash|dash|ash|ksh|mksh|zsh)$/;
/** Interpreters that open their file by its real name, which a descriptor does not have. */
const BY_NAME = /^(?:node|nodejs|deno|bun)/;
/** The kernel takes at most 128 KiB as one word. */
const WORD_BYTES = 100_000;

/**
 * The command line that runs a script. The script is part of the line, so it is what is judged, what a person is shown
 * and what runs; no file stands between. Its own stdin is empty wherever the interpreter allows it: as one word for a
 * shell, on descriptor 3 for others; an interpreter with arguments of its own reads it from stdin (S1-17).
 */
export function scriptLine(script: string, interpreter: string, quote: (argv: readonly string[]) => string): string {
  const words = interpreter.trim().split(/\s+/);
  const program = words[0] ?? '';
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (words.length === 1 && SHELLS.test(name)) {
    const line = quote([program, '-c', script]);
    if (Buffer.byteLength(line) < WORD_BYTES) return line;
  }
  const onStdin = words.length > 1 || BY_NAME.test(name);
  const end = delimiterFor(script);
  const text = script.endsWith('\n') ? script : `${script}\n`;
  return `${quote(words)} ${onStdin ? '' : '/dev/fd/3 3'}<<'${end}'\n${text}${end}\n`;
}

/** The same script always gives the same line, so that a remembered answer finds it again. */
function delimiterFor(script: string): string {
  const lines = new Set(script.split('\n'));
  let end = 'END_OF_SCRIPT';
  for (let count = 2; lines.has(end); count += 1) end = `END_OF_SCRIPT_${count}`;
  return end;
}
