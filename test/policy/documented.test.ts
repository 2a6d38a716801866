import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TAGS } from '../../src/analysis/tags.js';
import { EFFECT_KINDS } from '../../src/policy/effect-pattern.js';
import { validatePolicy } from '../../src/policy/load.js';
import { FIELDS } from '../../src/policy/schema.js';
import { analyzer } from './analysed.js';

const text = readFileSync(join(import.meta.dirname, '../../docs/policy.md'), 'utf8');

/** Rows of the table under a heading, as their cells. */
function table(heading: string): string[][] {
  const section = text.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const rows = section.split('\n').filter(line => line.startsWith('| `'));
  return rows.map(row => row.slice(2, -2).split(' | '));
}

const names = (heading: string): string[] => table(heading).map(([name]) => name!.replaceAll('`', ''));

test('every policy in docs/policy.md loads, its examples included', async () => {
  const policies = [...text.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, policy]) => policy!);
  expect(policies.length).toBeGreaterThan(0);
  for (const policy of policies) {
    const report = await validatePolicy({ texts: [{ name: 'policy.md', text: policy }], analyzer });
    expect(report.problems).toEqual([]);
    expect(report.examples.length).toBeGreaterThan(5);
  }
});

test('its tables name every field, effect and tag, and no other', () => {
  expect(names('A rule').sort()).toEqual([...FIELDS.rule].sort());
  expect(names('Effects').sort()).toEqual([...EFFECT_KINDS].sort());
  expect(table('Tags')).toEqual(Object.entries(TAGS).map(([name, { risk, meaning }]) => [`\`${name}\``, risk, meaning]));
});
