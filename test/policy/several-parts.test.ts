import { describe, expect, test } from 'vitest';
import { callbackApprover } from '../../src/approval/callback.js';
import type { Approved } from '../../src/contract/answer.js';
import { answerSchema } from '../../src/contract/answer.js';
import type { Evaluation, Suggestion } from '../../src/contract/policy.js';
import { createGate } from '../../src/create-gate.js';
import type { PolicyEngine } from '../../src/policy/create-policy.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { analysedEngine, questionWith } from './analysed.js';
import { YES } from './made.js';

const engine = (): Promise<PolicyEngine> => analysedEngine({ files: ['read-only'] });

const judge = async (policy: PolicyEngine, text: string): Promise<Evaluation> => (await questionWith(policy, text)).evaluation;

const yes = ({ rule, also }: Pick<Suggestion, 'rule' | 'also'>): Approved => ({
  ...YES,
  remember: { scope: 'session', rule, ...(also && { also }) },
});

const commands = ({ suggestions }: Evaluation) =>
  suggestions.map(({ rule, also = [] }) => [rule, ...also].map(one => one.command));

describe('a line with several asking parts', () => {
  test('is offered one rule each, for the session', async () => {
    const { suggestions } = await judge(await engine(), 'touch a.txt && ls && mkdir -p dist');
    expect(suggestions).toMatchObject([
      { scope: 'session', rule: { command: 'touch a.txt' }, also: [{ command: 'mkdir -p dist' }] },
    ]);
  });

  test('with sub-commands as such, where all of them can be shown', async () => {
    const policy = await engine();
    expect(commands(await judge(policy, 'git add a && git branch x && git branch y'))).toEqual([['git add **', 'git branch **']]);
    const long = 'git add a && git branch x && git tag y && git mv p q';
    expect(commands(await judge(policy, long))).toEqual([['git add a', 'git branch x', 'git tag y', 'git mv p q']]);
  });

  test.each([
    ['one of them is opaque', 'touch a.txt && touch "$x"'],
    ['one of them is of high risk', 'touch a.txt && git push --force'],
    ['one of them is denied', 'touch a.txt && rm -rf /'],
    ['an ask rule that is not to be remembered', 'touch a.txt && shellgate grants revoke x'],
  ])('is offered nothing where %s', async (_, text) => {
    expect(commands(await judge(await engine(), text))).toEqual([]);
  });

  test('remembered, it is silent, also in parts; half of it would not have been', async () => {
    const text = 'touch a.txt && mkdir -p dist';
    const policy = await engine();
    const question = await questionWith(policy, text);
    const offer = question.evaluation.suggestions[0]!;
    expect(await policy.remember(question, yes({ rule: offer.rule }))).toMatchObject({
      problem: expect.stringContaining('would not silence'),
    });
    const ask = { ...offer.also![0]!, decision: 'deny' as const };
    expect(await policy.remember(question, yes({ rule: offer.rule, also: [ask] }))).toHaveProperty('problem');
    expect((await judge(policy, text)).decision).toBe('ask');
    const given = yes(offer);
    expect(answerSchema.parse(given)).toEqual(given);
    expect(await policy.remember(question, given)).toMatchObject({ scope: 'session', also: [{ command: 'mkdir -p dist' }] });
    const after = await judge(policy, text);
    expect(after).toMatchObject({
      decision: 'allow',
      matches: expect.arrayContaining([expect.objectContaining({ source: 'grant' })]),
    });
    expect((await judge(policy, 'mkdir -p dist')).decision).toBe('allow');
    expect((await judge(policy, 'mkdir -p dist && touch b.txt')).decision).toBe('ask');
    await policy.grants.revoke(policy.grants.list()[0]!.id);
    expect((await judge(policy, text)).decision).toBe('ask');
  });

  test('through a gate: asked once, recorded once', async () => {
    const cwd = temporaryDirectory();
    let asked = 0;
    const approver = callbackApprover(({ evaluation }) => {
      asked += 1;
      const { rule, also } = evaluation.suggestions[0]!;
      return { outcome: 'approved', remember: { scope: 'session', rule, ...(also && { also }) } };
    });
    await using gate = await createGate({ cwd, approver, audit: `${cwd}/.audit` });
    await using session = await gate.openSession();
    for (const _ of [1, 2]) expect(await session.run('touch a && mkdir -p d')).toMatchObject({ outcome: 'exited', exitCode: 0 });
    expect(asked).toBe(1);
  });
});

describe("a project's own tools", () => {
  test.each<[string, string[], string]>([
    [
      'bunx eslint src/a.ts --fix',
      ['bunx eslint src/b.ts --fix', 'bunx eslint src/*.ts', 'bunx eslint --fix src'],
      'bunx eslint --fix /etc/x',
    ],
    ['npx vitest run src/a.test.ts', ['npx vitest run', 'npx vitest src/b.test.ts -t "x y"'], 'npx evil'],
    ['prettier --write src/*.ts', ['prettier --write src/b.ts', 'prettier --check .'], "prettier --write '../**'"],
    ['pytest tests/test_a.py -x', ['pytest tests -k name', 'pytest'], 'python tests/test_a.py'],
  ])('one answer to %s holds for other files of the workspace, not for more', async (first, silent, other) => {
    const policy = await engine();
    const question = await questionWith(policy, first);
    const [offer] = question.evaluation.suggestions;
    expect(await policy.remember(question, yes(offer!))).toHaveProperty('id');
    for (const text of [first, ...silent]) expect((await judge(policy, text)).decision, text).toBe('allow');
    for (const text of [other, `${first} > /etc/out`]) expect((await judge(policy, text)).decision, text).not.toBe('allow');
  });
});

describe('what one remembered rule does not reach', () => {
  test.each([
    ['pip install requests', 'pip install flask', 'pip install git+https://other.example/x'],
    ['pip install requests', 'pip install flask', "pip install 'x @ https://other.example/x.whl'"],
    ['pip install requests', 'pip install flask', 'pip install ../x'],
    ['pip install requests', 'pip install flask', 'pip install -r https://other.example/list'],
    ['npm install', 'npm install left-pad', 'npm install x@https://other.example/y.tgz'],
    ['npm install', 'npm install left-pad', 'npm install file:../x'],
    ['npm install', 'npm install left-pad', 'npm install -g x'],
    ['git push', 'git push origin main', 'git -C ../other push'],
    ['git remote add x https://h.example/x', 'git remote add y https://h.example/x', 'git remote add x https://other.example/x'],
  ])('%s allows %s, and asks about %s', async (first, same, other) => {
    const policy = await engine();
    const question = await questionWith(policy, first);
    expect(await policy.remember(question, yes(question.evaluation.suggestions[0]!))).toHaveProperty('id');
    for (const text of [first, same]) expect((await judge(policy, text)).decision, text).toBe('allow');
    expect((await judge(policy, other)).decision).toBe('ask');
  });

  test.each(['LD_PRELOAD=./a.so ls', "NODE_OPTIONS='--require ./a' npm test", 'PYTHONPATH=a python3 x.py', 'MAKEFLAGS=-j4 make'])(
    'a variable is not remembered by its name alone: %s',
    async text => {
      const { decision, suggestions } = await judge(await engine(), text);
      expect({ decision, suggestions }).toEqual({ decision: 'ask', suggestions: [] });
    },
  );
});
