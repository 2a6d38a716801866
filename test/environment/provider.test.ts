import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callbackApprover } from '../../src/approval/callback.js';
import type { Question } from '../../src/contract/question.js';
import { createGate, type GateOptions, type LocalGate } from '../../src/create-gate.js';
import { ShellEnvironmentProvider } from '../../src/environment/provider.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { isGone } from '../tools/processes-gone.js';

interface World {
  readonly home: string;
  readonly gate: LocalGate;
  readonly questions: Question[];
  /** Shells that the probe opened. */
  opened(): number;
}

/** A gate whose PATH begins with programs that a test wrote: name to script. */
async function world(programs: Readonly<Record<string, string>> = {}, options: GateOptions = {}): Promise<World> {
  const home = temporaryDirectory();
  const bin = temporaryDirectory();
  process.env['XDG_STATE_HOME'] = join(home, 'state');
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const path = process.env['PATH'];
  process.env['PATH'] = `${bin}:${path}`;
  const questions: Question[] = [];
  const approver = callbackApprover(question => {
    questions.push(question);
    return 'approved';
  });
  const gate = await createGate({ policy: 'ask-all', audit: join(home, 'audit'), cwd: home, approver, ...options });
  process.env['PATH'] = path;
  onTestFinished(() => gate.close());
  let opened = 0;
  const open = gate.openSession.bind(gate);
  gate.openSession = given => {
    if (given?.label === 'probe') opened += 1;
    return open(given);
  };
  return { home, gate, questions, opened: () => opened };
}

const printed = async (gate: LocalGate, text: string): Promise<string> => {
  const session = await gate.openSession();
  const result = await session.run(text);
  await session.close();
  return 'stdout' in result ? result.stdout.text.trim() : result.outcome;
};

describe('a live shell', () => {
  test('tells its version, its system, where it is and what is there, and asks nobody', async () => {
    verifies('S3-24', 'K01');
    const { gate, home, questions } = await world();
    const session = await gate.openSession();
    mkdirSync(join(home, 'deep'));
    await session.run('cd deep');
    const asked = questions.length;
    const snapshot = await new ShellEnvironmentProvider(gate, { session }).snapshot();
    expect(questions.slice(asked).map(({ request, evaluation }) => [request.text, evaluation.matches])).toEqual([]);
    expect(snapshot).toMatchObject({ family: 'posix', workingDirectory: join(home, 'deep') });
    expect(Object.keys(snapshot.toolVersions)).toEqual(['git', 'node', 'python', 'docker']);
    expect(snapshot.shellVersion).toBe(await printed(gate, 'echo $BASH_VERSION'));
    expect(snapshot.osDescription).toBe(await printed(gate, 'uname -srm'));
    expect(snapshot.toolVersions['node']).toBe(await printed(gate, 'node --version'));
  });

  test('what is not there is null and said to be missing; what says nothing is only unknown', async () => {
    verifies('S3-26', 'S3-27', 'S3-28', 'K02', 'K08');
    const { gate } = await world({
      onerr: 'echo >&2; echo "  onerr 1.2 " >&2; echo more >&2',
      both: 'echo "both 3"; echo "warning" >&2',
      fails: 'echo "fails 1"; exit 1',
      silent: 'exit 0',
    });
    const probeTools = ['git', 'surely-absent', 'node', 'onerr', 'both', 'fails', 'silent'];
    const { toolVersions, notInstalled, unversioned } = await new ShellEnvironmentProvider(gate, { probeTools }).snapshot();
    expect(toolVersions).toMatchObject({ onerr: 'onerr 1.2', both: 'both 3', fails: null, silent: null, 'surely-absent': null });
    expect(notInstalled).toEqual(['surely-absent']);
    expect(unversioned).toEqual(['fails', 'silent']);
  });

  test('a program that hangs costs its own version and no more', async () => {
    verifies('S3-27');
    const { gate } = await world({ hangs: 'trap "" TERM INT; sleep 300.191' });
    const began = performance.now();
    const provider = new ShellEnvironmentProvider(gate, { probeTools: ['hangs', 'git'], probeTimeoutMs: 1_000 });
    const { toolVersions, unversioned } = await provider.snapshot();
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(toolVersions).toMatchObject({ hangs: null, git: expect.stringContaining('git version') });
    expect(unversioned).toEqual(['hangs']);
    expect(await isGone('sleep 300.191')).toBe(true);
  });

  test('a session that is busy, tainted or full of lies is not waited for, believed or touched', async () => {
    const { gate } = await world();
    const session = await gate.openSession();
    await session.run('git() { echo evil; }; alias node=evil; export KEPT=1; trap "echo trapped" DEBUG');
    const busy = session.start('sleep 3; echo over');
    const began = performance.now();
    const { toolVersions } = await new ShellEnvironmentProvider(gate, { session }).snapshot();
    expect(performance.now() - began).toBeLessThan(2_900);
    expect(toolVersions['git']).toMatch(/^git version/);
    expect(toolVersions['node']).toMatch(/^v\d/);
    expect(await busy.result).toMatchObject({ outcome: 'exited', stdout: { text: expect.stringContaining('over') } });
    expect(await session.run('echo "[$KEPT]"')).toMatchObject({
      stdout: { text: expect.stringContaining('[1]') },
      sessionRestarted: false,
    });
  });
});

