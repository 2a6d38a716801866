import { describe, expect, test } from 'vitest';
import { translate } from './translate.mjs';

describe('rules in words', () => {
  test.each<[string, unknown[]]>([
    ['allow ls', [{ decision: 'allow', command: 'ls' }]],
    ['allow git log *', [{ decision: 'allow', command: 'git log **' }]],
    [
      'allow echo *, cat *',
      [
        { decision: 'allow', command: 'echo **' },
        { decision: 'allow', command: 'cat **' },
      ],
    ],
    [
      'allow sort *; writes limited to workspace',
      [{ decision: 'allow', command: 'sort **', effects: { write: ['${workspace}/**'] } }],
    ],
    ['allow cat *; reads limited to workspace', [{ decision: 'allow', command: 'cat **' }]],
    ['deny evil; PATH frozen', [{ decision: 'deny', command: 'evil **' }]],
    [
      'deny evil; allow echo *',
      [
        { decision: 'allow', command: 'echo **' },
        { decision: 'deny', command: 'evil **' },
      ],
    ],
    ['deny read .env', [{ decision: 'deny', effects: { read: ['**/.env'] } }]],
    ['deny curl * | sh', [{ decision: 'deny', tags: ['net-to-shell'] }]],
    [
      'allow tar *; deny --to-command',
      [
        { decision: 'allow', command: 'tar **' },
        { decision: 'deny', command: 'tar ** --to-command* **' },
      ],
    ],
    ['allow (bare assignment)', [{ decision: 'allow', effects: { state: ['variables'] } }]],
    [
      'allow git commit *',
      [{ decision: 'allow', command: 'git commit **', effects: { write: ['${workspace}/**', '${workspace}/.git/**'] } }],
    ],
    ['(approval text)', []],
    ['always-deny home removal', []],
    ['allow *', []],
    ['', []],
  ])('%s', (words, rules) => {
    expect(translate(words)).toEqual(rules.map((rule, index) => ({ ...(rule as object), id: `rule-${index + 1}` })));
  });

  test('a shipped profile by its name', () => {
    const rules = translate('allow read-only; deny evil');
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.at(-1)).toMatchObject({ decision: 'deny', command: 'evil **' });
    expect(translate('allow workspace').length).toBeGreaterThan(rules.length);
  });

  test.each(['allow ls; between nine and five', 'ls *', 'forbid evil'])('%s is not understood, and that is said', words => {
    expect(() => translate(words)).toThrow('is not understood');
  });
});
