import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderPassword, renderTypedInput } from '../../src/approval/prompt/input-text.js';
import { canRemember } from '../../src/approval/prompt/question-facts.js';
import { type PromptFrame, renderQuestion } from '../../src/approval/prompt/question-text.js';
import { renderRule } from '../../src/approval/prompt/rule-text.js';
import { width } from '../../src/approval/prompt/text-layout.js';
import type { Question } from '../../src/contract/question.js';
import { verifies } from '../helpers/verifies.js';
import { offer, program, question } from './fixture.js';

const NOW = Date.parse('2026-11-20T21:00:00Z');
const frame = (change: Partial<PromptFrame> = {}): PromptFrame => ({
  columns: 110,
  rows: 40,
  view: 'ask',
  page: 0,
  waiting: 0,
  now: NOW,
  ...change,
});
const shown = (of: Question, change: Partial<PromptFrame> = {}) => renderQuestion(of, frame(change)).lines.join('\n');

const TEST = 'npm ci && npm test -- --grep "login flow"';

/** Screen c. */
const ordinary = question(TEST, {
  now: NOW,
  programs: [
    program('npm ci', {
      span: { start: 0, end: 6 },
      effects: [
        { kind: 'network', target: { text: 'the npm registry' } },
        { kind: 'code', detail: 'runs install scripts' },
      ],
    }),
    program('npm test', {
      span: { start: 10, end: TEST.length },
      effects: [{ kind: 'code', detail: 'runs package.json "test" = vitest run' }],
    }),
  ],
  names: { npm: '/usr/bin/npm' },
  hashes: { '/home/ana/repo/package.json': '3f9a0c11aa' },
  evaluation: { parts: ['ask', 'ask'], suggestions: [offer('session', 'npm test **'), offer('always', 'npm test **')] },
});

/** Screen d. */
const high = question('git push --force origin main', {
  id: 'm2xe',
  now: NOW,
  request: { sessionId: 'api', description: 'update main' },
  programs: [
    program('git push --force origin main', {
      effects: [{ kind: 'network', target: { text: 'github.com' }, detail: 'replaces commits on github.com:acme/api' }],
      tags: ['force-push'],
    }),
  ],
  names: { git: '/usr/bin/git' },
  evaluation: {
    risk: 'high',
    riskReason: 'rewrites published history',
    matches: [
      {
        source: 'rule',
        decision: 'ask',
        rule: 'force-push',
        place: 'read-only.toml:41',
        reason: 'rewrites published history',
      },
    ],
    suggestions: [offer('session', 'git push **')],
  },
});

test('screen c at 110 columns', () => {
  expect(shown(ordinary, { waiting: 2 })).toBe(
    `
┌ k7qd  claude-code asks (pid 4021 /usr/bin/claude)   session main · ~/repo · bash   2 more waiting
│ $ npm ci && npm test -- --grep "login flow"
│   1  npm ci                      ask    network the npm registry; runs install scripts         /usr/bin/npm
│   2  npm test -- --grep "login…  ask    runs package.json "test" = vitest run                  /usr/bin/npm
│ relies on: ~/repo/package.json (content 3f9a0c11)
│ why: no rule covers project code (policy read-only)
└ y once   s session: npm test **   a always…   e edit   n no + why   x explain   v full text   Enter = no`.slice(1),
  );
});

test('screen c at 40 columns: the same facts, none cut away', () => {
  expect(shown(ordinary, { columns: 40, waiting: 2 })).toBe(
    `
┌ k7qd  claude-code asks (pid 4021
│ /usr/bin/claude)
│ session main · ~/repo · bash
│ 2 more waiting
│ $ npm ci && npm test -- --grep "login
│    flow"
│   1  npm ci        ask
│       network the npm registry; runs
│       install scripts    /usr/bin/npm
│   2  npm test --…  ask
│       runs package.json "test" =
│       vitest run         /usr/bin/npm
│ relies on: ~/repo/package.json
│            (content 3f9a0c11)
│ why: no rule covers project code
│      (policy read-only)
│ y once   s session: npm test **
│ a always…   e edit   n no + why
└ x explain   v full text   Enter = no`.slice(1),
  );
});

