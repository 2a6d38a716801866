import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditRecords } from '../../src/audit/read.js';
import type { Answer, Remember } from '../../src/contract/answer.js';
import type { AuditRecord } from '../../src/contract/audit.js';
import type { PolicyChange } from '../../src/contract/policy.js';
import type { Question } from '../../src/contract/question.js';
import { createGate, type GateOptions } from '../../src/create-gate.js';
import { turns } from '../helpers/turns.js';
import { verifies } from '../helpers/verifies.js';

// What the shell's state or the file system does to a verdict, with a real bash behind a real gate.

let root: string;
let repo: string;
let stateHome: string | undefined;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'shellgate-live-')));
  repo = join(root, 'repo');
  mkdirSync(join(repo, 'b'), { recursive: true });
  writeFileSync(join(repo, 'f'), 'data\n');
  writeFileSync(join(repo, 'b/ls'), '#!/bin/sh\necho evil\n', { mode: 0o755 });
  stateHome = process.env['XDG_STATE_HOME'];
  process.env['XDG_STATE_HOME'] = join(root, 'state');
});
afterEach(() => {
  if (stateHome === undefined) delete process.env['XDG_STATE_HOME'];
  else process.env['XDG_STATE_HOME'] = stateHome;
  rmSync(root, { recursive: true, force: true });
});

type Said = 'yes' | 'no' | Remember;

/** A session whose questions are answered by `say`, and what was asked. */
async function session(say: (question: Question) => Said | Promise<Said>, options: GateOptions = {}) {
  const asked: Question[] = [];
  const approver = {
    name: 'test',
    async request(question: Question): Promise<Answer> {
      asked.push(question);
      const said = await say(question);
      const answered = {
        questionId: question.id,
        digest: question.evaluation.digest,
        approver: { kind: 'person', id: 'p', label: 'ana' } as const,
        channel: 'test',
        level: 'same-user' as const,
      };
      if (said === 'no') return { ...answered, outcome: 'denied', how: 'answered' };
      return { ...answered, outcome: 'approved', ...(said !== 'yes' && { remember: said }) };
    },
  };
  const audit = join(root, 'audit');
  const gate = await createGate({ policy: 'read-only', approver, cwd: repo, audit, denialsToPause: 1_000, ...options });
  const shell = await gate.openSession({ cwd: repo });
  return { asked, gate, shell, run: (text: string) => shell.run(text) };
}

/** Reasons of the last question, in one text. */
const reasonsOf = (asked: readonly Question[]): string =>
  asked
    .at(-1)!
    .evaluation.matches.filter(match => match.decision !== 'allow')
    .map(match => match.reason)
    .join('; ');

test.each<[string, string, string, RegExp]>([
  // SS-08, SS-09 of the corpus, and the other ways to change what a name means
  ['an alias', 'shopt -s expand_aliases; alias git=evil', 'git status', /git is an alias in this session/],
  ['a function', 'ls() { echo evil; }', 'ls', /ls is a function in this session/],
  ['PATH', 'export PATH=$PWD/b:$PATH', 'ls', /PATH holds \S+\/b, .*; ls is \S+\/b\/ls, which is no place for system programs/],
  ['a remembered location', 'hash -p /bin/rm ls', 'ls f', /ls runs \/bin\/rm in this session/],
  ['a pager', 'export GIT_PAGER=evil', 'git log', /GIT_PAGER is set in this session/],
])('%s that a person let through: what was allowed before asks, with the reason', async (_name, change, next, reason) => {
  verifies('P11', 'SS-08', 'SS-09');
  const { asked, gate, run } = await session(question => (question.request.text === change ? 'yes' : 'no'));
  try {
    expect((await run('ls f')).outcome).toBe('exited');
    expect(asked).toHaveLength(0);
    expect((await run(change)).outcome).toBe('exited');
    const before = asked.length;
    expect(await run(next)).toMatchObject({ outcome: 'refused', by: 'approver' });
    expect(asked.length).toBe(before + 1);
    expect(reasonsOf(asked)).toMatch(reason);
  } finally {
    await gate.close();
  }
});

