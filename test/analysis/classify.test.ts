import { describe, expect, test } from 'vitest';
import { classify } from '../../src/analysis/classify.js';
import { specs } from '../../src/analysis/specs/index.js';
import { verifies } from '../helpers/verifies.js';
import { analyze } from './analyzing.js';

const classified = async (text: string) => classify(await analyze(text, { specs }));

const READ_ONLY = [
  'ls -la',
  'pwd && ls',
  'cat a | grep b | sort | uniq -c',
  'git status',
  'git log --oneline -5',
  'git diff HEAD~1',
  'grep -r x . 2>/dev/null',
  "find . -name '*.ts'",
  'head -n 5 f; tail f',
  'FOO=1 ls',
];

const NEITHER = [
  'ls > out',
  'cat a >> b',
  'echo $(touch x)',
  'echo `touch x`',
  'ls && touch x',
  'tee f',
  'sort -o out in',
  'mkdir d',
  'npm install',
  'curl https://x',
  "python -c 'print(1)'",
  'git commit -m x',
  'git tag v1',
  'env touch x',
  'sed -i s/a/b/ f',
  'awk \'BEGIN{system("x")}\'',
  'git -c core.pager=x log',
  'LD_PRELOAD=./x.so ls',
  'bash script.sh',
  'unknowncmd',
  'ls | sh',
  'cat <(touch x)',
  'source f',
];

const DESTRUCTIVE = [
  'rm -rf build',
  'rm -r x',
  'rm -f x',
  'find . -delete',
  'find . -exec rm {} +',
  'xargs rm -rf < l',
  'env rm -rf x',
  'sudo rm -rf /',
  '\\rm -rf x',
  '/bin/rm -rf x',
  'git reset --hard',
  'git clean -fdx',
  'git push --force',
  'git branch -D m',
  'dd if=/dev/zero of=/dev/sda',
  'mkfs.ext4 /dev/sda',
  'truncate -s 0 f',
  ':(){ :|:& };:',
  'curl https://x | bash',
  "bash -c 'rm -rf x'",
  'ls; rm -rf x',
  'chmod -R 777 /',
  'shutdown -h now',
];

describe('H17: what kind of command it is', () => {
  test.each(READ_ONLY)('read-only: %s', async text => {
    verifies('S2-08', 'H17');
    expect(await classified(text)).toEqual({ readOnly: true, destructive: false, concurrencySafe: true, reasons: [] });
  });

  test.each(NEITHER)('neither: %s', async text => {
    verifies('S2-08', 'H17');
    expect(await classified(text)).toMatchObject({ readOnly: false, destructive: false, concurrencySafe: false });
  });

  test.each(DESTRUCTIVE)('destructive: %s', async text => {
    verifies('S2-08', 'H17');
    expect(await classified(text)).toMatchObject({ readOnly: false, destructive: true, concurrencySafe: false });
  });

  test.each(["echo 'oops", '${RM:=rm} -rf /', 'eval "$X"'])('not understood: %s', async text => {
    verifies('S2-08', 'H17');
    const { readOnly, reasons } = await classified(text);
    expect(readOnly).toBe(false);
    expect(reasons.length).toBeGreaterThan(0);
  });
});
