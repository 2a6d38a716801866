import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayForm, oneLine } from '../../src/approval/display.js';
import { verifies } from '../helpers/verifies.js';

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'ls -la/home "$x"|;&\n\t  '),
    fc.constantFrom(
      '\x1b',
      '\x07',
      '\u202e',
      '\u200b',
      '\u00a0',
      '\u0430',
      '\ud800',
      '\u0301',
      '\ufeff',
      '\u2028',
      '世',
      'é',
      '\u{e0041}',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 60,
});

/** What a terminal acts on, shows as nothing, or turns around. */
const UNSAFE = /[\x00-\x09\x0b-\x1f\x7f-\x9f\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00a0\u2800\u3164]|\ufe0f/u;

describe('the form that a person may trust', () => {
  test('holds nothing that a terminal would act on or hide, whatever the text', () => {
    verifies('P4');
    fc.assert(
      fc.property(text, each => {
        expect(displayForm(each).text).not.toMatch(UNSAFE);
      }),
      { numRuns: 1_000 },
    );
  });

  test('warns exactly where it shows something else than the text', () => {
    fc.assert(
      fc.property(text, each => {
        const { text: shown, warnings } = displayForm(each);
        const aboutHosts = warnings.filter(warning => warning.startsWith('host '));
        expect(warnings.length > aboutHosts.length).toBe(shown !== each);
      }),
      { numRuns: 1_000 },
    );
  });

  test('of plain ASCII without long stretches of blanks is the text itself', () => {
    const plain = fc.array(fc.stringMatching(/^[!-~]{1,12}$/), { maxLength: 20 }).map(words => words.join(' '));
    fc.assert(
      fc.property(plain, each => {
        expect(displayForm(each).text).toBe(each);
      }),
    );
  });

  test('in one line has one line', () => {
    fc.assert(
      fc.property(text, each => {
        expect(oneLine(each)).not.toContain('\n');
      }),
    );
  });
});

describe('shows what would deceive', () => {
  const shown: readonly [string, string, string, RegExp][] = [
    ['a right-to-left override', 'cat \u202egpj.exe', 'cat <U+202E>gpj.exe', /^1 hidden character: <U\+202E> at 4$/],
    ['an escape sequence', 'echo \x1b[2K', 'echo <U+001B>[2K', /^1 control character: <U\+001B> at 5$/],
    ['a carriage return', 'rm -rf ~\rls', 'rm -rf ~<U+000D>ls', /1 control character/],
    ['a backspace', 'rm\b\bls', 'rm<U+0008><U+0008>ls', /2 control characters/],
    ['a tab', 'a\tb', 'a<U+0009>b', /1 control character/],
    ['a zero-width space', 'l\u200bs', 'l<U+200B>s', /1 hidden character/],
    ['a no-break space', 'rm\u00a0-rf', 'rm<U+00A0>-rf', /1 blank that is no space/],
    ['a line separator', 'ls\u2028rm x', 'ls<U+2028>rm x', /blank that is no space/],
    ['a Cyrillic letter among Latin ones', 'p\u0430ypal.com', 'p<U+0430>ypal.com', /1 look-alike character: <U\+0430> at 1/],
    ['a word of nothing but look-alikes', '\u0441\u0440', '<U+0441><U+0440>', /2 look-alike characters/],
    ['a full-width semicolon', 'echo a\uff1brm', 'echo a<U+FF1B>rm', /look-alike/],
    ['a typographic hyphen', 'rm \u2010rf', 'rm <U+2010>rf', /look-alike/],
    ['an en dash', 'rm \u2013rf', 'rm <U+2013>rf', /1 look-alike character/],
    ['an em dash', 'git push \u2014force', 'git push <U+2014>force', /look-alike/],
    ['a superscript minus', 'rm \u207brf', 'rm <U+207B>rf', /look-alike/],
    ['a ligature', '\ufb01nd .', '<U+FB01>nd .', /look-alike/],
    ['an ellipsis', 'git diff a\u2026b', 'git diff a<U+2026>b', /look-alike/],
    ['an angle quotation mark', 'cat a \u203ab', 'cat a <U+203A>b', /look-alike/],
    ['a lone surrogate', 'a\ud800', 'a<U+D800>', /hidden/],
    ['a tag character', 'a\u{e0041}', 'a<U+E0041>', /hidden/],
    ['letters under a pile of accents', 'a\u0301\u0302\u0303', 'a\u0301\u0302<U+0303>', /1 stray accent/],
    ['a letter crossed out', 'a\u0336', 'a<U+0336>', /1 stray accent/],
    ['padding that pushes the rest away', `ls${' '.repeat(200)}; rm x`, 'ls<U+0020 x200>; rm x', /1 stretch of padding/],
    ['lines that push the rest away', `ls${'\n'.repeat(50)}rm x`, 'ls<U+000A x50>\nrm x', /1 stretch of padding/],
  ];
  test.each(shown)('%s', (_name, given, form, warning) => {
    verifies('P4');
    const display = displayForm(given);
    expect(display.text).toBe(form);
    expect(display.warnings).toEqual([expect.stringMatching(warning)]);
  });

  test('every dash, quote and blank that Unicode knows', () => {
    const plain = new Set([' ', '-', '"', "'"]);
    const all = Array.from({ length: 0x11000 }, (_, code) => (code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code)));
    const classed = all.filter(each => /^[\p{Pd}\p{Pi}\p{Pf}\p{Zs}\p{Zl}\p{Zp}]$/u.test(each) && !plain.has(each));
    expect(classed.length).toBeGreaterThan(60);
    expect(classed.filter(each => displayForm(`rm ${each}x`).text.includes(each))).toEqual([]);
  });

  test('look-alikes with something hidden among them, which is no letter of another script', () => {
    expect(displayForm('\u0441\u0440\u200b').text).toBe('<U+0441><U+0440><U+200B>');
  });

  test('a host in punycode is said in letters', () => {
    const { warnings } = displayForm('curl https://xn--pypal-4ve.com/x');
    expect(warnings).toEqual(['host xn--pypal-4ve.com stands for p<U+0430>ypal.com']);
  });

  test('many of one kind: the first three places', () => {
    const { warnings } = displayForm('a\x01b\x02c\x03d\x04e\x05');
    expect(warnings).toEqual(['5 control characters: <U+0001> at 1, <U+0002> at 3, <U+0003> at 5 and 2 more']);
  });
});

describe('leaves alone what people write', () => {
  test.each([
    'grep Привет x',
    'echo 世界。',
    'git commit -m "café"',
    'echo 안녕하세요',
    "sed 's/a/b/'\nls",
    'echo 1²',
    'echo קו־מפריד',
    'yapılan iş',
    'printf "a    b"',
  ])('%s', given => expect(displayForm(given)).toEqual({ text: given, warnings: [] }));
});

test('four million characters of the worst kind take no more than a moment', () => {
  const started = performance.now();
  displayForm('\u202e\x1b\u0430'.repeat(1_300_000));
  expect(performance.now() - started).toBeLessThan(8_000);
});
