import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/analysis/specs/compile.js';
import type { Action, Clause, Table } from '../../src/analysis/specs/table.js';

// `other options harmless` lets an option through that nobody has read about, one of a later version too. So it stands only
// where the program asks whatever its options are, or here, each table once, with what was found in the manual.
const REVIEWED: Readonly<Record<string, readonly string[]>> = {
  'its options change what it prints, and nothing else': [
    'ls dir vdir',
    'cat rev tsort sum',
    'tac',
    'basenc base32',
    'nl',
    'fold',
    'fmt',
    'expand unexpand',
    'od',
    'pr',
    'column',
    'head tail',
    'df',
    'cut',
    'paste',
    'join',
    'comm',
    'tr',
    'readlink realpath namei lsattr getfacl',
    'basename dirname pathchk seq numfmt factor expr true false yes sleep echo printf pwd uname nproc hostid whoami groups logname tty free cal ncal getconf locale lsmod vmstat w clear sw_vers type whereis which id test [',
    'who',
    'cmp',
    'sync',
    'ulimit',
    'git … status',
    'git … rev-parse merge-base name-rev describe show-ref ls-tree count-objects version var check-ref-format get-tar-commit-id stripspace column',
    'notes … list show',
    'reflog … exists',
    'submodule … status summary',
    'worktree … list',
    'bisect … log',
    'sparse-checkout … list',
    'lfs … ls-files status env version',
  ],
  'a hook reads every word of it': ['find', 'gcc g++ cc c++ clang clang++', 'javac', 'java kotlinc groovy scala'],
  'every operand is an effect, and without operands it does nothing': [
    'printenv',
    'ctest ninja meson swift zig nim crystal dart',
    'aws gcloud az doctl flyctl heroku vercel netlify wrangler',
    'pkill',
    'killall',
    'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap wipefs blkdiscard sfdisk cfdisk gdisk sgdisk tune2fs resize2fs cryptsetup lvremove vgremove pvremove lvcreate hdparm badblocks',
    'modprobe insmod rmmod depmod ldconfig update-alternatives update-rc.d chkconfig useradd userdel usermod groupadd groupdel groupmod adduser deluser passwd chpasswd chsh chfn visudo vipw iw',
  ],
  'it changes the repository whatever its options are': [
    'gc … run unregister stop write verify clear status forget diff remaining',
    'reflog … expire delete drop',
  ],
  'it is denied whatever its options are': ['shellgate … approve deny resume cancel close attach'],
};

const FOLDER = resolve(import.meta.dirname, '../../src/analysis/specs');
const HOOKS = REVIEWED['a hook reads every word of it']!;
const QUIET = new Set(['harmless', 'read', 'hash', 'cwd']);

const startsSomething = ({ does }: Action): boolean => ['ask', 'effect', 'exec'].includes(does);
const always = ({ when, action }: Clause): boolean => when.length === 0 && startsSomething(action);
const harms = ({ action, otherwise }: Clause): boolean =>
  !QUIET.has(action.does) || (otherwise !== undefined && !QUIET.has(otherwise.does));

const named: { name: string; table: Table }[] = [];
function walk(table: Table, path: string, asks: boolean): void {
  const asksAnyway = asks || table.always.some(always);
  if (table.otherOptions.does === 'harmless' && !asksAnyway) named.push({ name: path + table.names.join(' '), table });
  for (const sub of new Set(table.commands.values())) walk(sub, `${table.names[0]} … `, asksAnyway);
}
for (const file of readdirSync(FOLDER).filter(name => name.endsWith('.spec'))) {
  for (const table of compile(readFileSync(join(FOLDER, file), 'utf8'), file)) walk(table, '', false);
}

test('"other options harmless" stands only where the manual was read to its end, each table once', () => {
  expect(named.map(({ name }) => name).sort()).toEqual(Object.values(REVIEWED).flat().sort());
});

describe('a table that describes a dangerous option describes every option', () => {
  test.each(named.filter(({ name }) => !HOOKS.includes(name)))('$name', ({ table }) => {
    const dangerous = [...table.options].filter(([, rule]) => rule.clauses.some(harms));
    expect(dangerous.map(([name]) => name)).toEqual([]);
  });
});
