import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callbackApprover as callback } from '../src/approval/callback.js';
import type { CommandResult } from '../src/contract/result.js';
import { LocalShellTool, type LocalShellToolOptions } from '../src/local-shell-tool.js';
import { type Lookup, resolveShell } from '../src/platform.js';
import { ShellPolicy } from '../src/policy/seed-policy.js';
import { temporaryDirectory } from './helpers/cli.js';
import { verifies } from './helpers/verifies.js';

function tool(options: LocalShellToolOptions = {}): LocalShellTool {
  const home = temporaryDirectory();
  process.env['XDG_STATE_HOME'] = join(home, 'state');
  const made = new LocalShellTool({ audit: join(home, 'audit'), approver: callback(() => 'approved'), ...options });
  onTestFinished(() => made.close());
  return made;
}

const textOf = (result: CommandResult): string => ('stdout' in result ? result.stdout.text : `${result.code} ${result.reason}`);
const unasked = { approvalMode: 'never_require', acknowledgeUnsafe: true } as const;

test('never_require needs acknowledgeUnsafe, at construction', () => {
  verifies('S3-07', 'I03');
  expect(() => new LocalShellTool({ approvalMode: 'never_require' })).toThrow(/acknowledgeUnsafe/);
});

test('by default every command asks, and without anybody to ask nothing runs', async () => {
  verifies('S3-06');
  const { approver: _none, ...alone } = { approver: undefined };
  const home = temporaryDirectory();
  const made = new LocalShellTool({ audit: join(home, 'audit'), ...alone });
  onTestFinished(() => made.close());
  expect(await made.run('echo hi')).toMatchObject({ outcome: 'refused', by: 'nobody' });
});

describe('policy lists', () => {
  test('an allow list is exclusive', async () => {
    verifies('S3-13', 'I07');
    const shell = tool({ ...unasked, policy: new ShellPolicy({ allowlist: ['^ls\\b', '^cat\\b', '^git status$'] }) });
    expect(await shell.run('ls -la')).toMatchObject({ outcome: 'exited' });
    expect((await shell.run('git status')).outcome).toBe('exited');
    const refused = { outcome: 'refused', by: 'policy', reason: expect.stringContaining('command does not match allowlist') };
    expect(await shell.run('git status -s')).toMatchObject(refused);
    expect(await shell.run('touch x')).toMatchObject(refused);
  });

  test('a deny list is case-insensitive, its reason names the pattern, and nobody is asked', async () => {
    verifies('S3-11', 'S3-14', 'I08', 'I12');
    const denylist = ['\\btouch\\s+forbidden'];
    let asked = 0;
    const approver = callback(() => {
      asked += 1;
      return 'approved';
    });
    const shell = tool({ approver, policy: new ShellPolicy({ denylist }) });
    const call = shell.asFunction().call;
    expect(await call({ command: 'TOUCH forbidden' })).toMatch(/^Command rejected by policy: .*touch\\s\+forbidden/);
    expect(await call({ command: 'touch  forbidden' })).toMatch(/^Command rejected by policy: /);
    expect(asked).toBe(0);
    expect(await call({ command: 'echo fine' })).toBe('fine\nexit_code: 0');
    expect(asked).toBe(1);
  });

  test('judged alone', () => {
    verifies('S3-11', 'I09');
    const policy = new ShellPolicy();
    expect(policy.evaluate('rm -rf /').decision).toBe('allow');
    expect(policy.evaluate('')).toEqual({ decision: 'deny', reason: 'command is empty' });
    expect(policy.evaluate('  \t\n').decision).toBe('deny');
  });
});

describe('options of document 003', () => {
  test('with a working directory a cd lasts for its command only, unless confineWorkdir is off', async () => {
    verifies('S3-18');
    const workingDirectory = temporaryDirectory();
    const confined = tool({ ...unasked, workingDirectory });
    expect(textOf(await confined.run('cd /usr && pwd'))).toBe('/usr\n');
    expect(textOf(await confined.run('pwd'))).toBe(`${workingDirectory}\n`);
    expect(textOf(await confined.run('A=1; cd() { :; }; \\cd /usr'))).toBe('');
    expect(textOf(await confined.run('pwd; echo $A'))).toBe(`${workingDirectory}\n1\n`);
    const free = tool({ ...unasked, workingDirectory, confineWorkdir: false });
    await free.run('cd /usr');
    expect(textOf(await free.run('pwd'))).toBe('/usr\n');
  });

  test('env is added, cleanEnv drops what was inherited', async () => {
    verifies('S3-19');
    process.env['INHERITED_FOR_TEST'] = 'yes';
    onTestFinished(() => {
      delete process.env['INHERITED_FOR_TEST'];
    });
    const look = 'echo "${INHERITED_FOR_TEST-unset} ${MINE-unset}"';
    expect(textOf(await tool({ ...unasked, env: { MINE: '1' } }).run(look))).toBe('yes 1\n');
    expect(textOf(await tool({ ...unasked, env: { MINE: '1' }, cleanEnv: true }).run(look))).toBe('unset 1\n');
  });

  test('a deadline of its own for a call', async () => {
    verifies('S3-20');
    const shell = tool({ ...unasked, timeoutMs: null });
    expect(await shell.run('sleep 300.91', { timeoutMs: 300 })).toMatchObject({ outcome: 'timed-out', shell: 'kept' });
  });

  test('stateless mode keeps nothing', async () => {
    verifies('S3-02', 'J02');
    const shell = tool({ ...unasked, mode: 'stateless' });
    await shell.run('export A=1');
    expect(textOf(await shell.run('echo "${A-unset}"'))).toBe('unset\n');
  });

  test('concurrent first calls start one shell', async () => {
    verifies('S3-22', 'J20');
    const shell = tool(unasked);
    const [one, two] = await Promise.all([shell.run('echo $$'), shell.run('echo $$')]);
    expect(textOf(one)).toBe(textOf(two));
  });
});