describe('once', () => {
  test('twenty first callers share one probe; refresh looks again', async () => {
    verifies('S3-28', 'K05');
    const { gate, opened } = await world();
    const provider = new ShellEnvironmentProvider(gate, { probeTools: ['git'] });
    const all = await Promise.all(Array.from({ length: 20 }, () => provider.snapshot()));
    expect(new Set(all).size).toBe(1);
    await provider.snapshot();
    const once = opened();
    expect(once).toBeGreaterThan(0);
    await provider.snapshot();
    expect(opened()).toBe(once);
    await provider.refresh();
    expect(opened()).toBe(2 * once);
  });

  test('an unexpected failure rejects and is forgotten', async () => {
    verifies('S3-28', 'K04');
    const { gate } = await world();
    const open = gate.openSession.bind(gate);
    let fails = true;
    gate.openSession = async options => {
      if (!fails) return open(options);
      fails = false;
      throw new TypeError('a bug');
    };
    const provider = new ShellEnvironmentProvider(gate, { probeTools: ['git'] });
    await expect(provider.snapshot()).rejects.toThrow('a bug');
    expect((await provider.snapshot()).toolVersions['git']).toMatch(/^git version/);
  });

  test('where no shell can be had there is an empty answer, and the next call looks again', async () => {
    verifies('S3-27');
    const { gate } = await world({}, { maxSessions: 1 });
    const session = await gate.openSession();
    const provider = new ShellEnvironmentProvider(gate, { probeTools: ['git'], session });
    expect(await provider.snapshot()).toMatchObject({
      shellVersion: null,
      toolVersions: { git: null },
      notInstalled: [],
      unversioned: [],
    });
    await session.close();
    expect((await provider.snapshot()).toolVersions['git']).toMatch(/^git version/);
  });

  test.each(['', 'a b', '$(x)', 'a/b', 'a;b', 'a\n', '--x\0'])('%j is no name of a program', async name => {
    verifies('S3-28');
    const { gate, opened } = await world();
    expect(() => new ShellEnvironmentProvider(gate, { probeTools: ['git', name] })).toThrow(
      expect.objectContaining({ code: 'TOOL_NAME_INVALID' }),
    );
    expect(opened()).toBe(0);
  });

  test('duplicates count once, in any letter case', async () => {
    verifies('S3-28');
    const { gate } = await world();
    const { toolVersions } = await new ShellEnvironmentProvider(gate, { probeTools: ['git', 'GIT', 'Git'] }).snapshot();
    expect(Object.keys(toolVersions)).toEqual(['git']);
  });

  test("override, family and formatter are the caller's", async () => {
    verifies('S3-26');
    const { gate } = await world();
    const provider = new ShellEnvironmentProvider(gate, {
      probeTools: [],
      override: { workingDirectory: '/elsewhere' },
      instructionsFormatter: ({ workingDirectory }) => `in ${workingDirectory}`,
    });
    expect(await provider.instructions()).toBe('in /elsewhere');
    const { family } = await new ShellEnvironmentProvider(gate, { probeTools: [], overrideFamily: 'powershell' }).snapshot();
    expect(family).toBe('powershell');
  });
});