test('a script that changed after it was allowed for the session asks again, and says so', async () => {
  verifies('P4', 'P11');
  const script = (text: string) => writeFileSync(join(repo, 'package.json'), JSON.stringify({ scripts: { test: text } }));
  script('true');
  let allows = true;
  const { asked, gate, run } = await session(() => (allows ? { scope: 'session' } : 'no'));
  try {
    expect((await run('npm test')).outcome).toBe('exited');
    allows = false;
    expect((await run('npm test')).outcome).toBe('exited');
    expect(asked).toHaveLength(1);
    script('evil');
    expect((await run('npm test')).outcome).toBe('refused');
    expect(asked).toHaveLength(2);
    expect(reasonsOf(asked)).toContain('has changed since it was allowed');
  } finally {
    await gate.close();
  }
});

test('a link that is turned while the question waits is asked about again', async () => {
  verifies('P4');
  writeFileSync(join(root, 'one'), 'one\n');
  writeFileSync(join(root, 'two'), 'two\n');
  const link = join(repo, 'link');
  symlinkSync(join(root, 'one'), link);
  const { asked, gate, run } = await session(() => {
    if (asked.length === 1) {
      unlinkSync(link);
      symlinkSync(join(root, 'two'), link);
      return 'yes';
    }
    return 'no';
  });
  try {
    expect(await run('cat link')).toMatchObject({ outcome: 'refused', by: 'approver' });
    expect(asked).toHaveLength(2);
    expect(reasonsOf(asked)).toContain(join(root, 'two'));
  } finally {
    await gate.close();
  }
});

test.each([
  ['tee d/* < f', 'writes through one'],
  ['for n in d/*; do cat "$n"; done', 'in a loop'],
  ['cp -r src/. d', 'writes names that are not said'],
  ['chmod 644 d/*', 'changes through one'],
])('a link that a repository brings along: %s %s', async command => {
  verifies('P11');
  mkdirSync(join(repo, 'd'));
  mkdirSync(join(repo, 'src'));
  writeFileSync(join(repo, 'd/x'), '');
  writeFileSync(join(repo, 'src/x'), '');
  const { asked, gate, run } = await session(() => 'no', { policy: 'workspace' });
  try {
    expect((await run(command)).outcome).toBe('exited');
    symlinkSync('x', join(repo, 'd/inside'));
    expect((await run(command)).outcome).toBe('exited');
    symlinkSync('/etc/hostname', join(repo, 'd/link'));
    expect(await run(command)).toMatchObject({ outcome: 'refused', by: 'approver' });
    expect(reasonsOf(asked)).toMatch(/\/d\/ holds a link to \/etc\/hostname|\/d\/link, a link to \/etc\/hostname/);
    expect((await run('cat d/x')).outcome).toBe('exited');
  } finally {
    await gate.close();
  }
});

test('a link further down in a tree that is copied is not seen', async () => {
  for (const folder of ['s/a', 'd/a', 'd/b']) mkdirSync(join(repo, folder), { recursive: true });
  writeFileSync(join(repo, 's/a/x'), 'copied\n');
  writeFileSync(join(root, 'outside'), '');
  symlinkSync(join(root, 'outside'), join(repo, 'd/a/x'));
  const { gate, run } = await session(() => 'no', { policy: 'workspace' });
  try {
    expect((await run('cp -r s/. d')).outcome).toBe('exited');
    expect(readFileSync(join(root, 'outside'), 'utf8')).toBe('copied\n');
    symlinkSync('/etc/hostname', join(repo, 'd/b/x'));
    expect(await run('touch -c d/*/x')).toMatchObject({ outcome: 'refused', by: 'approver' });
  } finally {
    await gate.close();
  }
});

