import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

const notDefended = read('docs/threat-model.md').split('## What is not defended')[1] ?? '';
const bullets = notDefended
  .split(/^- /m)
  .slice(1)
  .map(bullet => bullet.replace(/\s+/g, ' ').trim());

test('every word about what is not defended stands in the threat model with a test', () => {
  expect(bullets.length).toBeGreaterThanOrEqual(9);
});

test.each(bullets.map(bullet => [/\*\*(.*?)\*\*/.exec(bullet)?.[1] ?? bullet, bullet] as const))('%s', (_name, bullet) => {
  const cited = /\((`test\/.*)\)$/.exec(bullet)?.[1] ?? '';
  const files = [...cited.matchAll(/`(test\/[\w./-]+\.test\.ts)`: ([^`]+)/g)];
  expect(files.length, 'it ends with the test that shows it').toBeGreaterThan(0);
  for (const [, file = '', names = ''] of files) {
    const text = read(file);
    for (const name of names.split(';').map(each => each.trim())) if (name !== '') expect(text).toContain(name);
  }
});
