import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptLine } from '../../src/tools/supyagent/script-line.js';
import { verifies } from '../helpers/verifies.js';
import { bench } from './place.js';

const quote = (argv: readonly string[]) => argv.map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
const bash = (line: string) => execFileSync('/bin/bash', ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const ended = (script: string) => (script.endsWith('\n') ? script : `${script}\n`);

/** What shells stumble over, in any order. */
const scripts = fc
  .array(
    fc.constantFrom(
      "'",
      '"',
      '\\',
      '$x',
      '`',
      '$(y)',
      '\n',
      'END_OF_SCRIPT',
      'END_OF_SCRIPT_2',
      ' ',
      '<<E',
      '!',
      '\t',
      'é',
      '\r',
      '%s',
      '#',
    ),
  )
  .map(parts => parts.join(''));

describe('an interpreter gets the very bytes of the script', () => {
  test.each([
    ['on descriptor 3', '/bin/cat', (line: string) => bash(line), ended],
    ['on stdin, when it has arguments', '/bin/cat -u', (line: string) => bash(line), ended],
    [
      'as one word, when it is a shell',
      '/bin/bash',
      (line: string) => bash(`args=(${line}); printf %s "\${args[2]}"`),
      (script: string) => script,
    ],
  ])('%s', (_name, interpreter, run, expected) => {
    verifies('S1-17');
    fc.assert(
      fc.property(scripts, script => {
        expect(run(scriptLine(script, interpreter, quote))).toBe(expected(script));
      }),
      { numRuns: 40 },
    );
  });
});

test('the same script is the same line, so that a remembered answer finds it', () => {
  fc.assert(
    fc.property(scripts, script => {
      expect(scriptLine(script, 'perl', quote)).toBe(scriptLine(script, 'perl', quote));
    }),
  );
});

test('a script too long for one word goes to descriptor 3 of a shell too', async () => {
  verifies('S1-17');
  const script = `read x; echo "[$x]"\n${'# filler\n'.repeat(20_000)}echo end`;
  expect(scriptLine(script, '/bin/bash', quote)).toContain('/dev/fd/3');
  const { output } = await bench();
  expect(await output('run_script', { script })).toMatchObject({ ok: true, stdout: '[]\nend\n', stderr: '' });
});
