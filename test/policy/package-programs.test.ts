import { expect, test } from 'vitest';
import { packageProgram } from '../../src/policy/package-programs.js';

const started = (line: string): string | undefined => {
  const argv = line.split(' ').map(text => ({ text }));
  return packageProgram(argv[0]!.text, argv)
    ?.map(word => ('text' in word ? word.text : '?'))
    .join(' ');
};

test.each([
  ['yarn run evil -x', 'evil -x'],
  ['yarn evil', 'evil'],
  ['yarn run -T evil', 'evil'],
  ['yarn dlx -p tool evil', 'evil'],
  ['yarn workspace a run evil', 'evil'],
  ['yarn workspace a exec evil', 'evil'],
  ['yarn workspaces foreach -A run evil', 'evil'],
  ['pnpm evil', 'evil'],
  ['pnpm --filter a exec evil', 'evil'],
  ['pnpm dlx evil@1', 'evil'],
  ['bun run --bun evil', 'evil'],
  ['bun x evil', 'evil'],
  ['deno run -A npm:evil@1', 'evil'],
  ['deno task evil', 'evil'],
])('%s may start %s', (line, expected) => {
  expect(started(line)).toBe(expected);
});

test.each([
  'yarn',
  'yarn add evil',
  'yarn why evil',
  'pnpm rm evil',
  'bun add evil',
  'deno lint evil',
  'npm run evil',
  'yarn run',
])('%s starts no program of that name', line => {
  expect(started(line)).toBeUndefined();
});