test.each([
  ['sed -i s/a/b/ p/*/package.json', 'runs later'],
  ['for f in p/*/package.json; do sed -i s/a/b/ "$f"; done', 'runs later'],
  ['for f in p/* p/*/package.json; do touch "$f"; done', 'runs later'],
  ['for d in p/*; do touch "$d/Makefile"; done', 'runs later'],
  ['for d in p/*; do f="$d/package.json"; touch "${f}"; done', 'runs later'],
  ['for d in p/a/.g*; do touch "$d/hooks/pre-commit"; done', 'which hidden files that are'],
  ['for f in p/.e* p/*/.e*; do cat "$f"; done', 'holds secrets'],
  ['for d in p/*; do cat $d/.env; done', 'holds secrets'],
  ['shopt -s dotglob; cat p/a/*', 'meet more files than were looked up'],
  ['cp *.json p/a', 'runs later'],
  ['mv package.json p/*', 'runs later'],
  ['for f in *.txt; do rm "$f"; done', 'named like an option'],
  ['touch -- -b.md; rm *.md', 'named like an option'],
  ['sed -i s/a/b/ *', 'could be -e'],
  ['for d in p/*; do for f in "$d"/*.pem; do head -1 "$f"; done; done', 'holds secrets'],
])('what a pattern meets is looked at file by file, through variables as well: %s', async (command, reason) => {
  verifies('P3');
  mkdirSync(join(repo, 'p/a/.git'), { recursive: true });
  for (const name of ['package.json', '.env', 'x.pem', 'x.ts']) writeFileSync(join(repo, 'p/a', name), '{}\n');
  for (const name of ['package.json', '-rf.txt', 'a.md', 'b.md']) writeFileSync(join(repo, name), '{}\n');
  const { asked, gate, run } = await session(() => 'no', { policy: 'workspace' });
  try {
    expect(await run(command)).toMatchObject({ outcome: 'refused', by: 'approver' });
    expect(reasonsOf(asked)).toContain(reason);
    for (const fine of [
      'for f in p/*/*.ts; do sed -i s/a/b/ "$f"; head -1 $f; done',
      'sed -i s/a/b/ *.md',
      'mv *.md p/',
      'rm p/*.md',
    ])
      expect(await run(fine), fine).toMatchObject({ outcome: 'exited' });
  } finally {
    await gate.close();
  }
});

test.each([
  ['for f in w/*; do sort $f; done', 'becomes other words'],
  ['for f in w/*/*; do cat $f; done', 'becomes other words'],
  ['set -- w/*; uniq $1', 'only shows when it runs'],
  ["touch 'p/c d'; for f in p/*; do rm $f; done", 'this line may make a file'],
  ['for d in p/*; do git -C "$d" status; done', 'which repository is not known'],
  ['for d in p/*; do tar -cf x.tar -C "$d" .; done', 'only shows when it runs'],
  ['env -C p sort *.csv', 'could be -o'],
  ['for f in *.csv; do cd p; sort "$f"; done', 'could be -o'],
  ['set -- *.csv; cd p; sort "$1"', 'could be -o'],
  ['git ls-files -z | xargs -0 cat --', 'holds a link'],
])('names are what they are where they are used, unquoted and in another directory: %s', async (command, reason) => {
  verifies('P3');
  execFileSync('git', ['-C', repo, 'init', '-q']);
  for (const folder of ['w/x /etc', 'p/l/m']) mkdirSync(join(repo, folder), { recursive: true });
  for (const name of ['w/a -o b', 'w/x /etc/passwd', 'p/a.csv', '-o.csv']) writeFileSync(join(repo, name), '');
  symlinkSync('/etc/hostname', join(repo, 'p/l/m/link'));
  const { asked, gate, run } = await session(() => 'no', { policy: 'workspace' });
  try {
    expect(await run(command)).toMatchObject({ outcome: 'refused', by: 'approver' });
    expect(reasonsOf(asked)).toContain(reason);
    for (const fine of [
      'for f in w/*; do wc -c < /dev/null; echo "$f"; done',
      'for f in p/*.csv; do touch $f; sort $f; done',
      'cd p && for f in *.csv; do sort $f; done; cd ..',
    ])
      expect(await run(fine), fine).toMatchObject({ outcome: 'exited' });
  } finally {
    await gate.close();
  }
});