describe('what can go wrong', () => {
  test.each<[object, string, string]>([
    [{ aproval_mode: 'never_require' }, 'aproval_mode', 'has no field "aproval_mode"; did you mean "approvalMode"?'],
    [{ timeout: 5 }, 'timeout', 'has no field "timeout"; did you mean "timeoutMs"?'],
    [{ mode: 'statless' }, 'mode', 'mode must be one of "persistent", "stateless"'],
    [{ approvalMode: 'never' }, 'approvalMode', 'approvalMode must be one of "always_require", "never_require"'],
    [{ timeoutMs: 0 }, 'timeoutMs', 'timeoutMs must be above 0'],
    [{ policy: { denylist: [] } }, 'policy', 'policy must be a ShellPolicy'],
    [{ onCommand: 'log' }, 'onCommand', 'onCommand must be a function'],
  ])('an option that is none is named at construction: %j', (options, place, message) => {
    expect(() => new LocalShellTool(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', place, message }));
  });

  test("a model's wrong arguments are told to it as text", async () => {
    verifies('S3-04', 'S3-14');
    const { call } = tool(unasked).asFunction();
    const wrong = (args: unknown) => call(args as { command: string });
    expect(await wrong({})).toBe('Command not run: REQUEST_INVALID: command is missing');
    expect(await wrong(undefined)).toBe('Command not run: REQUEST_INVALID: command is missing');
    expect(await wrong({ command: 5 })).toBe('Command not run: REQUEST_INVALID: command must be a string, not a number');
    expect(await wrong({ command: 'ls', cwd: '/' })).toMatch(/has no field "cwd"/);
    expect(await wrong({ command: 'a\0b' })).toMatch(/REQUEST_INVALID: the command contains a NUL character/);
  });

  test('closed, it runs nothing and starts nothing anew', async () => {
    verifies('S3-03', 'J26');
    const used = tool(unasked);
    await used.run('echo one');
    const unused = tool(unasked);
    for (const shell of [used, unused]) {
      await shell.close();
      expect(await shell.run('echo two')).toMatchObject({ outcome: 'refused', by: 'session', code: 'SESSION_CLOSED' });
      await shell.close();
    }
  });

  test('a directory that was missing may be there for the next call', async () => {
    const workingDirectory = join(temporaryDirectory(), 'later');
    const shell = tool({ ...unasked, workingDirectory });
    await expect(shell.run('pwd')).rejects.toMatchObject({ code: 'DIRECTORY_MISSING' });
    expect(await shell.asFunction().call({ command: 'pwd' })).toMatch(/^Command not run: DIRECTORY_MISSING: /);
    mkdirSync(workingDirectory);
    expect(textOf(await shell.run('pwd'))).toBe(`${workingDirectory}\n`);
  });
});

describe('which shell', () => {
  const lookup = (platform: NodeJS.Platform, ...programs: string[]): Lookup => ({
    platform,
    path: platform === 'win32' ? ['C:\\bin'] : ['/bin'],
    isExecutable: path => programs.some(program => path === program || path.endsWith(`/${program}`)),
  });

  test('argument, environment, default, in this order', () => {
    verifies('S3-17', 'J22');
    const env = { AGENT_FRAMEWORK_SHELL: '/bin/sh' };
    const linux = lookup('linux', '/bin/bash', '/bin/sh');
    expect(() => resolveShell('', linux, {})).toThrow(expect.objectContaining({ code: 'SHELL_INVALID' }));
    expect(resolveShell(['/bin/sh'], linux, {})).toEqual(['/bin/sh']);
    expect(resolveShell(undefined, linux, env)).toEqual(['/bin/sh']);
    expect(resolveShell('/bin/bash', linux, env)).toEqual(['/bin/bash']);
    expect(resolveShell('/opt/my\\ shell/sh \'a b\' "c"', linux, {})).toEqual(['/opt/my shell/sh', 'a b', 'c']);
    expect(new LocalShellTool({ shell: '/bin/bash', mode: 'stateless' }).shell).toEqual(['/bin/bash', '-c']);
  });

  test('bash on Linux and macOS, else sh', () => {
    verifies('S3-16', 'J23');
    expect(resolveShell(undefined, lookup('linux', '/bin/bash', '/bin/sh'), {})).toEqual(['/bin/bash', '--noprofile', '--norc']);
    expect(resolveShell(undefined, lookup('darwin', '/bin/sh'), {})).toEqual(['/bin/sh']);
    expect(() => resolveShell(undefined, lookup('linux'), {})).toThrow(expect.objectContaining({ code: 'SHELL_MISSING' }));
  });

  test('pwsh on Windows, else powershell', () => {
    verifies('S3-15', 'J24');
    const flags = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', '-'];
    expect(resolveShell(undefined, lookup('win32', 'pwsh.exe', 'powershell.exe'), {})).toEqual(['pwsh', ...flags]);
    expect(resolveShell(undefined, lookup('win32', 'powershell.exe'), {})).toEqual(['powershell', ...flags]);
    expect(() => resolveShell(undefined, lookup('win32'), {})).toThrow(/pwsh.*powershell/);
  });

  test('sh in place of bash keeps its state as well', async () => {
    verifies('J23');
    const shell = tool({ ...unasked, shell: '/bin/sh' });
    await shell.run('cd /tmp; export A=1; f(){ echo "fn $1"; }');
    expect(textOf(await shell.run('pwd; echo $A; f x'))).toBe('/tmp\n1\nfn x\n');
  });
});