describe('the gate', () => {
  const denies = (command: string) => `[[rule]]\nid = 'no'\ndecision = 'deny'\ncommand = '${command}'\nreason = 'no'\n`;

  test('a policy that denies a line is obeyed: that fact stays unknown, the others come', async () => {
    verifies('S3-27');
    const file = join(temporaryDirectory(), 'policy.toml');
    writeFileSync(file, denies('git **'), { mode: 0o600 });
    const { gate, questions } = await world({}, { policy: file });
    const snapshot = await new ShellEnvironmentProvider(gate, { probeTools: ['git', 'node'] }).snapshot();
    expect(snapshot).toMatchObject({ toolVersions: { git: null, node: expect.stringMatching(/^v/) }, unversioned: ['git'] });
    expect(questions).toEqual([]);
  });

  test('what asks only once it starts is given up, not waited for', async () => {
    const file = join(temporaryDirectory(), 'policy.toml');
    writeFileSync(file, denies('git **').replace("'deny'", "'ask'"), { mode: 0o600 });
    const never = callbackApprover(() => new Promise(() => {}));
    const { gate } = await world({}, { policy: file, approver: never });
    const open = gate.openSession.bind(gate);
    gate.openSession = async options => {
      const session = await open(options);
      const check = session.check.bind(session);
      session.check = async (text, given) => {
        const { analysis, evaluation } = await check(text, given);
        return { analysis, evaluation: { ...evaluation, decision: 'allow' } };
      };
      return session;
    };
    const { toolVersions } = await new ShellEnvironmentProvider(gate, { probeTools: ['git', 'node'] }).snapshot();
    expect(toolVersions).toMatchObject({ git: null, node: expect.stringMatching(/^v/) });
  });

  test('a policy that denies everything leaves everything unknown, and nothing "not installed"', async () => {
    verifies('S3-27');
    const file = join(temporaryDirectory(), 'policy.toml');
    writeFileSync(file, "default = 'deny'\n", { mode: 0o600 });
    const { gate } = await world({}, { policy: file });
    const snapshot = await new ShellEnvironmentProvider(gate).snapshot();
    expect(snapshot).toMatchObject({ shellVersion: null, osDescription: null, notInstalled: [], unversioned: [] });
    expect(Object.values(snapshot.toolVersions)).toEqual([null, null, null, null]);
  });

  test('a program of the workspace is not run for its version', async () => {
    verifies('P11');
    const home = temporaryDirectory();
    mkdirSync(join(home, 'bin'));
    writeFileSync(join(home, 'bin/git'), `#!/bin/sh\ntouch ${home}/ran\necho git version 6.66\n`);
    chmodSync(join(home, 'bin/git'), 0o755);
    const path = process.env['PATH'];
    process.env['PATH'] = `${home}/bin:${path}`;
    const { gate, questions } = await world({}, { cwd: home });
    process.env['PATH'] = path;
    const { toolVersions } = await new ShellEnvironmentProvider(gate, { probeTools: ['git'] }).snapshot();
    expect(toolVersions).toEqual({ git: null });
    expect(questions).toEqual([]);
    expect(await printed(gate, `test -e ${home}/ran && echo yes || echo no`)).toBe('no');
  });

  test.each(['git --version', 'command -v git', 'uname -srm', `printf '%s\\n' "$BASH_VERSION"`])(
    'for everybody else %s is asked about under ask-all',
    async text => {
      const { gate } = await world();
      const session = await gate.openSession();
      expect((await session.check(text)).evaluation.decision).toBe('ask');
      const principal = { kind: 'model', id: 'environment-probe', label: 'environment probe' } as const;
      expect((await session.check(text, { principal })).evaluation.decision).toBe('ask');
    },
  );

  test('the probe itself may say nothing but its lines', async () => {
    const { gate } = await world();
    const session = await gate.openSession();
    const principal = { kind: 'program', id: 'environment-probe', label: 'environment probe' } as const;
    const decision = async (text: string, options = {}) =>
      (await session.check(text, { principal, ...options })).evaluation.decision;
    expect(await decision('git --version')).toBe('allow');
    for (const text of [
      'git --version ',
      'git  --version',
      'git --version\n',
      'git --version; ls',
      'git status',
      '. --version',
      'eval --version',
    ])
      expect(await decision(text), text).not.toBe('allow');
    expect(await decision('git --version', { stdin: 'x' })).toBe('ask');
    await session.run('git() { touch x; }');
    expect(await decision('git --version')).toBe('ask');
  });
});
