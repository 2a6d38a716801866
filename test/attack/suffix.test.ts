import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { eligible, suffix } from '../../src/family/pipe-status.js';
import { verifies } from '../helpers/verifies.js';
import { soaking } from './soaking.js';

const SAMPLES = soaking ? 8_000 : 200;
/** Texts for one bash: starting it costs more than all of them. */
const BATCH = 50;

/**
 * Pieces that open, close, define and run things, in any order; nothing in them runs for ever or forks without end. An
 * unclosed `<(` ends a shell that is not interactive, with the suffix or without, sooner or later.
 */
const piece = fc.constantFrom(
  ...['a', 'true', 'false', 'echo x', 'cat', 'printf y', ';', '\n', '&&', '||', '(', ')', '{', '}', 'if', 'then', 'fi'],
  ...['for x in 1', 'do', 'done', 'f()', 'f() {', 'function g', '[[', ']]', '((', '))', '$(', '`', '"', "'", '${x:-', '!'],
  ...['>/dev/null', '2>&1', 'select x in', 'return 3', 'exit 4', 'local v', 'declare v=1', '\\', '=(', 'v=(', '<<<'],
);

const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: piece }, { weight: 1, arbitrary: fc.constantFrom('|', '|&', '| cat', '| false') }), {
    minLength: 3,
    maxLength: 9,
  })
  .map(pieces => pieces.join(' '))
  .filter(one => eligible(one, { flags: '', aliases: false }));

/**
 * Each text in a subshell of its own, as the protocol runs it. What counts: did its grammar hold, what did it print, its
 * status, which functions and variables it made.
 */
const RUN = `
shopt -u expand_aliases
for text; do
  ( { eval "$text"; } </dev/null 2>/dev/null | tr '\\0' '?'
    eval "$text" </dev/null >/dev/null 2>&1
    status=$?
    [[ \${_sg00000000-} ]] && status=\${_sg00000000%%:*}
    printf 'status %s functions %s v %s\\n' "$status" "$(declare -F)" "\${v-unset}" )
  printf '\\036'
done`;

function seenOf(texts: readonly string[], directory: string): string[] {
  const run = spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', RUN, 'run', ...texts], {
    cwd: directory,
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return run.stdout.split('\x1e').slice(0, -1);
}

test(
  'the line that keeps PIPESTATUS leaves an invalid text invalid and a valid one as it was',
  () => {
    verifies('P2', 'P6');
    const directory = mkdtempSync(join(tmpdir(), 'shellgate-suffix-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const texts = fc.sample(text, { numRuns: SAMPLES });
    let valid = 0;
    for (let at = 0; at < texts.length; at += BATCH) {
      const batch = texts.slice(at, at + BATCH);
      const plain = seenOf(batch, directory);
      const suffixed = seenOf(
        batch.map(one => one + suffix('_sg00000000')),
        directory,
      );
      expect(plain).toHaveLength(batch.length);
      for (const [index, one] of batch.entries()) expect(endOf(suffixed[index]), one).toBe(endOf(plain[index]));
      valid += plain.filter(seen => /status (?!2 )/.test(seen)).length;
    }
    expect(valid).toBeGreaterThan(0);
  },
  soaking ? 600_000 : 60_000,
);

/** Programs of one pipeline may write in any order; an unclosed substitution may end the subshell that tries it. */
function endOf(seen: string | undefined): string {
  const whole = seen?.includes('status ') ? seen : `${seen}status 2 functions  v unset\n`;
  return [...whole].sort().join('');
}
