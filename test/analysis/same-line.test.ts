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
  ['git checkout -b x && echo a > src/n && git add -A && git commit -m x', false],
  ['git switch main && git status && git log -1 && git commit -m x', false],
  ['git stash; git stash pop', false],
  ['git switch main && cat f', true],
  ['git checkout -b x main && cat f', true],
  ['git checkout --recurse-submodules main && git status', true],
  ['git checkout main && git diff --no-index f g', true],
  ['git checkout main && ./run', true],
  ['echo x > .git/config; git status', true],
  ['for f in src/*.ts; do cp "$f" "$f.bak"; done', false],
  ['for f in src/*; do cp "$X" "$f"; cat "$f"; done', true],
])('a file that is moved in place was looked at, a link was not: %s', async (command, expected) => {
  const analysis = await createAnalyzer({ specs }).analyze(commandRequest(command), sessionState(), new AbortController().signal);
  const reasons = analysis.programs.flatMap(({ opaque }) => opaque.map(({ code }) => code));
  expect(reasons.includes('changed-in-line')).toBe(expected);
});
