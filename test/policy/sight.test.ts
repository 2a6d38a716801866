import { type BigIntStats, chmodSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Sight } from '../../src/policy/sight.js';
import { temporaryDirectory } from '../helpers/cli.js';

// A file system whose clock ticks every 10 ms, on machines whose own ticks with every change.
vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>();
  const tick = (ns: bigint) => ns - (ns % 10_000_000n);
  const statSync = (...args: Parameters<typeof fs.statSync>) => {
    const stat = fs.statSync(...args) as BigIntStats | undefined;
    return stat && Object.assign(stat, { ctimeNs: tick(stat.ctimeNs), mtimeNs: tick(stat.mtimeNs) });
  };
  return { ...fs, statSync };
});

test('a file written again within one tick of the clock, of the same length, has changed', () => {
  const path = join(temporaryDirectory(), 'f');
  const sight = new Sight();
  for (let round = 0; round < 300; round++) {
    writeFileSync(path, `a${round % 10}`);
    sight.take([path]);
    expect(sight.changed([path])).toBe(false);
    writeFileSync(path, `b${round % 10}`);
    expect(sight.changed([path]), `round ${round}`).toBe(true);
  }
});

test.each<[string, (path: string) => void]>([
  ['another mode', path => chmodSync(path, 0o640)],
  ['the same content and times in another file', path => replaceAlike(path)],
  ['gone', path => rmSync(path)],
  [
    'a directory',
    path => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  [
    'below something that is no directory any more',
    path => {
      rmSync(join(path, '..'), { recursive: true });
      writeFileSync(join(path, '..'), '');
    },
  ],
])('%s is a change', (_, change) => {
  const path = join(temporaryDirectory(), 'd', 'f');
  mkdirSync(join(path, '..'));
  writeFileSync(path, 'text');
  const sight = new Sight();
  sight.take([path]);
  change(path);
  expect(sight.changed([path])).toBe(true);
  sight.take([path]);
  expect(sight.changed([path])).toBe(false);
});

test('what was not looked at has changed', () => {
  const sight = new Sight();
  expect(sight.changed(['/nonexistent'])).toBe(true);
  sight.take(['/nonexistent']);
  expect(sight.changed(['/nonexistent'])).toBe(false);
  expect(sight.changed(['/nonexistent', '/'])).toBe(true);
});

function replaceAlike(path: string): void {
  writeFileSync(`${path}.new`, 'text');
  utimesSync(`${path}.new`, 1, 1);
  utimesSync(path, 1, 1);
  renameSync(`${path}.new`, path);
}