test.each(['cd bare && git status', 'git -C bare log', 'cd bare/objects && git diff', 'git stash; cd bare; git status'])(
  'a folder that is a repository without a .git has settings and hooks of its own: %s',
  async command => {
    verifies('P11');
    execFileSync('git', ['-C', repo, 'init', '-q']);
    for (const folder of ['bare/objects', 'bare/refs']) mkdirSync(join(repo, folder), { recursive: true });
    writeFileSync(join(repo, 'bare/config'), '[core]\n\tworktree = ..\n\tfsmonitor = evil\n');
    const { asked, gate, run } = await session(() => 'no', { policy: 'workspace' });
    try {
      expect(await run('git status')).toMatchObject({ outcome: 'exited' });
      writeFileSync(join(repo, 'bare/HEAD'), 'ref: refs/heads/main\n');
      expect(await run(command)).toMatchObject({ outcome: 'refused', by: 'approver' });
      expect(reasonsOf(asked)).toContain(join(repo, 'bare/HEAD'));
      unlinkSync(join(repo, 'bare/HEAD'));
      symlinkSync('refs/heads/none', join(repo, 'bare/HEAD'));
      expect(await run(command)).toMatchObject({ outcome: 'refused', by: 'approver' });
      expect(await run('git status')).toMatchObject({ outcome: 'exited' });
    } finally {
      await gate.close();
    }
  },
);

test('git works in the nearest repository that is there; one further down is another', async () => {
  const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args]);
  git('init', '-q');
  mkdirSync(join(repo, 'packages/api'), { recursive: true });
  writeFileSync(join(repo, 'packages/api/x'), '');
  const { asked, gate, run } = await session(() => 'no', { policy: 'workspace' });
  try {
    expect(await run('cd packages/api && git add x && git status --short')).toMatchObject({ outcome: 'exited', exitCode: 0 });
    expect(await run('git init')).toMatchObject({ outcome: 'refused', by: 'approver' });
    git('init', '-q', 'packages');
    expect(await run('git add x')).toMatchObject({ outcome: 'refused', by: 'approver' });
    expect(reasonsOf(asked)).toContain(join(repo, 'packages/.git'));
  } finally {
    await gate.close();
  }
});

test('an exact text remembered for one session is asked about in another (I14)', async () => {
  verifies('I14');
  let says: Said = { scope: 'session' };
  const { asked, gate, run } = await session(() => says);
  try {
    const other = await gate.openSession({ cwd: repo });
    expect((await run('touch a')).outcome).toBe('exited');
    says = 'no';
    expect((await run('touch a')).outcome).toBe('exited');
    expect(asked).toHaveLength(1);
    expect((await run('touch b')).outcome).toBe('refused');
    expect((await other.run('touch a')).outcome).toBe('refused');
    expect(asked).toHaveLength(3);
  } finally {
    await gate.close();
  }
});

describe('a policy that changes while its gate runs', () => {
  let policy: string;
  const rule = (decision: string, more = '') =>
    `[[rule]]\nid = 'it'\ndecision = '${decision}'\ncommand = 'touch **'\nreason = 'they said ${decision}'\n${more}`;
  const write = (text: string) => writeFileSync(policy, text, { mode: 0o600 });
  const recorded = async () => {
    const records: AuditRecord[] = [];
    for await (const record of auditRecords(join(root, 'audit'))) records.push(record);
    return records.filter(({ type }) => type.startsWith('policy.')).map(({ type, data }) => ({ type, data }));
  };
  beforeEach(() => {
    policy = join(root, 'policy.toml');
    write(rule('ask'));
  });

  test('a question that was pending is judged again by the new one: denied in spite of a yes', async () => {
    verifies('P4');
    const change = (): 'yes' => {
      write(rule('deny', 'tell = true\n'));
      return 'yes';
    };
    const { asked, gate, run } = await session(change, { policy });
    try {
      expect(await run('touch a')).toMatchObject({ outcome: 'refused', by: 'policy', reason: 'they said deny' });
      expect(asked).toHaveLength(1);
      expect(existsSync(join(repo, 'a'))).toBe(false);
      const hashes = (await recorded()).map(({ data }) => (data as { hash: string }).hash);
      expect(new Set(hashes).size).toBe(2);
    } finally {
      await gate.close();
    }
  });

  test('one that still asks is asked again: the first yes was to other rules', async () => {
    verifies('P4');
    const { asked, gate, run } = await session(
      () => {
        if (asked.length === 1) write(rule('ask').replace('they said', 'now they say'));
        return 'yes';
      },
      { policy },
    );
    try {
      expect((await run('touch a')).outcome).toBe('exited');
      expect(asked.map(({ evaluation }) => evaluation.matches[0]?.reason)).toEqual(['they said ask', 'now they say ask']);
    } finally {
      await gate.close();
    }
  });

  test('an invalid one: the old stays in force, the log and whoever listens hear it once', async () => {
    const heard: PolicyChange[] = [];
    const { gate, run } = await session(() => 'no', { policy, onPolicyChange: change => heard.push(change) });
    try {
      write("[[rule]]\nid = 'it'\ndecision = 'allow'\ncomand = 'touch **'\n");
      for (const name of ['a', 'b']) expect(await run(`touch ${name}`)).toMatchObject({ outcome: 'refused', by: 'approver' });
      const reason = expect.stringContaining('did you mean "command"?');
      expect(await recorded()).toMatchObject([
        { type: 'policy.loaded' },
        { type: 'policy.kept', data: { code: 'POLICY_INVALID', place: `${policy}:4:1`, reason } },
      ]);
      expect(heard).toMatchObject([{ kind: 'kept', reason }]);
      write(rule('deny'));
      expect(await run('touch c')).toMatchObject({ outcome: 'refused', by: 'policy' });
      expect(gate.about.policies).toEqual([policy]);
      expect(heard.map(({ kind }) => kind)).toEqual(['kept', 'loaded']);
    } finally {
      await gate.close();
    }
  });
});

