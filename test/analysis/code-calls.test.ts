import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noteCalls } from '../../src/analysis/languages/code-calls.js';
import type { Nested, Reading } from '../../src/analysis/spec.js';
import { specs } from '../../src/analysis/specs/index.js';
import { ReadingBuilder } from '../../src/analysis/specs/reading-builder.js';
import { analyze, line, shown, shownEffect } from './analyzing.js';

function readCode(program: string, code: string): Reading {
  const into = new ReadingBuilder(program, ['/w'], '/home/ana');
  noteCalls(into, { text: code });
  return into.done();
}

const started = (nested: Nested): string => ('script' in nested ? `$ ${shown(nested.script)}` : nested.argv.map(shown).join(' '));
const startedBy = (program: string, code: string): string[] => readCode(program, code).nested.map(started);

describe('a program that a literal names is found', () => {
  test.each([
    ['python3', 'import os; os.system("evil a")', '$ evil a'],
    ['python3', 'import subprocess as s; s.run(["evil", "x"], check=True)', 'evil x'],
    ['python3', 'import subprocess\nsubprocess.run(\n  ["evil",\n   "x"],\n)', 'evil x'],
    ['python3', 'import subprocess; subprocess.run("evil x", shell=True)', '$ evil x'],
    ['python3', 'import subprocess; subprocess.call(("evil",))', 'evil'],
    ['python3', 'import subprocess; subprocess.run(args=["evil"])', 'evil'],
    ['python3', 'import subprocess, shlex; subprocess.run(shlex.split("evil a"))', '$ evil a'],
    ['python3', 'import os; os.execv("/bin/sh", ["sh", "-c", "evil"])', '/bin/sh -c evil'],
    ['python3', 'import os; os.spawnlp(os.P_WAIT, "evil", "evil", "a")', 'evil a'],
    ['python3', 'from os import system as s; s("evil")', '$ evil'],
    ['python3', 'import os; s = os.system; s("evil")', '$ evil'],
    ['python3', 'import os; getattr(os, "system")("evil")', '$ evil'],
    ['python3', 'import os; os.system("ev" "il")', '$ evil'],
    ['python3', 'import os; os.system(r"evil")', '$ evil'],
    ['python3', 'import os; os.system("\\x65vil")', '$ evil'],
    ['python3', 'import os; os.system(" ".join(["evil", "a"]))', 'evil a'],
    ['python3', 'exec("import os; os.system(\\"evil\\")")', '$ evil'],
    ['perl', 'system("evil", "a")', 'evil a'],
    ['perl', 'system q{evil a} if 1', '$ evil a'],
    ['perl', 'print qx(evil a)', '$ evil a'],
    ['perl', 'exec "evil"', '$ evil'],
    ['perl', 'my @x = `evil`', '$ evil'],
    ['perl', 'open(my $f, "-|", "evil", "a")', 'evil a'],
    ['perl', 'open F, "evil a |"', '$ evil a'],
    ['perl', 's/x/`evil`/e', '$ evil'],
    ['ruby', 'puts %x(evil a)', '$ evil a'],
    ['ruby', 'IO.popen(%w[evil a])', 'evil a'],
    ['ruby', 'system({"A" => "1"}, "evil")', '$ evil'],
    ['node', 'require("child_process").spawn("evil", ["a"], {shell: true})', 'evil a'],
    ['node', 'const {execSync: e} = require("child_process"); e("evil")', '$ evil'],
    ['node', 'require("child_process")["exec"]("evil")', '$ evil'],
    ['deno', 'new Deno.Command("evil", {args: ["a"]})', 'evil'],
    ['zx', 'await $`evil a`', '$ evil a'],
    ['php', 'echo `evil`;', '$ evil'],
    ['php', 'proc_open(["evil", "a"], [], $p);', 'evil a'],
    ['lua', 'os.execute [[evil a]]', '$ evil a'],
    ['emacs', '(call-process "evil" nil nil nil "a")', 'evil a'],
    ['guile', '(system* "evil" "a")', 'evil a'],
    ['julia', 'run(`evil a`)', '$ evil a'],
    ['ghc', 'System.Process.callProcess "evil" []', 'evil'],
  ])('%s: %s', (program, code, expected) => {
    expect(startedBy(program, code)).toEqual([expected]);
  });

  test('what is fixed of a text that goes on unknown is named up to its last whole word', () => {
    expect(startedBy('python3', 'import os; os.system("evil -x " + y)')).toEqual(['$ ⟨variable:evil -x ⟩']);
    expect(startedBy('perl', 'system("evil $x")')).toEqual(['$ ⟨variable:evil ⟩']);
    expect(startedBy('python3', 'import os; os.system("ev" + y)')).toEqual([]);
  });
});

