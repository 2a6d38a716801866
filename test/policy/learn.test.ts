import { describe, expect, test } from 'vitest';
import { exampleFacts } from '../../src/policy/example-world.js';
import { combine } from '../../src/policy/layers.js';
import { type Learned, learnRules, type PastQuestion, wouldAllow } from '../../src/policy/learn.js';
import { loadPolicy } from '../../src/policy/load.js';
import { analyzer, REAL_RISKS } from './analysed.js';
import { request, STATE } from './made.js';

async function question(text: string, more: Partial<PastQuestion> = {}): Promise<PastQuestion> {
  const analysis = await analyzer.analyze(request(text), STATE, new AbortController().signal);
  return { request: request(text), state: STATE, analysis, facts: exampleFacts(analysis.query), ...more };
}

const times = (count: number, text: string): string[] => new Array<string>(count).fill(text);

interface Past {
  readonly yeses: readonly string[];
  readonly noes?: readonly string[];
  readonly unclear?: readonly string[];
  readonly profile?: string;
}

async function learned({ yeses, noes = [], unclear = [], profile = 'read-only' }: Past): Promise<Learned> {
  const policy = await loadPolicy({ files: [profile], analyzer });
  const parts = combine([{ name: 'user', policies: [policy], authority: 'full' }], { risks: REAL_RISKS });
  const asked = (texts: readonly string[]) => Promise.all(texts.map(text => question(text)));
  return learnRules(parts, { yeses: await asked(yeses), noes: await asked(noes), unclear });
}

const commands = ({ rules }: Learned): (string | undefined)[] => rules.map(({ rule }) => rule.command);

describe('rules from answers', () => {
  test('the very words, with the very effects', async () => {
    const found = await learned({ yeses: [...times(3, 'touch a.txt'), ...times(2, 'mkdir -p dist'), 'touch once'] });
    expect(found).toMatchObject({ answered: 5, already: 0 });
    expect(found.rules.map(({ rule, answers, texts }) => ({ ...rule, answers, texts }))).toMatchObject([
      { command: 'touch a.txt', effects: { write: ['/repo/a.txt'] }, answers: 3, texts: ['touch a.txt'] },
      { command: 'mkdir -p dist', answers: 2 },
    ]);
  });

  test('what the policy allows by now needs no rule', async () => {
    expect(await learned({ yeses: times(4, 'ls') })).toEqual({ rules: [], answered: 0, already: 4, bound: 0 });
  });

  test.each([
    ['the same words', 'touch a.txt'],
    ['another spelling of them', "t'ouch'   a.txt"],
    ['a line that the rule would finish', 'ls && touch a.txt'],
  ])('no rule that would have answered a no: %s', async (_, no) => {
    expect(commands(await learned({ yeses: times(3, 'touch a.txt'), noes: [no] }))).toEqual([]);
  });

  test('a no to a line that still asks keeps nothing back', async () => {
    const noes = ['touch a.txt && rm -r src', 'touch b.txt'];
    expect(commands(await learned({ yeses: times(3, 'touch a.txt'), noes }))).toEqual(['touch a.txt']);
  });

  test('two rules that only together would have answered a no are not both there', async () => {
    const yeses = [...times(3, 'touch a.txt'), ...times(2, 'touch b.txt')];
    const found = await learned({ yeses, noes: ['touch a.txt && touch b.txt'] });
    expect(commands(found)).toEqual(['touch a.txt']);
    expect(found.answered).toBe(3);
  });

  test('a line with several asking parts gets a rule for each, or none', async () => {
    const both = await learned({ yeses: times(2, 'touch a.txt && mkdir -p dist') });
    expect(commands(both).sort()).toEqual(['mkdir -p dist', 'touch a.txt']);
    expect(both.answered).toBe(2);
    const half = await learned({ yeses: times(2, 'touch a.txt && python3 -c "$x"') });
    expect(half).toMatchObject({ rules: [], answered: 0 });
  });

  test('a no whose text is not whole keeps back every rule about a program that it could name', async () => {
    const past = { yeses: times(3, 'touch a.txt') };
    expect(commands(await learned({ ...past, unclear: ['touch [redacted:token]'] }))).toEqual([]);
    expect(commands(await learned({ ...past, unclear: ['curl [redacted:token]'] }))).toEqual(['touch a.txt']);
  });

  test.each([
    ['high risk', 'git push --force origin main'],
    ['what cannot be known', 'touch "$x"'],
    ['the floor', 'rm -rf /'],
    ['an ask rule, which an allow does not answer', 'cat .env'],
  ])('never learned: %s', async (_, text) => {
    expect(commands(await learned({ yeses: times(5, text) }))).toEqual([]);
  });

  test('a sub-command with anything behind it only where it did nothing but read, in several forms', async () => {
    const reading = ['git log -1', 'git log -2', 'git log --oneline'];
    expect(commands(await learned({ yeses: reading, profile: 'ask-all' }))).toEqual(['git log **']);
    const writing = ['git add a', 'git add b', 'git add c', 'git add c'];
    expect(commands(await learned({ yeses: writing }))).toEqual(['git add c']);
    // One of the forms was refused: what is left are exact words.
    const refused = await learned({ yeses: [...reading, 'git log -1'], noes: ['git log -3'], profile: 'ask-all' });
    expect(commands(refused)).toEqual(['git log -1']);
  });

  test('what a file of the project decides is counted, and left to remembered answers', async () => {
    const text = '{"scripts":{"test":"true"}}';
    const asked = await question('npm test');
    const hashes = { '/repo/package.json': { sha256: 'a', text } };
    const yes = {
      ...asked,
      facts: { ...exampleFacts(asked.analysis.query), hashes: { ...(asked.facts.known && asked.facts.hashes), ...hashes } },
    } as PastQuestion;
    const policy = await loadPolicy({ files: ['read-only'], analyzer });
    const parts = combine([{ name: 'user', policies: [policy], authority: 'full' }], { risks: REAL_RISKS });
    expect(learnRules(parts, { yeses: [yes, yes, yes], noes: [], unclear: [] })).toMatchObject({ rules: [], bound: 3 });
    const wider = combine(
      [{ name: 'user', policies: [await loadPolicy({ files: ['workspace'], analyzer })], authority: 'full' }],
      {
        risks: REAL_RISKS,
      },
    );
    expect(wouldAllow(wider, [yes, await question('touch a'), await question('ls'), await question('touch /etc/x')])).toBe(2);
  });

  test('a no counts as in a session where nothing was special', async () => {
    const yeses = await Promise.all(times(3, 'touch a.txt').map(text => question(text)));
    const tainted = { state: { ...STATE, lineage: 'tainted', taint: 'a trap' } as const };
    const unknown = { facts: { known: false, reason: 'the shell said nothing' } as const };
    const policy = await loadPolicy({ files: ['read-only'], analyzer });
    const parts = combine([{ name: 'user', policies: [policy], authority: 'full' }], { risks: REAL_RISKS });
    for (const more of [tainted, unknown]) {
      const noes = [await question('touch a.txt', more)];
      expect(commands(learnRules(parts, { yeses, noes, unclear: [] }))).toEqual([]);
    }
  });
});
