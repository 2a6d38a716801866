import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSgrFilter, sgrOnly } from '../../src/output/sgr-only.js';
import { verifies } from '../helpers/verifies.js';

const ESC = '\u001b';

test.each([
  ['text, tabs and line ends', 'a\tb\r\nc é 😀', 'a\tb\r\nc é 😀'],
  ['colours', `${ESC}[1;31mred${ESC}[0m${ESC}[m`, `${ESC}[1;31mred${ESC}[0m${ESC}[m`],
  ['colours with colons', `${ESC}[38:2::255:0:0mx`, `${ESC}[38:2::255:0:0mx`],
])('stay: %s', (_, text, expected) => {
  expect(sgrOnly(text)).toBe(expected);
});

test.each([
  ['cursor movement', `a${ESC}[2A${ESC}[10;10Hb`],
  ['erasing', `a${ESC}[2J${ESC}[Kb`],
  ['a title', `a${ESC}]0;owned\u0007b`],
  ['a title that ends the other way', `a${ESC}]2;owned${ESC}\\b`],
  ['the clipboard', `a${ESC}]52;c;ZXZpbA==\u0007b`],
  ['a hyperlink', `a${ESC}]8;;http://evil\u0007${ESC}]8;;\u0007b`],
  ['a device string', `a${ESC}P$q"p${ESC}\\b`],
  ['private, application and message strings', `a${ESC}X1${ESC}\\${ESC}^2${ESC}\\${ESC}_3${ESC}\\b`],
  ['queries, whose answers a terminal types', `a${ESC}[6n${ESC}[c${ESC}[>q${ESC}Zb`],
  ['private modes that end in m', `a${ESC}[>4;1m${ESC}[?1mb`],
  ['other screens and mouse reports', `a${ESC}[?1049h${ESC}[?1000hb`],
  ['short sequences', `a${ESC}7${ESC}8${ESC}(B${ESC}#8${ESC}cb`],
  ['bell, backspace, form feed, NUL', 'a\u0007\u0008\u000c\u0000\u007fb'],
  ['the same sequences in their one-character form', 'a\u009b2J\u009d0;owned\u009c\u0090x\u009cb'],
  ['a string that a cancel ends', `a${ESC}]0;owned\u0018b`],
])('go: %s', (_, text) => {
  verifies('P12');
  expect(sgrOnly(text)).toBe('ab');
});

test('a string that never ends hides what follows until it ends', () => {
  const filter = createSgrFilter();
  expect(filter.write(`a${ESC}]0;x`)).toBe('a');
  expect(filter.write('still')).toBe('');
  expect(filter.write(`${ESC}`)).toBe('');
  expect(filter.write('\\b')).toBe('b');
  expect(filter.write(`c${ESC}[3`)).toBe('c');
  filter.end();
  expect(filter.write('1md')).toBe('1md'); // the filter starts anew
});

test('what begins like a sequence but is none loses its escape only', () => {
  expect(sgrOnly(`${ESC}[31é`)).toBe('[31é');
  const long = `${ESC}[${'1;'.repeat(400)}`;
  const filter = createSgrFilter();
  expect(filter.write(long)).not.toContain(ESC);
  expect(filter.write('x')).toBe('x');
});

const PIECE = fc.constantFrom(
  ESC,
  '[',
  ']',
  '0',
  ';',
  '31',
  'm',
  'J',
  '\u0007',
  '\\',
  'P',
  '?',
  '>',
  '(',
  'a',
  'é',
  '\n',
  '\u009b',
  '\u009c',
  '\u0018',
  ' ',
);
const SOUP = fc.array(PIECE, { maxLength: 60 }).map(parts => parts.join(''));

test('whatever comes, only plain text and colours come out', () => {
  verifies('P12');
  fc.assert(
    fc.property(SOUP, text => {
      const shown = sgrOnly(text).replace(/(?:\u001b\[|\u009b)[\d;:]*m/g, '');
      expect(shown).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
    }),
    { numRuns: 1_000 },
  );
});

test('in pieces it comes to the same as whole', () => {
  fc.assert(
    fc.property(SOUP, fc.array(fc.integer({ min: 1, max: 5 })), (text, sizes) => {
      const filter = createSgrFilter();
      let shown = '';
      let at = 0;
      for (const size of sizes) {
        shown += filter.write(text.slice(at, at + size));
        at += size;
      }
      shown += filter.write(text.slice(at));
      expect(shown).toBe(sgrOnly(text));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['escapes', ESC.repeat(1_000_000)],
  ['sequences that never end', `${ESC}[1`.repeat(300_000)],
  ['strings that never end', `${ESC}]`.repeat(500_000)],
  ['parameters without end', `${ESC}[${'1;'.repeat(500_000)}`],
  ['intermediates without end', `${ESC}${' '.repeat(1_000_000)}`],
])('a megabyte of %s costs linear time', (_, text) => {
  const before = process.cpuUsage();
  sgrOnly(text);
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(2_000);
});
