import { describe, expect, test } from 'vitest';
import { callbackApprover } from '../../src/approval/callback.js';
import { atTime } from '../../src/approval/clock.js';
import type { GivenAnswer } from '../../src/approval/open-question.js';
import { newQuestionId } from '../../src/approval/question.js';
import type { Question } from '../../src/contract/question.js';
import { shownId } from '../../src/contract/question.js';
import { verifies } from '../helpers/verifies.js';
import { ANA, channel, never, no, queueOf, settled, TestClock, yes } from './fixture.js';

describe('an answer', () => {
  test('of the first channel ends the question, and the others are told by whom', async () => {
    verifies('S3-06', 'P3');
    const [one, two] = [channel('one'), channel('two')];
    const { queue, ask, clock } = queueOf([one.approver, two.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    one.say(yes(asked));
    expect(await outcome).toEqual(yes(asked));
    expect(two.signals[0]!.aborted).toBe(true);
    expect(two.signals[0]!.reason).toMatch(/^allowed once by ana \(test\) at \d\d:\d\d:\d\d$/);
    expect(clock.timers).toBe(0);
  });

  test('no: refused with the person’s sentence', async () => {
    verifies('S3-06');
    const one = channel();
    const { queue, ask } = queueOf([one.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    const said = no(asked, { feedback: 'main is frozen' });
    one.say(said);
    expect(await outcome).toEqual({
      outcome: 'refused',
      by: 'approver',
      code: 'APPROVAL_DENIED',
      reason: 'denied by a person',
      feedback: 'main is frozen',
      answer: said,
    });
  });

  test.each(['eof', 'closed'])('%s: refused, and nobody is said to have judged', async how => {
    const one = channel();
    const { queue, ask } = queueOf([one.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    one.say(no(asked, { how }));
    expect(await outcome).toMatchObject({
      code: 'APPROVAL_DENIED',
      reason: expect.stringMatching(/^the (input of the )?terminal/),
    });
  });

  test('edited: the new text comes back', async () => {
    const one = channel();
    const { queue, ask } = queueOf([one.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    const edited = { ...yes(asked), outcome: 'edited', text: 'npm ci --ignore-scripts' };
    one.say(edited);
    expect(await outcome).toEqual(edited);
  });

  test('from outside counts like one of a channel, and the list knows it', async () => {
    const one = channel();
    const { queue, ask, approvals } = queueOf([one.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    expect(await approvals.pending()).toEqual([asked]);
    expect(await approvals.answer(yes(asked))).toEqual({ accepted: true });
    expect(await outcome).toMatchObject({ outcome: 'approved' });
    expect(await approvals.pending()).toEqual([]);
  });

  test('of two sessions, given out of order, each reaches its own', async () => {
    verifies('S3-06', 'I20');
    const { queue, ask, approvals } = queueOf([channel().approver]);
    const [first, second] = [ask('one', { request: { sessionId: 'a' } }), ask('two', { request: { sessionId: 'b' } })];
    const outcomes = [queue.answer(first, never()), queue.answer(second, never())];
    await approvals.answer(no(second, { feedback: 'second' }));
    await approvals.answer(yes(first));
    expect(await Promise.all(outcomes)).toMatchObject([{ outcome: 'approved' }, { outcome: 'refused', feedback: 'second' }]);
  });

  test('five at the same instant, 200 rounds: one wins, four are told', async () => {
    verifies('P3');
    const { queue, ask, approvals, events } = queueOf([channel().approver]);
    for (let round = 0; round < 200; round++) {
      const asked = ask(`echo ${round}`);
      const outcome = queue.answer(asked, never());
      const five = [0, 1, 2, 3, 4].map(n => yes(asked, { approver: { ...ANA, label: `person ${n}` } }));
      const shuffled = round % 2 === 0 ? five : five.toReversed();
      const told = await Promise.all(shuffled.map(answer => approvals.answer(answer)));
      expect(told.filter(each => each.accepted)).toHaveLength(1);
      const winner = shuffled[told.findIndex(each => each.accepted)]!;
      expect(await outcome).toEqual(winner);
      for (const each of told) if (!each.accepted) expect(each.code).toBe('ALREADY_ANSWERED');
    }
    expect(events.filter(event => event.type === 'answer.refused')).toHaveLength(800);
  });
});

describe('an answer that does not count is told why, and recorded', () => {
  async function offered(
    answer: (asked: Question) => GivenAnswer,
    change: Parameters<ReturnType<typeof queueOf>['ask']>[1] = {},
  ) {
    const one = channel();
    const all = queueOf([one.approver]);
    const asked = all.ask('npm ci', change);
    const outcome = all.queue.answer(asked, never());
    const told = await all.approvals.answer(answer(asked));
    const stillOpen = (await all.approvals.pending()).length === 1;
    one.say(no(asked));
    await outcome;
    return { told, stillOpen, events: all.events, asked };
  }

  const foreign: readonly [string, (asked: Question) => GivenAnswer, object, string][] = [
    ['one with another digest', asked => yes(asked, { digest: 'beef'.repeat(16) }), {}, 'ANSWER_FOREIGN'],
    ['one for a question that nobody asked', asked => yes(asked, { questionId: 'zzzz' }), {}, 'UNKNOWN_QUESTION'],
    ['one that is only a host’s word', asked => yes(asked, { level: 'unverified' }), {}, 'LEVEL_TOO_LOW'],
    ['one below what the rule wants', asked => yes(asked), { evaluation: { level: 'keyed' } }, 'LEVEL_TOO_LOW'],
    [
      'an edit below what the rule wants',
      asked => ({ ...yes(asked), outcome: 'edited', text: 'ls' }) as GivenAnswer,
      { evaluation: { level: 'separate-user' } },
      'LEVEL_TOO_LOW',
    ],
  ];
  test.each(foreign)('%s', async (_name, answer, change, code) => {
    verifies('P4');
    const { told, stillOpen, events, asked } = await offered(answer, change);
    expect(told).toMatchObject({ accepted: false, code });
    expect(stillOpen).toBe(true);
    expect(events).toMatchObject([{ type: 'answer.refused', data: { code, answer: answer(asked) } }]);
  });

  test.each<[string, object]>([
    ['a no at any level', { level: 'unverified', outcome: 'denied', how: 'answered' }],
    ['a keyed yes where the rule wants one', { level: 'keyed' }],
    ['a yes of another user where the rule wants a key', { level: 'separate-user' }],
  ])('but %s counts', async (_name, change) => {
    const { told } = await offered(asked => yes(asked, change), { evaluation: { level: 'keyed' } });
    expect(told).toEqual({ accepted: true });
  });

  test('one that comes late names how it ended', async () => {
    verifies('P3');
    const { queue, ask, approvals, events } = queueOf([channel().approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    await approvals.answer(no(asked));
    await outcome;
    const told = await approvals.answer(yes(asked));
    expect(told).toMatchObject({ accepted: false, code: 'ALREADY_ANSWERED' });
    expect('reason' in told && told.reason).toMatch(/^\w{4} was denied by ana \(test\) at [\d:]+\. Nothing changed\.$/);
    expect(await approvals.answer(yes(asked, { digest: 'beef' }))).toMatchObject({ code: 'ANSWER_FOREIGN' });
    expect(events.map(event => event.data['question'])).toEqual([shownId(asked), shownId(asked)]);
  });

  test('a channel’s answer for something else: nothing is asked any more', async () => {
    verifies('P4');
    const one = channel();
    const { queue, ask } = queueOf([one.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    one.say(yes(asked, { digest: 'beef'.repeat(16) }));
    expect(await outcome).toMatchObject({ outcome: 'refused', by: 'approver', code: 'ANSWER_FOREIGN' });
  });
});

describe('a host that the user trusts', () => {
  const outcomes: readonly [string, object, object, string][] = [
    ['its word counts once', {}, {}, 'approved'],
    ['not at high risk', { risk: 'high' }, {}, 'refused'],
    ['not to remember', {}, { remember: { scope: 'session' } }, 'refused'],
    ['not where a rule wants a level', { level: 'same-user' }, {}, 'refused'],
  ];
  test.each(outcomes)('%s', async (_name, evaluation, change, expected) => {
    verifies('P3');
    const host = channel('elicitation', { trusted: true });
    const { queue, ask } = queueOf([host.approver]);
    const asked = ask('npm ci', { evaluation });
    const outcome = queue.answer(asked, never());
    host.say(yes(asked, { level: 'unverified', ...change }));
    expect(await outcome).toMatchObject({ outcome: expected });
  });
});

describe('silence is a no', () => {
  test('after its time', async () => {
    verifies('S3-06', 'P3');
    const one = channel();
    const { queue, ask, clock } = queueOf([one.approver], { expiryMs: 60_000 });
    const asked = ask();
    const outcome = queue.answer(asked, never());
    clock.advance(59_999);
    expect(one.signals[0]!.aborted).toBe(false);
    clock.advance(1);
    expect(await outcome).toMatchObject({ by: 'expiry', code: 'APPROVAL_EXPIRED' });
    expect(one.signals[0]!.reason).toBe('nobody answered in time');
  });

  test('a yes after its time is none, even where the timer is late', async () => {
    verifies('P3');
    const { queue, ask, clock, approvals } = queueOf([channel().approver], { expiryMs: 60_000 });
    const asked = ask();
    const outcome = queue.answer(asked, never());
    clock.sleep(60_000);
    expect(await approvals.answer(yes(asked))).toMatchObject({ accepted: false, code: 'ALREADY_ANSWERED' });
    expect(await outcome).toMatchObject({ code: 'APPROVAL_EXPIRED' });
  });

  test('one that waits for months does not fire at once', async () => {
    const months = 2 ** 31 + 60_000;
    const { queue, ask, clock } = queueOf([channel().approver], { expiryMs: months });
    const asked = ask();
    let ended = false;
    const outcome = queue.answer(asked, never()).finally(() => {
      ended = true;
    });
    await settled();
    clock.advance(months - 1);
    await settled();
    expect(ended).toBe(false);
    expect(Math.max(...clock.longest)).toBeLessThan(2 ** 31);
    clock.advance(1);
    expect(await outcome).toMatchObject({ code: 'APPROVAL_EXPIRED' });
  });

  test('a time that has gone by calls back, and a timer that was taken back does not', () => {
    const clock = new TestClock();
    const called: string[] = [];
    atTime(clock, clock.now() - 5, () => called.push('past'));
    atTime(clock, clock.now() + 100_000, () => called.push('future'))();
    clock.advance(200_000);
    expect(called).toEqual(['past']);
    expect(clock.timers).toBe(0);
  });
});

describe('the caller', () => {
  test('cancels what waits', async () => {
    const one = channel();
    const { queue, ask } = queueOf([one.approver]);
    const caller = new AbortController();
    const outcome = queue.answer(ask(), caller.signal);
    caller.abort('the assistant went away');
    expect(await outcome).toMatchObject({ by: 'caller', code: 'CANCELLED', reason: 'the assistant went away' });
    expect(one.signals[0]!.reason).toBe('cancelled: the assistant went away');
  });

  test('who has cancelled before asks nobody', async () => {
    const one = channel();
    const { queue, ask } = queueOf([one.approver]);
    expect(await queue.answer(ask(), AbortSignal.abort('gone'))).toMatchObject({ code: 'CANCELLED' });
    expect(one.asked).toEqual([]);
  });

  test('closing cancels all, and asks nothing more', async () => {
    const { queue, ask } = queueOf([channel().approver]);
    const outcomes = [queue.answer(ask('one'), never()), queue.answer(ask('two'), never())];
    await queue.close();
    expect(await Promise.all(outcomes)).toMatchObject([{ code: 'CANCELLED' }, { code: 'CANCELLED' }]);
    expect(await queue.answer(ask('three'), never())).toMatchObject({ code: 'CANCELLED', reason: 'the gate was closed' });
  });
});

describe('nobody to ask', () => {
  const nobody: readonly [string, () => Parameters<typeof queueOf>[0], RegExp][] = [
    ['no channel', () => [], /^no one can be asked$/],
    [
      'channels that reach nobody',
      () => [{ name: 'x', request: async () => ({ outcome: 'unavailable', reason: 'no terminal' }) as const }],
      /no one can be asked: no terminal/,
    ],
    ['a socket that nobody watches', () => [channel('socket', { reachable: () => false }).approver], /no one can be asked/],
  ];
  test.each(nobody)('%s: refused at once', async (_name, approvers, reason) => {
    verifies('S3-06');
    const { queue, ask } = queueOf(approvers());
    const outcome = await queue.answer(ask(), never());
    expect(outcome).toMatchObject({ outcome: 'refused', by: 'nobody', code: 'NOBODY_TO_ASK' });
    expect('reason' in outcome && outcome.reason).toMatch(reason);
  });

  test('one channel that is unavailable leaves the question to the others', async () => {
    const [one, two] = [channel('one'), channel('two')];
    const { queue, ask } = queueOf([one.approver, two.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    one.say({ outcome: 'unavailable', reason: 'no terminal' });
    await settled();
    two.say(yes(asked));
    expect(await outcome).toMatchObject({ outcome: 'approved' });
  });

  test('a channel that is attached later is asked what waits, one that is taken out is told', async () => {
    const [one, two] = [channel('one'), channel('two')];
    const { queue, ask, approvals } = queueOf([one.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    const detach = approvals.attach(two.approver);
    expect(two.asked).toEqual([asked]);
    detach();
    expect(two.signals[0]!.reason).toBe('this channel was closed');
    one.say(yes(asked));
    expect(await outcome).toMatchObject({ outcome: 'approved' });
  });
});

describe('a channel that fails', () => {
  const broken: readonly [string, Parameters<typeof queueOf>[0][number]][] = [
    [
      'throws',
      {
        name: 'broken',
        request: () => {
          throw new Error('no');
        },
      },
    ],
    ['rejects', { name: 'broken', request: () => Promise.reject(new Error('no')) }],
    ['returns nothing', { name: 'broken', request: async () => undefined as never }],
    ['returns a yes without a digest', { name: 'broken', request: async () => ({ outcome: 'approved' }) as never }],
    ['returns true', { name: 'broken', request: async () => true as never }],
  ];
  test.each(broken)('%s: refused, nothing runs', async (_name, approver) => {
    verifies('P3');
    const { queue, ask } = queueOf([approver]);
    expect(await queue.answer(ask(), never())).toMatchObject({ outcome: 'refused', by: 'approver', code: 'APPROVER_FAILED' });
  });

  test('after the question ended changes nothing', async () => {
    const [one, two] = [channel('one'), channel('two')];
    const { queue, ask } = queueOf([one.approver, two.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    one.say(yes(asked));
    two.fail(new Error('aborted'));
    expect(await outcome).toMatchObject({ outcome: 'approved' });
  });

  test('a channel’s own late answer is recorded as refused', async () => {
    const [one, two] = [channel('one'), channel('two')];
    const { queue, ask, events } = queueOf([one.approver, two.approver]);
    const asked = ask();
    const outcome = queue.answer(asked, never());
    one.say(no(asked));
    await outcome;
    two.say(yes(asked));
    await settled();
    expect(events).toMatchObject([{ type: 'answer.refused', data: { code: 'ALREADY_ANSWERED' } }]);
  });
});

describe('limits', () => {
  test('twenty questions of one principal wait; the next is refused, another principal’s is not', async () => {
    const { queue, ask, approvals } = queueOf([channel().approver]);
    const outcomes = Array.from({ length: 20 }, (_, n) => queue.answer(ask(`echo ${n}`), never()));
    expect(await queue.answer(ask('one more'), never())).toMatchObject({ by: 'session', code: 'QUEUE_FULL' });
    const other = ask('other', { request: { principal: { kind: 'model', id: 'someone else', label: 'x' } } });
    outcomes.push(queue.answer(other, never()));
    expect(await approvals.pending()).toHaveLength(21);
    await queue.close();
    await Promise.all(outcomes);
  });

  /** Ask and say no. */
  async function denied(all: ReturnType<typeof queueOf>, text: string, change: object = {}) {
    const asked = all.ask(text);
    const outcome = all.queue.answer(asked, never());
    await all.approvals.answer(no(asked, change));
    return outcome;
  }

  test('what was denied is not asked again for ten minutes, and the person’s sentence stands', async () => {
    const one = channel();
    const all = queueOf([one.approver]);
    await denied(all, 'rm -rf x', { feedback: 'use trash' });
    expect(await all.queue.answer(all.ask('rm -rf x'), never())).toMatchObject({
      by: 'approver',
      code: 'REPEATED_REQUEST',
      feedback: 'use trash',
    });
    expect(one.asked).toHaveLength(1);
    all.clock.advance(10 * 60_000);
    const again = all.queue.answer(all.ask('rm -rf x'), never());
    expect(one.asked).toHaveLength(2);
    await all.queue.close();
    await again;
  });

  test('a terminal that went away is nobody’s no: it is asked again', async () => {
    const one = channel();
    const all = queueOf([one.approver]);
    for (const how of ['eof', 'closed', 'eof', 'closed']) await denied(all, 'npm ci', { how });
    expect(one.asked).toHaveLength(4);
  });

  test('three noes in a row pause the principal until a person resumes it', async () => {
    const all = queueOf([channel().approver]);
    for (const text of ['one', 'two', 'three']) await denied(all, text);
    expect(all.events.map(event => event.type)).toEqual(['principal.paused']);
    expect(await all.queue.answer(all.ask('four'), never())).toMatchObject({ code: 'PRINCIPAL_PAUSED' });
    const [paused] = await all.approvals.paused();
    expect(paused).toEqual(all.ask().request.principal);
    all.approvals.resume(paused!.id);
    all.approvals.resume('nobody');
    expect(all.events.map(event => event.type)).toEqual(['principal.paused', 'principal.resumed']);
    expect(await denied(all, 'five')).toMatchObject({ code: 'APPROVAL_DENIED' });
  });

  test.each([
    [2, ['one', 'two'], '2 denials in a row'],
    [5, ['one', 'two', 'three', 'four', 'five'], '5 denials in a row'],
  ])('how many is a choice: %i', async (denialsToPause, texts, reason) => {
    const all = queueOf([channel().approver], { denialsToPause });
    for (const text of texts) expect(await denied(all, text)).toMatchObject({ code: 'APPROVAL_DENIED' });
    const outcome = await all.queue.answer(all.ask('next'), never());
    expect(outcome).toMatchObject({ code: 'PRINCIPAL_PAUSED', reason: expect.stringContaining(reason) });
  });

  test('where who asks also answers, nobody is ever paused', async () => {
    const all = queueOf([channel().approver], { denialsToPause: Number.POSITIVE_INFINITY });
    for (const text of ['one', 'two', 'three', 'four', 'five']) await denied(all, text);
    expect(await all.approvals.paused()).toEqual([]);
  });

  test('a yes in between starts the count anew', async () => {
    const all = queueOf([channel().approver]);
    for (const text of ['one', 'two']) await denied(all, text);
    const asked = all.ask('yes');
    const outcome = all.queue.answer(asked, never());
    await all.approvals.answer(yes(asked));
    await outcome;
    for (const text of ['three', 'four']) await denied(all, text);
    expect(await all.approvals.paused()).toEqual([]);
  });
});

test('ids are short, sayable, and not in use', () => {
  const tried: string[] = [];
  const id = newQuestionId(taken => tried.push(taken) < 500);
  expect(id).toBe(tried.at(-1));
  for (const each of tried) expect(each).toMatch(/^[a-hjkmnp-z2-9]{4}$/);
});

describe('callback', () => {
  test.each<[string, Parameters<typeof callbackApprover>[0], object]>([
    ['approved', () => 'approved', { outcome: 'approved', channel: 'callback', level: 'same-user' }],
    ['denied', () => Promise.resolve('denied' as const), { outcome: 'refused', code: 'APPROVAL_DENIED' }],
    ['denied with a sentence', () => ({ outcome: 'denied', feedback: 'no' }), { outcome: 'refused', feedback: 'no' }],
    ['edited', () => ({ outcome: 'edited', text: 'ls' }), { outcome: 'edited', text: 'ls' }],
    ['unavailable', () => ({ outcome: 'unavailable', reason: 'asleep' }), { code: 'NOBODY_TO_ASK' }],
    [
      'a throw',
      () => {
        throw new Error('broken');
      },
      { code: 'APPROVER_FAILED', reason: 'the approver callback failed: broken' },
    ],
    ['something else', () => 'sure' as never, { code: 'APPROVER_FAILED' }],
    ['nothing', () => undefined as never, { code: 'APPROVER_FAILED' }],
  ])('%s', async (_name, decide, expected) => {
    verifies('S3-06');
    const { queue, ask } = queueOf([callbackApprover(decide)]);
    expect(await queue.answer(ask(), never())).toMatchObject(expected);
  });

  test('cannot answer for another question, whatever it returns', async () => {
    verifies('P4');
    const forged = { outcome: 'approved', questionId: 'zzzz', digest: 'beef', level: 'separate-user' } as const;
    const { queue, ask } = queueOf([callbackApprover(() => forged)]);
    const asked = ask();
    expect(await queue.answer(asked, never())).toMatchObject({
      questionId: asked.id,
      digest: asked.evaluation.digest,
      level: 'same-user',
    });
  });
});
