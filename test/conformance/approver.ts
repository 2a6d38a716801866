import { describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, type Approver, answerSchema } from '../../src/contract/answer.js';
import { canonicalJson } from '../../src/contract/canonical.js';
import type { Question } from '../../src/contract/question.js';
import { question } from '../approval/fixture.js';
import { verifies } from '../helpers/verifies.js';

/** A channel, and a person who can be made to speak through it. */
export interface Spoken {
  readonly approver: Approver;
  /** The person says yes or no to a question that was asked. */
  say?(what: 'yes' | 'no', to: Question): void | Promise<void>;
}

/** How soon after the end of a question a channel lets go of it. */
const SOON_MS = 2_000;

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

const within = <T>(promise: Promise<T>): Promise<T | 'too late'> => {
  let timer: NodeJS.Timeout;
  const late = new Promise<'too late'>(resolve => {
    timer = setTimeout(resolve, SOON_MS, 'too late');
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** What every Approver promises. `make` may be called often; what it makes it also cleans up. */
export function approverConformance(
  name: string,
  make: () => Spoken | Promise<Spoken>,
  /** `answersItself: false`: its answers come on another way, through the queue. */
  { answersItself = true } = {},
): void {
  describe(`${name} is an approver`, () => {
    /** Ask it; a question that is still open at the end of the test is ended. */
    function ask({ approver }: Spoken, asked: Question) {
      const ended = new AbortController();
      const answer = approver.request(asked, ended.signal);
      onTestFinished(async () => {
        ended.abort('the test is over');
        await answer.catch(() => {});
      });
      return { answer, end: (sentence: string) => ended.abort(sentence) };
    }

    test('it has a name', async () => {
      const spoken = await make();
      expect(spoken.approver.name).not.toBe('');
    });

    test('a question that has ended before is not asked', async () => {
      const { approver } = await make();
      const answer = approver.request(question(), AbortSignal.abort('answered elsewhere'));
      expect(await within(answer)).toEqual({ outcome: 'unavailable', reason: 'answered elsewhere' });
    });

    test('a question that ends elsewhere is let go of soon, with its sentence', async () => {
      verifies('P3');
      const { answer, end } = ask(await make(), question());
      setTimeout(end, 20, 'allowed once by ana (web)');
      expect(await within(answer)).toEqual({ outcome: 'unavailable', reason: 'allowed once by ana (web)' });
    });

    test('asking changes nothing about the question', async () => {
      const asked = frozen(question('rm -rf x\u202e'));
      const before = canonicalJson(asked);
      const { answer, end } = ask(await make(), asked);
      setTimeout(end, 20, 'over');
      await answer;
      expect(canonicalJson(asked)).toBe(before);
    });

    if (!answersItself) return;

    test.each(['yes', 'no'] as const)('a %s is an answer to this question, and to these bytes', async what => {
      verifies('P3', 'P4');
      const spoken = await make();
      const asked = question();
      const { answer } = ask(spoken, asked);
      await spoken.say!(what, asked);
      const given = await within(answer);
      expect(answerSchema.safeParse(given).error).toBeUndefined();
      expect(given).toMatchObject({
        outcome: what === 'yes' ? 'approved' : 'denied',
        questionId: asked.id,
        digest: asked.evaluation.digest,
      });
    });

    test('of two questions each gets its own answer', async () => {
      verifies('P4', 'I20');
      const spoken = await make();
      const [first, second] = [question('one', { id: 'aaaa' }), question('two', { id: 'bbbb' })];
      const answers = [ask(spoken, first).answer, ask(spoken, second).answer];
      await spoken.say!('no', first);
      await spoken.say!('yes', second);
      const given = (await Promise.all(answers)) as Exclude<Answer, { outcome: 'unavailable' }>[];
      expect(given.map(({ outcome, questionId }) => [outcome, questionId])).toEqual([
        ['denied', 'aaaa'],
        ['approved', 'bbbb'],
      ]);
    });
  });
}
