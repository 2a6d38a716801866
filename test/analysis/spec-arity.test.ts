import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compile } from '../../src/analysis/specs/compile.js';
import type { Table } from '../../src/analysis/specs/table.js';

// A table that says an option takes a word, where the program takes none, makes the reader step over the next word:
// `git log --branches --output=x`. The installed programs are asked by giving each such option a word that is no option.
const PROBE = '--shellgate-probe';
const COMPLAINS = new RegExp(
  `(unrecognized|unknown|invalid|illegal) (option|argument:|switch)[^\\n]*${PROBE.slice(2)}|option[^\\n]*${PROBE}[^\\n]*is unknown`,
);
const PROGRAMS =
  'head tail cut paste join comm fold fmt expand od nl pr sort uniq shuf split csplit tee touch mkdir cp mv ln install chmod truncate shred grep sed tar xargs env timeout nice stdbuf wget curl diff diff3 sdiff cmp column hexdump strings du wc df cksum basenc base64 sha256sum shasum stat realpath file ps pgrep ss lsblk lscpu findmnt readelf objdump nm size addr2line xz gzip bzip2 zstd apt-cache dpkg-query'.split(
    ' ',
  );
const GIT =
  'log diff show shortlog blame grep ls-files branch tag commit add checkout restore merge rebase fetch pull push clone archive clean stash'.split(
    ' ',
  );
// env -S reads its word as options again, and so it should; curl would look the word of --url up in the network.
const MEANT = new Set(['env -S', 'env --split-string', 'curl --url']);

const FOLDER = resolve(import.meta.dirname, '../../src/analysis/specs');
const tables = new Map<string, Table>();
for (const file of readdirSync(FOLDER).filter(name => name.endsWith('.spec'))) {
  for (const table of compile(readFileSync(join(FOLDER, file), 'utf8'), file))
    for (const name of table.names) tables.set(name, table);
}

const directory = mkdtempSync(join(tmpdir(), 'shellgate-arity-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function complaint(words: readonly string[]): string {
  const [program, ...rest] = words;
  const { stderr } = spawnSync(program!, rest, {
    cwd: directory,
    input: '',
    encoding: 'utf8',
    timeout: 5_000,
    env: { PATH: process.env['PATH'], HOME: directory, LC_ALL: 'C', GIT_CEILING_DIRECTORIES: tmpdir() },
  });
  return stderr ?? '';
}

/** Options that the table gives a word and the program none. */
function swallowing(words: readonly string[], table: Table): string[] {
  return (
    [...table.options]
      .filter(([name, rule]) => rule.arity === 1 && !MEANT.has(`${words.join(' ')} ${name}`))
      .map(([name]) => [...words, name])
      // An option this version does not know says nothing about the others.
      .filter(line => {
        const said = complaint([...line, PROBE]);
        const name = line.at(-1)!.replace(/^-+/, '').replace(/\W/g, '\\$&');
        return (
          COMPLAINS.test(said) &&
          !new RegExp(`(unrecognized|unknown|invalid) (option|argument|switch)\\W+${name}(\\W|$)`, 'm').test(said)
        );
      })
      .map(line => line.join(' '))
  );
}

const isGnuLike = (program: string): boolean => COMPLAINS.test(complaint([program, PROBE]));

test.each(PROGRAMS)('%s takes a word wherever its table says so', program => {
  if (!isGnuLike(program)) return;
  expect(swallowing([program], tables.get(program)!)).toEqual([]);
});

test.each(GIT)('git %s takes a word wherever its table says so', sub => {
  if (spawnSync('git', ['init', '-q'], { cwd: directory, env: { PATH: process.env['PATH'], HOME: directory } }).status !== 0)
    return;
  expect(swallowing(['git', sub], tables.get('git')!.commands.get(sub)!)).toEqual([]);
});
