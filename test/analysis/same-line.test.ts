import { expect, test } from 'vitest';
import { createAnalyzer } from '../../src/analysis/analyzer.js';
import { specs } from '../../src/analysis/specs/index.js';
import { commandRequest, sessionState } from './analyzing.js';

test.each([
  ['sort f > n; mv n f', false],
  ['sort f > n && mv -f n f && cat f', false],
  ['for f in a b; do tr x y < $f > n; mv n $f; done', false],
  ['mv n f; cat f', true],
  ['echo > n; ln -sf /etc n; mv n d; cat d', true],
  ['echo > n; mv link n; mv n d; cat d', true],
  ['echo > n; git checkout .; mv n d; cat d', true],
  ['echo > n; mv n m d; cat d/m', true],
])('a file that is moved in place was looked at, a link was not: %s', async (command, expected) => {
  const analysis = await createAnalyzer({ specs }).analyze(commandRequest(command), sessionState(), new AbortController().signal);
  const reasons = analysis.programs.flatMap(({ opaque }) => opaque.map(({ code }) => code));
  expect(reasons.includes('changed-in-line')).toBe(expected);
});