test.each<[string, string, string]>([
  ['package.json', 'npm test', 'package.json'],
  ["git's configuration", 'git status', '.git/config'],
  ['a script', 'sh run.sh', 'run.sh'],
])('%s that is a pipe nobody writes to holds nothing up: it asks, and says what cannot be read', async (_, text, file) => {
  verifies('P3');
  mkdirSync(join(repo, '.git'), { recursive: true });
  execFileSync('mkfifo', [join(repo, file)]);
  const { gate, shell } = await session(() => 'no');
  await shell.check('ls');
  const { result, longest, took } = await turns(() => shell.check(text));
  expect(result.evaluation.decision).toBe('ask');
  expect(result.evaluation.matches.map(({ reason }) => reason).join('; ')).toContain(
    `${file} decides what this does, but not a regular file`,
  );
  expect(longest).toBeLessThan(100);
  // One turn of everything takes about 20 ms; a read of the pipe would never end.
  expect(took).toBeLessThan(2000);
  await gate.close();
});

test('a pattern is allowed for what it matches: not for a link that leads out, nor for a secret file', async () => {
  verifies('P4');
  const { asked, gate, run } = await session(() => 'no');
  writeFileSync(join(repo, 'a.md'), 'text\n');
  expect(await run('cat *.md')).toMatchObject({ outcome: 'exited', stdout: { text: 'text\n' } });
  writeFileSync(join(root, 'outside'), 'secret\n');
  symlinkSync(join(root, 'outside'), join(repo, 'x.md'));
  expect(await run('cat *.md')).toMatchObject({ outcome: 'refused' });
  expect(asked[0]!.evaluation.matches[0]!.reason).toContain(`x.md, a link to ${join(root, 'outside')}`);
  writeFileSync(join(repo, 'server.key'), 'key\n');
  expect(await run('head s*')).toMatchObject({ outcome: 'refused' });
  expect(asked[1]!.evaluation.matches[0]!.reason).toContain('usually holds secrets');
  unlinkSync(join(repo, 'x.md'));
  expect(await run('wc -l *.md')).toMatchObject({ outcome: 'exited' });
  await run('shopt -s dotglob');
  expect(await run('wc -l *.md')).toMatchObject({ outcome: 'refused' });
  expect(asked[2]!.evaluation.matches[0]!.reason).toContain('dotglob');
  await gate.close();
});

test('a search through the workspace meets secret files unasked: docs/threat-model.md says so', async () => {
  const { asked, gate, run } = await session(() => 'no');
  writeFileSync(join(repo, '.env'), 'PASSWORD=x\n');
  expect(await run('grep -r PASS .')).toMatchObject({ outcome: 'exited', exitCode: 0 });
  expect(asked).toEqual([]);
  await gate.close();
});
