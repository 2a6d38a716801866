import stringWidth from 'fast-string-width';

const ASCII = /^[\x20-\x7e]*$/;

/** Terminal cells that a text of one line takes: wide characters two, accents none. */
export function width(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** Cut to at most `cells`, with `…` where something is missing. */
export function clip(text: string, cells: number): string {
  return width(text) <= cells ? text : `${takeCells(text, Math.max(0, cells - 1))}…`;
}

export function padEnd(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - width(text)));
}

/** Break one line into pieces of at most `cells`, wherever the edge falls: nothing is lost and no blank is moved. */
export function hardWrap(line: string, cells: number): string[] {
  const pieces: string[] = [];
  let rest = line;
  for (;;) {
    const piece = takeCells(rest, cells) || String.fromCodePoint(rest.codePointAt(0) ?? 0x20);
    if (piece.length >= rest.length) return [...pieces, rest];
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
}

/** Break at blanks; a word that is longer than a line is broken where the edge falls. */
export function wordWrap(text: string, cells: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (width(longer) <= cells) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = hardWrap(word, cells);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1)!;
  }
  return [...lines, line];
}

/** Items side by side, as many to a line as fit. */
export function flow(items: readonly string[], gap: string, cells: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const item of items.flatMap(each => wordWrap(each, cells))) {
    const longer = line === '' ? item : line + gap + item;
    if (line !== '' && width(longer) > cells) {
      lines.push(line);
      line = item;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

/** The longest beginning that fits. */
function takeCells(text: string, cells: number): string {
  if (ASCII.test(text.slice(0, cells + 1))) return text.slice(0, cells);
  let taken = '';
  let used = 0;
  for (const character of text) {
    used += width(character);
    if (used > cells) break;
    taken += character;
  }
  return taken;
}
