import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookUpFiles } from '../../src/executor/local/files.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

const never = new AbortController().signal;

test('what depends on who asks is not answered for the command', async () => {
  verifies('P4');
  const own = ['/proc/self/cwd/x', '/proc/thread-self/root', '/dev/fd/3', '/dev/stdin', '/dev/stdout', '/dev/stderr'];
  const { paths, hashes } = await lookUpFiles({ paths: own, hashes: own }, never);
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
    {
      paths: ['link/file', 'further', 'further/new/file', 'real/file/below', 'link/dangling', 'link/dangling/x', '..'].map(at),
      hashes: [],
    },
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
  expect((await lookUpFiles({ paths: ['/', '/no-such-place-at-all'], hashes: [] }, never)).paths).toEqual({
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
  const { hashes } = await lookUpFiles({ paths: [], hashes: names }, never);
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
  const { hashes } = await lookUpFiles({ paths: [], hashes: names }, never);
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
  const asked = lookUpFiles({ paths: [], hashes: Array(4_000).fill('/bin/bash') }, given.signal);
  given.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  await expect(lookUpFiles({ paths: ['/'], hashes: [] }, given.signal)).rejects.toThrow('enough');
});

test('a pattern matches what it matches in bash', async () => {
  verifies('P4');
  const place = temporaryDirectory();
  const names = ['a', 'ab', 'abc', 'b', 'b-1', '.a', '.ab', 'A', '[', 'a]', 'sub', 'x.md', 'y.md', '-f'];
  for (const name of names) {
    if (name === 'sub') mkdirSync(join(place, name));
    else writeFileSync(join(place, name), '');
  }
  for (const name of ['a', 'x.md', '.h']) writeFileSync(join(place, 'sub', name), '');
  symlinkSync('/nowhere', join(place, 'gone.md'));
  const pieces = fc.constantFrom(
    '*',
    '?',
    '[ab]',
    '[!a]',
    '[a-c]',
    '[',
    ']',
    'a',
    'b',
    '.',
    '-',
    'sub/',
    '*/',
    '**',
    'x.md',
    '.*',
  );
  const patterns = fc
    .sample(fc.string({ unit: pieces, minLength: 1, maxLength: 5 }), { numRuns: 300, seed: 3 })
    .filter(text => /[*?[]/.test(text) && !text.endsWith('/') && !/\/\.\.?(\/|$)|^\.\.?(\/|$)/.test(text));
  const script = patterns.map(text => `printf '%s\\0' "$PWD"/${text}; printf '\\1'`).join('\n');
  const real = execFileSync('/bin/bash', ['--norc', '-c', script], { cwd: place, encoding: 'utf8' }).split('\x01');
  const globs = patterns.map(text => `${place}/${text}`);
  const matches = new Map<string, readonly string[]>();
  // A few at a time: what is not matched in time is not told.
  for (let at = 0; at < globs.length; at += 10) {
    const found = await lookUpFiles({ paths: [], hashes: [], globs: globs.slice(at, at + 10) }, never);
    for (const [glob, fact] of Object.entries(found.globs)) matches.set(glob, fact.matches);
  }
  for (const [index, glob] of globs.entries()) {
    // `.` and `..` match a pattern that begins with a dot; they are directories, and no file of theirs is.
    const wanted = real[index]!.split('\0')
      .slice(0, -1)
      .filter(path => !/\/\.\.?(\/|$)/.test(path));
    expect([patterns[index], matches.get(glob)!.toSorted()]).toEqual([
      patterns[index],
      wanted.map(path => path.replace(/\/+/g, '/')).toSorted(),
    ]);
  }
});

test('more matches than anyone looks at are not told one by one', async () => {
  const place = temporaryDirectory();
  for (let n = 0; n < 1_001; n += 1) writeFileSync(join(place, String(n)), '');
  const glob = join(place, '*');
  expect((await lookUpFiles({ paths: [], hashes: [], globs: [glob] }, never)).globs[glob]).toEqual({
    matches: [],
    complete: false,
  });
});

test('of a directory with a trailing slash: where its links lead that leave it', async () => {
  const place = temporaryDirectory();
  const folder = join(place, 'folder');
  mkdirSync(join(folder, 'below'), { recursive: true });
  writeFileSync(join(place, 'outside'), '');
  for (const [name, to] of Object.entries({ in: 'below', out: '../outside', dangling: '../nowhere', chain: 'out', up: '..' }))
    symlinkSync(to, join(folder, name));
  const { paths } = await lookUpFiles(
    { paths: [folder, `${folder}/`, `${join(place, 'outside')}/`, `${place}/absent/`], hashes: [] },
    never,
  );
  expect(paths[folder]).toEqual({ real: folder, kind: 'directory' });
  const links = paths[`${folder}/`]!.links as readonly string[];
  expect([...links].sort()).toEqual([place, join(place, 'nowhere'), join(place, 'outside'), join(place, 'outside')]);
  expect(paths[`${join(place, 'outside')}/`]!.kind).toBe('other');
  expect(paths[`${place}/absent/`]!.kind).toBe('missing');
});

test('links below a directory count as deep as it is asked', async () => {
  const place = temporaryDirectory();
  mkdirSync(join(place, 'a/b/c'), { recursive: true });
  for (const [at, to] of [
    ['one', '/usr'],
    ['a/two', '/opt'],
    ['a/b/three', '/srv'],
    ['a/b/c/inside', '../../..'],
    ['a/b/c/four', '/var'],
  ] as const)
    symlinkSync(to, join(place, at));
  const asked = [`${place}/`, `${place}/*/`, `${place}/*/*/`, `${place}/**/`, `${place}/a/**/`];
  const { paths } = await lookUpFiles({ paths: asked, hashes: [] }, never);
  const links = asked.map(path => [...(paths[path]!.links as readonly string[])].sort());
  expect(links).toEqual([
    ['/usr'],
    ['/opt', '/usr'],
    ['/opt', '/srv', '/usr'],
    [place, '/opt', '/srv', '/usr', '/var'].sort(),
    [place, '/opt', '/srv', '/var'].sort(),
  ]);
});

test('a directory of too many entries says so', async () => {
  const place = temporaryDirectory();
  for (let n = 0; n < 300; n++) symlinkSync('/', join(place, String(n)));
  expect((await lookUpFiles({ paths: [`${place}/`], hashes: [] }, never)).paths[`${place}/`]).toMatchObject({
    links: 'too many',
  });
});

test('where .git is a file, what git reads is read: in a linked work tree and behind a pointer of any kind', async () => {
  const place = temporaryDirectory();
  const own = join(place, 'main/.git/worktrees/w');
  for (const directory of [join(place, 'main/.git/hooks'), own, join(place, 'w'), join(place, 'bad'), join(place, 'round')])
    mkdirSync(directory, { recursive: true });
  writeFileSync(join(place, 'main/.git/config'), 'shared');
  writeFileSync(join(place, 'main/.git/hooks/pre-commit'), 'hook');
  writeFileSync(join(own, 'commondir'), '../..\n');
  writeFileSync(join(own, 'config.worktree'), 'own');
  writeFileSync(join(place, 'w/.git'), `gitdir: ${own}\n`);
  writeFileSync(join(place, 'bad/.git'), 'no pointer\n');
  writeFileSync(join(place, 'round/.git'), 'gitdir: .git\n');
  const names = [
    'w/.git/config',
    'w/.git/config.worktree',
    'w/.git/hooks/pre-commit',
    'w/.git/info/attributes',
    'bad/.git/config',
    'round/.git/config',
  ];
  const paths = names.map(name => join(place, name));
  const { hashes } = await lookUpFiles({ paths: [], hashes: paths }, never);
  expect(paths.map(path => hashes[path]!.text ?? hashes[path]!.problem)).toEqual([
    'shared',
    'own',
    'hook',
    'missing',
    'missing',
    'missing',
  ]);
});
