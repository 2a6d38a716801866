import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/contract/policy.js';
import { loadPolicy, validatePolicy } from '../../src/policy/load.js';
import { PROFILES, profilePath } from '../../src/policy/policy-file.js';
import { analyzer, judging } from './analysed.js';

const judges = new Map(PROFILES.map(profile => [profile, judging({ files: [profile] })]));

describe.each(PROFILES)('%s', profile => {
  test('every example of every rule holds', async () => {
    const { problems, examples } = await validatePolicy({ files: [profile], analyzer });
    expect(problems).toEqual([]);
    expect(examples.length).toBeGreaterThan(5);
  });

  test('every rule has a reason and examples of both kinds', async () => {
    const policy = await loadPolicy({ files: [profile], analyzer });
    const bare = policy.rules.filter(({ rule }) => !rule.reason || !rule.match?.length || !rule.not_match?.length);
    expect(bare.map(({ rule }) => rule.id)).toEqual([]);
    expect(readFileSync(profilePath(profile), 'utf8')).not.toContain('\t');
  });

  test('nobody can answer from inside', async () => {
    const judge = await judges.get(profile)!;
    for (const text of [
      'shellgate approve k7qd',
      'shellgate deny k7qd',
      'shellgate policy trust x',
      'shellgate grants revoke x',
    ]) {
      expect((await judge(text)).decision, text).toBe('deny');
    }
  });
});

describe('what the profiles are for', () => {
  test.each<[string, Decision, Decision, Decision]>([
    // command, ask-all, read-only, workspace
    ['ls -la', 'ask', 'allow', 'allow'],
    ['git log --oneline -5 | head', 'ask', 'allow', 'allow'],
    ['cd api && export A=1', 'ask', 'allow', 'allow'],
    ['cat .env', 'ask', 'ask', 'ask'],
    ['cat /etc/shadow', 'ask', 'ask', 'ask'],
    ['touch x', 'ask', 'ask', 'allow'],
    ['echo hi > notes.md', 'ask', 'ask', 'allow'],
    ['git add -A && git commit -m x', 'ask', 'ask', 'allow'],
    ['touch ../x', 'ask', 'ask', 'ask'],
    ['echo evil > .git/hooks/pre-commit', 'ask', 'ask', 'ask'],
    ['echo x > package.json', 'ask', 'ask', 'ask'],
    ['rm -rf build', 'ask', 'ask', 'ask'],
    ['git push', 'ask', 'ask', 'ask'],
    ['git reset --hard', 'ask', 'ask', 'ask'],
    ['curl https://example.org', 'ask', 'ask', 'ask'],
    ['npm ci', 'ask', 'ask', 'ask'],
    ['sudo ls', 'ask', 'ask', 'ask'],
    ['env', 'ask', 'ask', 'ask'],
    ['rm -rf ~', 'deny', 'deny', 'deny'],
  ])('%s: %s, %s, %s', async (text, ...expected) => {
    for (const [index, profile] of PROFILES.entries()) {
      const judge = await judges.get(profile)!;
      expect((await judge(text)).decision, profile).toBe(expected[index]);
    }
  });
});
