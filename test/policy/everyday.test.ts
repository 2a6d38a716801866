import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { judging } from './analysed.js';

const file = join(import.meta.dirname, '../fixtures/policy-corpus/everyday.txt');
const [, readOnly = '', workspace = ''] = readFileSync(file, 'utf8').split(/^#: .*$/m);

const commandsOf = (text: string) => text.split('\n').filter(line => line !== '' && !line.startsWith('#'));

const asked = async (profile: string, lines: string): Promise<{ lines: number; asked: string[] }> => {
  const judge = await judging({ files: [profile] });
  const commands = commandsOf(lines);
  const found: string[] = [];
  for (const command of commands) if ((await judge(command)).decision !== 'allow') found.push(command);
  return { lines: commands.length, asked: found };
};

test('under read-only, one everyday read in fifty asks at most', async () => {
  const { lines, asked: found } = await asked('read-only', readOnly);
  expect(lines).toBeGreaterThan(280);
  // What asks: the environment (it goes to the model), manuals (their reader takes files and programs), xargs behind find.
  expect(found.length / lines, found.join('\n')).toBeLessThan(0.02);
});

test('under workspace, one everyday change in ten asks at most', async () => {
  const { lines, asked: found } = await asked('workspace', workspace);
  expect(lines).toBeGreaterThan(70);
  expect(found.length / lines, found.join('\n')).toBeLessThan(0.1);
});

test('under read-only, no hostile line runs unasked', async () => {
  verifies('P3');
  const judge = await judging({ files: ['read-only'] });
  const hostile = commandsOf(readFileSync(join(import.meta.dirname, '../fixtures/policy-corpus/hostile.txt'), 'utf8'));
  expect(hostile.length).toBeGreaterThan(250);
  const allowed: string[] = [];
  for (const command of hostile) if ((await judge(command)).decision === 'allow') allowed.push(command);
  expect(allowed).toEqual([]);
});
