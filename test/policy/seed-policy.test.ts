import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../src/policy/create-policy.js';
import { exampleFacts } from '../../src/policy/example-world.js';
import { combine } from '../../src/policy/layers.js';
import { loadPolicy } from '../../src/policy/load.js';
import { ShellPolicy } from '../../src/policy/seed-policy.js';
import { verifies } from '../helpers/verifies.js';
import { analyzer, judging } from './analysed.js';
import { request, STATE } from './made.js';

const RM = String.raw`\brm\s+(?:-[a-zA-Z]*[rf][a-zA-Z]*\s+)+(?:/|~|\*)`;

describe('ShellPolicy judges the text alone', () => {
  test('an allow list is exclusive', () => {
    verifies('S3-11', 'S3-13', 'I07');
    const policy = new ShellPolicy({ allowlist: ['^ls\\b', '^cat\\b', '^git status$'] });
    expect(policy.evaluate('ls -la')).toEqual({ decision: 'allow' });
    expect(policy.evaluate('git status')).toEqual({ decision: 'allow' });
    const no = { decision: 'deny', reason: 'command does not match allowlist' };
    expect(policy.evaluate('git status -s')).toEqual(no);
    expect(policy.evaluate('rm x')).toEqual(no);
    expect(new ShellPolicy({ allowlist: [] }).evaluate('ls')).toEqual(no);
  });

  test('a deny list matches without regard to case and names its pattern', () => {
    verifies('S3-11', 'I08');
    const policy = new ShellPolicy({ denylist: [RM] });
    expect(policy.evaluate('rm -rf /')).toEqual({ decision: 'deny', reason: `matches denylist pattern: ${RM}` });
    expect(policy.evaluate('RM -RF /').decision).toBe('deny');
    expect(policy.evaluate('ls').decision).toBe('allow');
    expect(new ShellPolicy({ denylist: [RM], allowlist: ['rm'] }).evaluate('rm -rf /').reason).toContain('denylist');
  });

  test('empty by default; an empty command is denied', () => {
    verifies('S3-11', 'I09');
    const policy = new ShellPolicy();
    expect(policy.evaluate('rm -rf /')).toEqual({ decision: 'allow' });
    expect(policy.evaluate('')).toEqual({ decision: 'deny', reason: 'command is empty' });
    expect(policy.evaluate('  \t\n')).toEqual({ decision: 'deny', reason: 'command is empty' });
  });

  test('patterns are searched in the trimmed command, regular expressions taken as they are', () => {
    expect(new ShellPolicy({ allowlist: [/^ls$/] }).evaluate('  LS \n').decision).toBe('allow');
  });

  test('the callback can only tighten, and denies when it throws', () => {
    verifies('S3-11');
    const denies = new ShellPolicy({
      custom: ({ command }) => ({ decision: command === 'x' ? 'deny' : 'allow', reason: 'not x' }),
    });
    expect(denies.evaluate('x')).toEqual({ decision: 'deny', reason: 'not x' });
    expect(denies.evaluate('y')).toEqual({ decision: 'allow' });
    const allows = new ShellPolicy({ denylist: ['x'], custom: () => ({ decision: 'allow' }) });
    expect(allows.evaluate('x').decision).toBe('deny');
    const throws = new ShellPolicy({
      custom: () => {
        throw new Error('broken');
      },
    });
    expect(throws.evaluate('y')).toEqual({ decision: 'deny', reason: 'the custom policy failed: broken' });
    expect(new ShellPolicy({ custom: () => undefined }).evaluate('y').decision).toBe('allow');
  });

  test.each(['a(b', 'a(?=b)', '(a)\\1'])('%s is an error when it is made, not when it is needed', pattern => {
    expect(() => new ShellPolicy({ denylist: [pattern] })).toThrow(expect.objectContaining({ code: 'POLICY_INVALID' }));
  });

  test('an expression that makes backtrackers slow', () => {
    const policy = new ShellPolicy({ denylist: ['^(a+)+$'] });
    const start = performance.now();
    expect(policy.evaluate(`${'a'.repeat(5_000)}b`).decision).toBe('allow');
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('the residual risk of the text form (S3-12)', () => {
  const BYPASSES = [
    String.raw`\rm -rf /`,
    '${RM:=rm} -rf /',
    'python -c "import shutil; shutil.rmtree(\'/\')"',
    'echo cm0gLXJmIC8= | base64 -d | sh',
    "r''m -rf /",
    'rm -r --force /',
    'find / -delete',
  ];

  const workspace = judging({ files: ['workspace'] });

  test.each(BYPASSES)('%s passes the deny list of the documents', bypass => {
    verifies('S3-12');
    expect(new ShellPolicy({ denylist: [`^${RM}`] }).evaluate(bypass)).toEqual({ decision: 'allow' });
  });

  test.each(BYPASSES)('%s does not run unasked under the analysed form', async bypass => {
    verifies('S3-12');
    expect((await (await workspace)(bypass)).decision).not.toBe('allow');
  });
});

describe('in a gate', () => {
  const engineWith = async (seed: ShellPolicy) => {
    const texts = [{ name: 'seed.json', text: JSON.stringify({ rule: seed.rules() }) }];
    const policy = await loadPolicy({ texts, analyzer });
    const engine = createPolicy(
      combine([{ name: 'seed', policies: [policy], authority: 'full' }], { risks: {}, tighten: seed.tighten }),
    );
    return async (text: string) => {
      const analysis = await analyzer.analyze(request(text), STATE, new AbortController().signal);
      return engine.evaluate(request(text), STATE, analysis, exampleFacts(analysis.query));
    };
  };

  test('lists become rules of kind text; what they cannot say tightens', async () => {
    const judge = await engineWith(new ShellPolicy({ denylist: [RM], allowlist: ['^ls\\b', '^rm\\b'] }));
    expect((await judge('ls -la')).decision).toBe('allow');
    expect((await judge('rm -rf ~')).matches).toContainEqual(
      expect.objectContaining({ decision: 'deny', reason: `matches denylist pattern: ${RM}`, tell: true }),
    );
    expect((await judge('cat f')).matches).toContainEqual(
      expect.objectContaining({ decision: 'deny', reason: 'command does not match allowlist', tell: true }),
    );
    expect((await judge('ls; evil')).decision).toBe('ask');
  });

  test('the floor stands below it', async () => {
    verifies('I09');
    expect((await (await engineWith(new ShellPolicy()))('rm -rf /')).decision).toBe('deny');
  });
});
