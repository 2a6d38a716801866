import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../helpers/cli.js';
import { judging } from '../policy/analysed.js';

const judge = await judging({ files: ['read-only'] });
const decide = async (text: string) => (await judge(text)).decision;

describe('names that find hands to xargs', () => {
  test.each([
    "find . -name '*.ts' -print0 | xargs -0 grep -n foo",
    'find src -type f -print0 | xargs -0 -r wc -l',
    'find ./src -maxdepth 2 -name "*.md" -print0 2>/dev/null | xargs -0 -n 10 head -5',
    'find src \\( -name a -o -name b \\) -print0 | xargs --null ls -l',
    'find -type f -print0 | xargs -0 -I{} cat {}',
    'find . -name x -print0 | xargs -0',
    'cd src && find . -print0 | xargs -0 grep foo | sort | uniq -c',
    'git ls-files -z | xargs -0 wc -l --',
    "git ls-files -z '*.ts' src | xargs -0 grep -n foo --",
    'git diff --name-only -z main...HEAD | xargs -0 -r ls -la --',
    'git diff -z --name-only --diff-filter=d HEAD~1 2>/dev/null | xargs -0 -I{} head -3 -- {}',
    'git grep -lz foo | xargs -0 wc -l --',
    'grep -rlZ foo src | xargs -0 wc -l',
    "grep -rliZ --include='*.ts' foo . | xargs -0 head -2",
    'fd -e ts util src -X wc -l',
    'fd util -x head -1 {}',
  ])('runs what only reads them: %s', async text => {
    expect(await judge(text)).toMatchObject({ decision: 'allow' });
  });

  test.each([
    ['a space in a name cuts it, and -e is an option', "find . -name '*.ts' | xargs grep -n foo"],
    ['no -0 on one side', 'find . -print0 | xargs grep foo'],
    ['no -print0 on the other', 'find . -print | xargs -0 grep foo'],
    ['-print0 that is a test’s value', 'find . -name -print0 | xargs -0 grep foo'],
    ['a name of its own making', "find . -printf '-f%p\\0' -print0 | xargs -0 grep foo"],
    ['another program prints too', 'find . -print0 -exec echo x {} + | xargs -0 grep foo'],
    ['names from a file', 'find -files0-from l -print0 | xargs -0 grep foo'],
    ['links are followed out of the place', 'find -L . -print0 | xargs -0 grep foo'],
    ['a place outside the workspace', 'find / -print0 | xargs -0 grep foo'],
    ['a place above it', 'find ../other -print0 | xargs -0 grep foo'],
    ['a place that is not known', 'find "$d" -print0 | xargs -0 grep foo'],
    ['two places', 'find a b -print0 | xargs -0 grep foo'],
    ['messages between the names', 'find . -print0 2>&1 | xargs -0 grep foo'],
    ['messages between the names, in short', 'find . -print0 |& xargs -0 grep foo'],
    ['the names go elsewhere', 'find . -print0 1>/dev/null | xargs -0 grep foo'],
    ['something between the two', 'find . -print0 | tail -c 9 | xargs -0 grep foo'],
    ['something that reads first', 'find . -print0 | { head -c 3; xargs -0 grep foo; }'],
    ['something that reads first, wrapped', "find . -print0 | sh -c 'head -c 3; xargs -0 grep foo'"],
    ['a list of another origin', 'find . -print0 | xargs -0 -a list grep foo'],
    ['another input', 'find . -print0 | xargs -0 grep foo < list'],
    ['another delimiter', "find . -print0 | xargs -0 -d 'x' grep foo"],
    ['names from elsewhere', 'cat l | xargs -0 grep foo'],
    ['a name of git’s may be an option', 'git ls-files -z | xargs -0 grep foo'],
    ['the same, with the end of options in front', 'git ls-files -z | xargs -0 -- grep foo'],
    ['names of git with more beside them', 'git ls-files -sz | xargs -0 wc -l --'],
    ['names of git with more beside them, by a format', 'git ls-files -z --format=/%(path) | xargs -0 wc -l --'],
    ['a path of git’s above the place', 'git ls-files -z -- ../x | xargs -0 wc -l --'],
    ['git without the names alone', 'git diff -z | xargs -0 wc -l --'],
    ['git without -z', 'git ls-files | xargs -0 wc -l --'],
    ['git with what is new as well as a prefix', 'git diff --name-only -z --line-prefix=/ | xargs -0 wc -l --'],
    ['grep without -Z', 'grep -rl foo src | xargs -0 wc -l'],
    ['grep with lines beside the names', 'grep -rZ foo src | xargs -0 wc -l'],
    ['grep that follows links', 'grep -RlZ foo src | xargs -0 wc -l'],
    ['grep in a place that is named after an option', 'grep -rlZ foo | xargs -0 wc -l'],
    ['grep above the place', 'grep -rlZ foo ../x | xargs -0 cat'],
    ['fd that follows links', 'fd -L x src -X cat'],
    ['fd above the place', 'fd x ../y -X cat'],
    ['fd for secret files, by their ending', 'fd -H -e pem -X cat'],
    ['fd for secret files, by their name', "fd -H '^\\.env$' -x cat {}"],
    ['fd for secret files, by a part of it', 'fd -H env -x cat'],
    ['fd for secret files, by a pattern', "fd -H -g '.env*' -X head"],
    ['fd for names that are too hard to say', "fd '[.]en[v]' -X cat"],
    ['a name without its folder', 'fd x src -x wc {/}'],
    ['find and more', '(find . -print0; cat list) | xargs -0 grep foo'],
    ['a function called find', 'find() { cat list; }; find . -print0 | xargs -0 grep foo'],
    ['the names are programs', 'find . -print0 | xargs -0 env'],
    ['the names are programs, by mark', 'find . -print0 | xargs -0 -I{} {} x'],
    ['the names are scripts', 'find . -print0 | xargs -0 sh'],
    ['the names are expressions', 'find . -print0 | xargs -0 sed -n'],
    ['the names are part of an option', 'find . -print0 | xargs -0 -I{} rg --pre={} foo'],
    ['the names are code', "find . -print0 | xargs -0 -I{} sh -c 'cat {}'"],
    ['what xargs starts reads no names any more', 'find . -print0 | xargs -0 xargs -0 grep foo'],
    ['they are deleted', 'find . -print0 | xargs -0 rm -f'],
    ['they are written', 'find . -print0 | xargs -0 touch'],
    ['one of them is written', 'find . -print0 | xargs -0 sort -o'],
    ['they are run', 'find . -print0 | xargs -0 -n 1 bash -c'],
  ])('asks: %s', async (_, text) => {
    expect(await decide(text)).not.toBe('allow');
  });

  test('the real two hand over what is said here, whatever the names are', () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, 'd'));
    const names = ['-rf', 'a -f b', 'x\n-e', `it's "q" \\`, '--pre=evil', ' lead'];
    for (const name of names) writeFileSync(join(cwd, 'd', name), '');
    const run = (line: string) => execFileSync('bash', ['-c', line], { cwd, encoding: 'utf8' }).split('\0').slice(0, -1);
    const whole = run("find d -type f -print0 | xargs -0 printf '%s\\0'");
    expect(whole.sort()).toEqual(names.map(name => `d/${name}`).sort());
    // The reason for all this: without the NULs the same names become options and other paths.
    const cut = run("find d -type f ! -name '*\\*' | xargs printf '%s\\0' 2>/dev/null || true");
    expect(cut.every(word => word.startsWith('d/'))).toBe(false);
  });

  test('a deny of the program is a deny', async () => {
    const deny = await judging({
      files: ['read-only'],
      texts: [{ name: 'x', text: "[[rule]]\nid='no'\ndecision='deny'\ncommand='grep **'\nreason='no'\n" }],
    });
    expect((await deny('find . -print0 | xargs -0 grep foo')).decision).toBe('deny');
  });
});