describe('what only mentions a program starts nothing', () => {
  test.each([
    ['python3', 'print("os.system(evil)")'],
    ['python3', '# import os; os.system("evil")'],
    ['python3', 'import os; os.system(command)'],
    ['python3', 'import os; os.path.exists("evil")'],
    ['python3', 'subsystem("evil")'],
    ['python3', 'def system(x): return "evil"'],
    ['python3', 'import re; re.compile("evil"); app.run("evil")'],
    ['perl', 'print "system(evil)"'],
    ['perl', 'print if /`evil`/'],
    ['perl', '# `evil`'],
    ['ruby', 'puts "evil" # `evil`'],
    ['node', '/evil/.exec("evil")'],
    ['node', 'db.exec("evil"); re.exec("evil")'],
    ['node', 'console.log(`evil`)'],
    ['php', '// `evil`'],
    ['lua', '-- os.execute("evil")'],
    ['emacs', '(message "evil") (find-file "evil")'],
  ])('%s: %s', (program, code) => {
    expect(startedBy(program, code)).toEqual([]);
  });
});

describe('paths that code names are its effects', () => {
  test.each([
    ['python3', 'open("f").read()', ['read /w/f']],
    ['python3', 'open("f", "w")', ['write /w/f']],
    ['python3', 'from pathlib import Path; Path("f").write_text("x")', ['write /w/f']],
    ['python3', 'import shutil; shutil.rmtree("d")', ['write /w/d/**']],
    ['python3', 'import os; os.remove("f")', ['write /w/f']],
    ['node', 'require("fs").rmSync("d", {recursive: true})', ['write /w/d']],
    ['perl', 'open(my $f, "<", "f")', ['read /w/f']],
    ['php', 'file_put_contents("f", "x");', ['write /w/f']],
    // After a change of directory nobody knows which file this is.
    ['python3', 'import os; os.chdir(d); os.remove("f")', []],
  ])('%s: %s', (program, code, expected) => {
    expect(readCode(program, code).effects.map(shownEffect)).toEqual(expected);
  });

  test('a tree that is the root has the tag of one', () => {
    expect(readCode('python3', 'import shutil; shutil.rmtree("/")').tags).toEqual(['delete', 'recursive', 'filesystem-root']);
  });
});

test('the code stays opaque, whatever is found in it', async () => {
  const { programs } = await analyze('python3 -c \'import os; os.system("ls")\'', { specs });
  expect(programs.map(line)).toEqual(['python3 -c import os; os.system("ls")', 'ls']);
  expect(programs[0]?.effects.map(({ kind }) => kind)).toContain('code');
});

test.each([
  "python3 <<'E'\nimport os; os.system('evil')\nE",
  'echo \'import os; os.system("evil")\' | python3',
  'python3.12 -c \'import os; os.system("evil")\'',
  'perl -lane \'system "evil"\' f',
  'node -pe \'require("child_process").execSync("evil")\'',
])('wherever the code stands: %s', async text => {
  const { programs } = await analyze(text, { specs });
  expect(programs.map(line)).toContain('evil');
});

test('no code throws or hangs', () => {
  const piece = fc.constantFrom(
    ...[
      'system',
      '(',
      ')',
      '"',
      "'",
      '`',
      '[[',
      ']]',
      '%w[',
      'q{',
      '}',
      '\\',
      '#',
      '//',
      '/*',
      '\n',
      ',',
      'evil',
      '$x',
      'exec',
      '"""',
      '{',
    ],
  );
  const program = fc.constantFrom('python3', 'perl', 'ruby', 'node', 'php', 'lua', 'emacs', 'julia');
  fc.assert(
    fc.property(program, fc.array(piece, { maxLength: 200 }), (name, pieces) => {
      readCode(name, pieces.join(''));
    }),
  );
  for (const part of ['system(', 'system("a",', '[[', 'q{', "'", '\n!', 's/', '"x"+', 'system system '])
    for (const name of ['python3', 'perl', 'ruby', 'node', 'php', 'lua', 'emacs', 'julia']) {
      const before = performance.now();
      readCode(name, part.repeat(5_000));
      expect(performance.now() - before).toBeLessThan(1_000);
    }
});
