import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lookUpFiles } from '../../src/executor/local/files.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const never = new AbortController().signal;

test('what depends on who asks is not answered for the command', async () => {
  verifies('P4');
  const own = ['/proc/self/cwd/x', '/proc/thread-self/root', '/dev/fd/3', '/dev/stdin', '/dev/stdout', '/dev/stderr'];
  const { paths, hashes } = await lookUpFiles(own, own, never);
  expect(Object.values(paths)).toEqual(own.map(real => ({ real, kind: 'other' })));
  expect(Object.values(hashes)).toEqual(own.map(() => ({ problem: 'means something else to the command' })));
});

test('a path is resolved through every link, and a missing one from its nearest parent', async () => {
  verifies('P4');
  const place = temporaryDirectory();
  const at = (name: string): string => join(place, name);
  mkdirSync(at('real/deep'), { recursive: true });
  writeFileSync(at('real/file'), 'x');
  symlinkSync('real', at('link'));
  symlinkSync('link/deep', at('further'));
  symlinkSync('/no/such/place', at('link/dangling'));
  const { paths } = await lookUpFiles(
    ['link/file', 'further', 'further/new/file', 'real/file/below', 'link/dangling', 'link/dangling/x', '..'].map(at),
    [],
    never,
  );
  expect(Object.values(paths)).toEqual([
    { real: at('real/file'), kind: 'file' },
    { real: at('real/deep'), kind: 'directory' },
    { real: at('real/deep/new/file'), kind: 'missing' },
    { real: at('real/file/below'), kind: 'other' }, // a file is no directory
    { real: at('link/dangling'), kind: 'other' }, // it would be made somewhere else
    { real: at('link/dangling/x'), kind: 'other' },
    { real: join(place, '..'), kind: 'directory' },
  ]);
  expect((await lookUpFiles(['/', '/no-such-place-at-all'], [], never)).paths).toEqual({
    '/': { real: '/', kind: 'directory' },
    '/no-such-place-at-all': { real: '/no-such-place-at-all', kind: 'missing' },
  });
});

test('the sizes that are read end at a mebibyte, those that are shown at 64 KiB', async () => {
  const place = temporaryDirectory();
  const sizes = [0, 64 * 1024, 64 * 1024 + 1, 1024 * 1024, 1024 * 1024 + 1];
  const names = sizes.map(size => {
    const name = join(place, String(size));
    writeFileSync(name, Buffer.alloc(size, 'a'));
    return name;
  });
  const { hashes } = await lookUpFiles([], names, never);
  expect(names.map(name => [hashes[name]!.sha256?.length, hashes[name]!.text?.length, hashes[name]!.problem])).toEqual([
    [64, 0, undefined],
    [64, 64 * 1024, undefined],
    [64, undefined, undefined],
    [64, undefined, undefined],
    [undefined, undefined, 'larger than 1 MiB'],
  ]);
});

test('a query that is too much for its time says so of what it did not get to', async () => {
  verifies('P3');
  const place = temporaryDirectory();
  writeFileSync(join(place, 'file'), Buffer.alloc(1024 * 1024));
  const names = Array.from({ length: 4_000 }, (_, n) => {
    linkSync(join(place, 'file'), join(place, String(n)));
    return join(place, String(n));
  });
  const began = performance.now();
  const { hashes } = await lookUpFiles([], names, never);
  expect(performance.now() - began).toBeLessThan(2_000);
  const problems = names.map(name => hashes[name]!.problem);
  expect(problems).toHaveLength(4_000);
  expect(problems.at(-1)).toBe('took too long to read');
  const late = { ...hashes };
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(hashes).toEqual(late); // an answer that was given does not change any more
});

test('who gives up is not answered', async () => {
  const given = new AbortController();
  const asked = lookUpFiles([], Array(4_000).fill('/bin/bash'), given.signal);
  given.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  await expect(lookUpFiles(['/'], [], given.signal)).rejects.toThrow('enough');
});
