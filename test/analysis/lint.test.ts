import { describe, expect, test } from 'vitest';
import { lint } from '../../src/analysis/lint.js';
import { verifies } from '../helpers/verifies.js';

const codes = (text: string): string[] => lint(text).map(({ code }) => code);

describe('text that does not show what it is', () => {
  test.each([
    ['echo a \u202e# live', 'bidi-character'],
    ['echo \u2066a\u2069; evil', 'bidi-character'],
    ['ec\u200bho a', 'invisible-character'],
    ['a\ufeffb', 'invisible-character'],
    ['echo a\r; evil', 'control-character'],
    ['echo \u001b[2K', 'control-character'],
    ['echo \u009b2K', 'control-character'],
    ['\u0435vil', 'confusable'],
    ['l\u0455 -la', 'confusable'],
    ['echo\u00a0a', 'unusual-space'],
    ['echo\u2800a', 'unusual-space'],
    ['echo \ud800', 'broken-text'],
    [`echo a${' '.repeat(500)}; evil`, 'padding'],
    [`echo a${'\n'.repeat(100)}evil`, 'padding'],
    ['a'.repeat(70_000), 'long-text'],
    ['a\u{e0041}', 'invisible-character'],
  ])('%j: %s', (text, code) => {
    verifies('P3');
    expect(codes(text)).toContain(code);
  });

  test.each([
    'echo a',
    'a\n\tb',
    "echo 'grüße, 日本語, déjà vu'",
    'git commit -m "✨ done ✔️ 👩‍💻"',
    "echo 'привет мир'",
    'echo "ﾃｽﾄ"',
  ])('nothing to say of %j', text => {
    expect(codes(text)).toEqual([]);
  });
});
