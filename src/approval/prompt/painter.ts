import { width } from './text-layout.js';
import type { Tty } from './tty.js';

/** What must catch the eye. The drawing means the same without it (NO_COLOR). */
const STYLES: readonly (readonly [what: RegExp, sgr: string])[] = [
  [/(?<=^[┌│] .*)HIGH: .*/, '1;31'],
  [/(?<=^│ )! .*/, '33'],
  [/(?<=^│ [$>] ).*/, '1'],
];

function styled(line: string): string {
  if (process.env['NO_COLOR']) return line;
  const style = STYLES.find(([what]) => what.test(line));
  return style ? line.replace(style[0], found => `\x1b[${style[1]}m${found}\x1b[0m`) : line;
}

/** Draws the same few lines over and over in one place of the terminal. */
export interface Painter {
  /** Replace what was drawn before. The cursor stays behind the last line. */
  paint(lines: readonly string[]): void;
  /** The cursor was moved below the drawing, to the start of the next line: count that line in. */
  enterLineBelow(): void;
}

export function createPainter(tty: Pick<Tty, 'columns' | 'write'>): Painter {
  let drawn: readonly string[] = [];
  return {
    paint(lines) {
      // Counted at the present width: a terminal that became narrower has broken the lines that no longer fit.
      const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(width(line) / tty.columns)), 0);
      const up = rows > 1 ? `\x1b[${rows - 1}A` : '';
      tty.write(`\r${up}\x1b[J${lines.map(styled).join('\r\n')}`);
      drawn = lines;
    },
    enterLineBelow() {
      tty.write('\r\n');
      drawn = [...drawn, ''];
    },
  };
}
