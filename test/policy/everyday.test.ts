import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judging } from './analysed.js';

const file = join(import.meta.dirname, '../fixtures/policy-corpus/everyday.txt');
const [, readOnly = '', workspace = ''] = readFileSync(file, 'utf8').split(/^#: .*$/m);

const asked = async (profile: string, lines: string): Promise<{ lines: number; asked: string[] }> => {
  const judge = await judging({ files: [profile] });
  const commands = lines.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  const found: string[] = [];
  for (const command of commands) if ((await judge(command)).decision !== 'allow') found.push(command);
  return { lines: commands.length, asked: found };
};

test('under read-only, one everyday read in fifty asks at most', async () => {
  const { lines, asked: found } = await asked('read-only', readOnly);
  expect(lines).toBeGreaterThan(280);
  // What is shown goes to the model: the environment. What no rule of the profile covers: manuals, which start a pager.
  expect(found.length / lines, found.join('\n')).toBeLessThan(0.02);
});

test('under workspace, one everyday change in ten asks at most', async () => {
  const { lines, asked: found } = await asked('workspace', workspace);
  expect(lines).toBeGreaterThan(70);
  expect(found.length / lines, found.join('\n')).toBeLessThan(0.1);
});
