import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Analysis } from '../../src/contract/analysis.js';
import type { Approved } from '../../src/contract/answer.js';
import type { SessionFacts } from '../../src/contract/facts.js';
import type { Decision, Policy } from '../../src/contract/policy.js';
import type { Question } from '../../src/contract/question.js';
import { verifies } from '../helpers/verifies.js';
import { analysis, effect, factsFor, program, request, STATE } from '../policy/made.js';

const RANK: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };

const effects = fc.array(
  fc.tuple(
    fc.constantFrom('read', 'write', 'network', 'code', 'privilege' as const),
    fc.constantFrom('/repo/a', '/etc/x', '/**', '?', 'host', ''),
  ),
  { maxLength: 3 },
);
const parts = fc.record({
  words: fc.constantFrom('ls', 'git log', 'git push ?', 'rm -rf x', 'evil', '? x', 'cat /etc/x'),
  effects,
  specified: fc.boolean(),
  isOpaque: fc.boolean(),
  tags: fc.subarray(['delete', 'force-push', 'wrapper']),
});

/** Analyses of up to four programs, with whatever effects, tags and unknown words. */
const analyses = fc.array(parts, { maxLength: 4 }).map(all =>
  analysis(
    all.map(part =>
      program(part.words, {
        specified: part.specified,
        tags: part.tags,
        effects: part.effects.map(([kind, target]) => effect(kind, target)),
        opaque: part.isOpaque ? [{ code: 'variable', text: 'nobody knows' }] : [],
      }),
    ),
  ),
);

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

/** What every Policy promises, whatever its rules are. */
export function policyConformance(name: string, make: () => Promise<Policy>): void {
  describe(`${name} is a policy`, () => {
    const holds = async (property: (policy: Policy, of: Analysis) => void) => {
      const policy = await make();
      fc.assert(
        fc.property(analyses, of => property(policy, of)),
        { numRuns: 60 },
      );
    };

    test('evaluate is pure: the same verdict again, and nothing is changed', () =>
      holds((policy, of) => {
        const facts = frozen(factsFor(of));
        const first = policy.evaluate(frozen(request('x')), frozen({ ...STATE }), frozen(of), facts);
        expect(policy.evaluate(request('x'), { ...STATE }, of, facts)).toEqual(first);
      }));

    test('the strictest part decides, every part has a verdict, every match a reason', () => {
      verifies('P3');
      return holds((policy, of) => {
        const { decision, parts: verdicts, matches, digest } = policy.evaluate(request('x'), STATE, of, factsFor(of));
        expect(verdicts).toHaveLength(of.programs.length);
        for (const verdict of verdicts) expect(RANK[decision]).toBeGreaterThanOrEqual(RANK[verdict]);
        for (const match of matches) expect(match.reason).not.toBe('');
        expect(digest).toMatch(/^[0-9a-f]{64}$/);
        if (of.programs.some(({ opaque }) => opaque.length > 0)) expect(decision).not.toBe('allow');
      });
    });

    test('less known is never looser', () => {
      verifies('P3', 'P11');
      return holds((policy, of) => {
        const known = policy.evaluate(request('x'), STATE, of, factsFor(of)).decision;
        const unknown = policy.evaluate(request('x'), STATE, of, { known: false, reason: 'x' }).decision;
        const tainted = policy.evaluate(request('x'), { ...STATE, lineage: 'tainted' }, of, factsFor(of)).decision;
        for (const decision of [unknown, tainted]) {
          expect(decision).not.toBe('allow');
          expect(RANK[decision]).toBeGreaterThanOrEqual(RANK[known]);
        }
      });
    });

    test('evaluate is total: what cannot be read is a deny', async () => {
      verifies('P3');
      const policy = await make();
      for (const broken of [undefined, null, {}, { programs: [{}] }, { programs: 'x' }]) {
        const facts: SessionFacts = { known: false, reason: 'x' };
        const verdict = policy.evaluate(request('x'), STATE, broken as unknown as Analysis, facts);
        expect(verdict.decision).toBe('deny');
        expect(verdict.matches.some(match => match.source === 'error')).toBe(true);
      }
    });

    test('remember never rejects', async () => {
      const policy = await make();
      for (const broken of [undefined, {}, { request: request('x') }]) {
        const kept = await policy.remember(broken as unknown as Question, { remember: { scope: 'session' } } as Approved);
        expect(kept).toHaveProperty('problem');
      }
    });
  });
}
