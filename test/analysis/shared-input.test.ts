import { describe, expect, test } from 'vitest';
import { specs } from '../../src/analysis/specs/index.js';
import { analyze, line } from './analyzing.js';

const DOCUMENT = "<<'A'\ncat <<'B'\nevil\nB\nA";

async function seen(text: string): Promise<{ programs: string[]; asks: boolean }> {
  const analysis = await analyze(text, { specs });
  return { programs: analysis.programs.map(line), asks: analysis.programs.some(({ opaque }) => opaque.length > 0) };
}

describe('input that several commands share', () => {
  // Who reads a line of it leaves another script to the shell behind: `evil` runs here, and only `cat` stands in the text.
  test.each([
    `{ head -n1; bash; } ${DOCUMENT}`,
    `{ read -r x; bash; } ${DOCUMENT}`,
    `while read -r x; do bash; done ${DOCUMENT}`,
    `f() { head -n1; bash; }; f ${DOCUMENT}`,
    `( head -n1; sh ) ${DOCUMENT}`,
    `if head -n1; then bash; fi ${DOCUMENT}`,
    `{ env cat; bash; } ${DOCUMENT}`,
    `{ head -c 8 <&0; bash; } ${DOCUMENT}`,
    `{ read x < /dev/stdin; bash; } ${DOCUMENT}`,
    `{ bash & head -c 8; } ${DOCUMENT}`,
    `{ echo $(read x); bash; } ${DOCUMENT}`,
    `select x in a; do bash; break; done ${DOCUMENT}`,
  ])('asks once something may have read from it: %j', async text => {
    expect((await seen(text)).asks).toBe(true);
  });

  test.each([
    '{ bash; } <<< evil',
    '{ :; bash; } <<< evil',
    'cd src; { echo a; bash; } <<< evil',
    'f() { bash; }; f <<< evil',
    'while true; do sh; break; done <<< evil',
    'bash 3<<E <&3\nevil\nE',
    'echo evil | tee >(sh)',
    'echo evil > >(sh)',
    'tee x <<< evil | sh',
    'cat - <<< evil | head -5 | sh',
    'f() { echo evil; }; f | sh',
  ])('is followed where nothing has: %j', async text => {
    expect((await seen(text)).programs).toContain('evil');
  });

  test.each([
    "bash <<'A'\nread x\ncat <<'B'\nevil\nB\nA",
    "sh <<'A'\nhead -c 8\ncat <<'B'\nevil\nB\nA",
    "bash <<'A'\nbash -c 'read x'\ncat <<'B'\nevil\nB\nA",
    "bash <<'A'\nif true; then read x; fi\ncat <<'B'\nevil\nB\nA",
    "printf 'read x\\ncat <<B\\nevil\\nB\\n' | bash",
  ])('a script on the input of its own shell may be read on by what it starts: %j', async text => {
    expect((await analyze(text, { specs })).opaque.map(({ code }) => code)).toContain('reads-script');
  });

  test.each([
    "bash <<'A'\necho a\nls src\ncat f\nA",
    "bash <<'A'\nset -e\ngit status\necho done\nA",
    "bash <<'A'\nf() { echo a; }\nf\necho b\nA",
    "bash -c 'read x; cat f'",
  ])('which is nothing where nothing of it reads: %j', async text => {
    expect((await analyze(text, { specs })).opaque.map(({ code }) => code)).not.toContain('reads-script');
  });

  test('functions that print each other come to an end', async () => {
    const functions = Array.from({ length: 40 }, (_, index) => `f${index}() { f${index + 1}; f${index + 1}; }`).join('; ');
    const started = performance.now();
    await analyze(`${functions}; f40() { echo a; }; f0 | sh`, { specs });
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