test('screen d at 110 columns: high risk wants a typed yes and remembers nothing', () => {
  verifies('P3');
  expect(shown(high)).toBe(
    `
┌ m2xe  claude-code asks (pid 4021 /usr/bin/claude)   session api · ~/repo · bash
│ HIGH: rewrites published history
│ $ git push --force origin main
│   1  git push --force origin m…  ask    network github.com (replaces commits on github.com:acme/api)
│                                         /usr/bin/git
│ why: rewrites published history (rule force-push, read-only.toml:41)
│ the assistant says: update main
└ type yes to run it once   e edit   n no + why   x explain   v full text   Enter, Esc, ^C = no`.slice(1),
  );
});

test('screen d at 40 columns', () => {
  const lines = shown(high, { columns: 40 });
  for (const part of ['HIGH: rewrites published history', '$ git push --force origin main', 'type yes to run it once']) {
    expect(lines).toContain(part);
  }
  expect(lines).not.toMatch(/session:|always/);
});

describe('whatever is asked', () => {
  const command = fc.string({
    unit: fc.oneof(fc.constantFrom(...'ls -|\n ;'), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
    maxLength: 80,
  });

  test('no line is wider than the terminal, and nothing in it acts on one', () => {
    verifies('P4');
    fc.assert(
      fc.property(
        command,
        fc.integer({ min: 20, max: 120 }),
        fc.constantFrom('ask', 'explain', 'text'),
        (text, columns, view) => {
          const asked = question(text, { request: { description: text, sessionId: text.slice(0, 9) || 's', stdin: text } });
          const { lines } = renderQuestion(asked, frame({ columns, view, rows: 1_000 }));
          for (const line of lines) {
            expect(width(line)).toBeLessThanOrEqual(Math.max(39, columns - 1));
            expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('a page number stands beside the keys, and not beside how it ended', () => {
    const narrow = { columns: 40, rows: 9 };
    expect(shown(ordinary, narrow)).toMatch(/page 1 of \d/);
    expect(shown(ordinary, { ...narrow, end: 'denied' })).toMatch(/└ → denied$/);
  });

  test('every character of the command is on one of the pages', () => {
    verifies('P4');
    const plain = fc.array(fc.stringMatching(/^[!-~]{1,30}$/), { minLength: 1, maxLength: 40 }).map(words => words.join(' '));
    fc.assert(
      fc.property(plain, fc.integer({ min: 40, max: 120 }), (text, columns) => {
        const asked = question(text);
        const first = renderQuestion(asked, frame({ columns, rows: 14, view: 'text' }));
        const all = Array.from({ length: first.pages }, (_, page) =>
          renderQuestion(asked, frame({ columns, rows: 14, view: 'text', page })),
        );
        const body = all.flatMap(page => page.lines).filter(line => /^│ [$ ] /.test(line));
        expect(
          body
            .map(line => line.slice(4))
            .join('')
            .replaceAll(' ', ''),
        ).toBe(text.replaceAll(' ', ''));
      }),
      { numRuns: 100 },
    );
  });
});

describe('what must be seen', () => {
  test('hidden characters, with a line of their own', () => {
    expect(shown(question('cat \u202egpj.exe'))).toContain('│ ! 1 hidden character: <U+202E> at 4\n│ $ cat <U+202E>gpj.exe');
  });

  test('a second line of the command is marked as one', () => {
    expect(shown(question('ls\nrm -rf x'))).toContain('│ $ ls\n│ > rm -rf x');
  });

  test('what would be typed into it', () => {
    const lines = shown(question('psql', { request: { stdin: 'drop table x;\n\x1b[2J' } }));
    expect(lines).toContain('standard input, 18 bytes:');
    expect(lines).toContain('< drop table x;');
    expect(lines).toContain('<U+001B>[2J');
  });

  test('that the shell is tainted, and why', () => {
    expect(shown(question('ls', { state: { lineage: 'tainted', taint: 'a function hides cd' } }))).toContain(
      '! this shell is tainted: a function hides cd',
    );
  });

  test('the asker’s own words, marked as such, on one line', () => {
    const lines = shown(question('ls', { request: { description: `safe\n└ y once${' very'.repeat(60)}` } }));
    expect(lines.match(/the assistant says: safe⏎└ y once.*…/)).not.toBeNull();
  });

  test('names of the asker cannot draw lines', () => {
    const principal = { kind: 'model', id: 'x', label: 'claude\n│ $ ls\x1b[A' } as const;
    expect(shown(question('rm x', { request: { principal } }))).toContain('claude⏎<U+2502> $ ls<U+001B>[A asks (x)');
  });

  test.each(['toString', 'constructor', '__proto__'])('a command called %s like any other', name => {
    expect(shown(question(name))).toContain(`│   1  ${name}`);
  });

  test('the seconds, only when few are left', () => {
    const asked = question('ls', { now: NOW, expiryMs: 100_000 });
    expect(shown(asked)).not.toContain('left');
    expect(shown(asked, { now: NOW + 58_500 })).toContain('42 s left');
    expect(shown(asked, { now: NOW + 200_000 })).toContain('0 s left');
  });

  test('how it ended, in place of the keys', () => {
    const lines = shown(ordinary, { end: 'allowed once by web (ana) at 21:04:12' });
    expect(lines).toMatch(/└ → allowed once by web \(ana\) at 21:04:12$/);
    expect(lines).not.toContain('y once');
  });

  test('a yes at high risk is never one to remember', () => {
    expect([canRemember(ordinary), canRemember(high)]).toEqual([true, false]);
  });

  test.each<[string, Parameters<typeof question>[1]]>([
    ['a part is opaque', { evaluation: { matches: [{ source: 'opaque', decision: 'ask', reason: 'x' }] } }],
    ['the shell is tainted', { evaluation: { matches: [{ source: 'lineage', decision: 'ask', reason: 'x' }] } }],
    ['the floor asks', { evaluation: { matches: [{ source: 'floor', decision: 'ask', reason: 'x' }] } }],
  ])('no offer to remember where %s', (_name, asked) => {
    const evaluation = { ...asked!.evaluation, suggestions: [offer('session', 'ls **'), offer('always', 'ls **')] };
    expect(shown(question('ls', { ...asked, evaluation }))).not.toMatch(/s session|a always/);
  });
});

test('explain: risk, parts, verdicts and the digest', () => {
  const lines = shown(high, { view: 'explain' });
  for (const part of [
    'risk high: rewrites published history',
    'runs: git push --force origin main',
    'tags: force-push',
    'is: /usr/bin/git',
    'verdicts: ask by rule: rewrites published history (rule force-push, read-only.toml:41)',
    `digest ${high.evaluation.digest}`,
    'Enter = back',
  ]) {
    expect(lines).toContain(part);
  }
  expect(lines).not.toContain('type yes');
});

test('the rule that would be kept: what else it allows, and where it is saved', () => {
  const rule = (isEdited: boolean) =>
    renderRule(ordinary, { suggestion: offer('always', 'npm test **'), isEdited }, { columns: 110 }).lines.join('\n');
  expect(rule(false)).toContain(
    '│ allow npm test **\n│ would also allow: npm test -u\n│ would not: npm run test:e2e\n│ saved in grants.toml',
  );
  expect(rule(true)).toContain('you changed it: what else it would allow was not tried');
  expect(rule(true)).not.toContain('would also allow:');
});

test('screen e: typed input and a password', () => {
  const input = {
    who: 'claude-code',
    program: 'psql',
    pid: 4121,
    sessionId: 'main',
    waitsAt: 'app=> ',
    text: 'DELETE FROM users;\n',
  };
  expect(renderTypedInput(input, 110).join('\n')).toBe(
    `
┌ claude-code wants to type into psql (pid 4121)   session main · it waits at "app=> "
│ ⌨ DELETE FROM users;⏎
│ not a shell: shellgate cannot judge this
└ y send   t take the keyboard   n no + why   Enter = no`.slice(1),
  );
  expect(renderPassword({ program: 'sudo', pid: 4207, typed: 8 }, 110).join('\n')).toContain('password: ········   Enter send');
});
