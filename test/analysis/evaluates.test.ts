import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { specs } from '../../src/analysis/specs/index.js';
import type { Analysis } from '../../src/contract/analysis.js';
import { analyze } from './analyzing.js';

const LINES = readFileSync(join(import.meta.dirname, '../fixtures/policy-corpus/evaluates.txt'), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'));

/** Did the payload run in a real bash? */
async function ran(text: string): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'shellgate-evaluates-'));
  try {
    writeFileSync(join(directory, 'f'), 'x\n');
    await new Promise<void>(resolve => {
      const env = { PATH: '/usr/bin:/bin', HOME: directory };
      const options = { cwd: directory, env, timeout: 10_000 };
      const child = execFile('/bin/bash', ['--noprofile', '--norc', '-c', text], options, () => resolve());
      child.stdin?.end();
    });
    return existsSync(join(directory, 'M'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const isNamed = ({ programs }: Analysis): boolean =>
  programs.some(({ name }) => 'text' in name && /^(\/usr\/bin\/|\/bin\/)?touch$/.test(name.text));

const isDoubted = ({ programs, effects, opaque }: Analysis): boolean =>
  opaque.length > 0 ||
  programs.some(program => program.opaque.length > 0) ||
  [...effects, ...programs.flatMap(program => program.effects)].some(({ kind }) => kind === 'code' || kind === 'exec');

test('whatever bash itself evaluates is named or asked about', { timeout: 120_000 }, async () => {
  const missed: string[] = [];
  let payloads = 0;
  for (const line of LINES) {
    const text = line.replaceAll('⏎', '\n');
    if (!(await ran(text))) continue;
    payloads += 1;
    const analysis = await analyze(text, { specs });
    if (!isNamed(analysis) && !isDoubted(analysis)) missed.push(line);
  }
  expect(payloads).toBeGreaterThan(100);
  expect(missed).toEqual([]);
});
