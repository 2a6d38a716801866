import { appendFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SessionOptions } from '../src/contract/gate.js';
import { createGate, type GateOptions, type LocalGate } from '../src/create-gate.js';
import { temporaryDirectory } from './helpers/cli.js';
import { verifies } from './helpers/verifies.js';

// Bad input to the library: each mistake has a stable code and says what to do.

async function gateIn(cwd: string, options: GateOptions = {}): Promise<LocalGate> {
  process.env['XDG_STATE_HOME'] = join(cwd, 'state');
  const audit = join(cwd, 'audit');
  const gate = await createGate({ policy: 'ask-all', audit, cwd, onAsk: 'allow', acknowledgeUnsafe: true, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

const codeAndText = (code: string, text: RegExp) =>
  expect.objectContaining({ name: 'ShellgateError', code, message: expect.stringMatching(text) });

describe('opening a session', () => {
  test.each([
    [{ size: { cols: 0, rows: 24 } }, 'CONFIG_INVALID', /size\.cols must be at least 1/],
    [{ size: { cols: 80, rows: 1e9 } }, 'CONFIG_INVALID', /size\.rows must be at most 1000/],
    [{ size: { cols: 80.5, rows: 24 } }, 'CONFIG_INVALID', /size\.cols must be a whole number/],
    [{ cwd: '/not/there' }, 'DIRECTORY_MISSING', /\/not\/there is no directory; name one that exists/],
    [{ cwd: '/etc/passwd' }, 'DIRECTORY_MISSING', /is no directory/],
    [{ cwd: '' }, 'CONFIG_INVALID', /cwd must not be empty/],
    [{ cwd: '/a\0b' }, 'CONFIG_INVALID', /cwd contains a NUL/],
    [{ mode: 'other' }, 'CONFIG_INVALID', /mode must be one of "persistent", "stateless"/],
    [{ env: { A: 1 } }, 'CONFIG_INVALID', /env\.A must be a string/],
    [{ workdir: '/tmp' }, 'CONFIG_INVALID', /has no field "workdir"; there are cwd, mode/],
  ])('%j', async (options, code, text) => {
    const gate = await gateIn(temporaryDirectory());
    await expect(gate.openSession(options as SessionOptions)).rejects.toEqual(codeAndText(code, text));
  });

  test.each([
    ['/not/there', 'SHELL_UNSUPPORTED', /no shell family speaks to .*known: bash/],
    ['/bin/true', 'SHELL_UNSUPPORTED', /known: bash/],
  ])('a shell that is none: %s', async (shell, code, text) => {
    await expect(gateIn(temporaryDirectory(), { shell })).rejects.toEqual(codeAndText(code, text));
  });

  test('a shell that is not there', async () => {
    const gate = await gateIn(temporaryDirectory(), { shell: '/not/there/bash' });
    await expect(gate.openSession()).rejects.toEqual(codeAndText('SHELL_UNAVAILABLE', /is no .*path of a program; name one/));
  });

  test('a program that only has the name of a shell', async () => {
    const cwd = temporaryDirectory();
    symlinkSync('/bin/true', join(cwd, 'bash'));
    const gate = await gateIn(cwd, { shell: join(cwd, 'bash') });
    await expect(gate.openSession()).rejects.toEqual(codeAndText('SHELL_UNAVAILABLE', /ended at once .*run it by hand/));
  });
});

describe('running a command', () => {
  test('what it reads from is one thing, and not endless', async () => {
    verifies('P6');
    const session = await (await gateIn(temporaryDirectory())).openSession();
    expect(() => session.start('cat', { tty: true, stdin: 'x' })).toThrow(
      codeAndText('REQUEST_INVALID', /stdin is for commands without tty/),
    );
    const endless = 'x'.repeat(64 * 1024 * 1024 + 1);
    expect(() => session.start('cat', { stdin: endless })).toThrow(codeAndText('REQUEST_INVALID', /write it to a file/));
    expect(await session.run('wc -c', { stdin: endless.slice(1) })).toMatchObject({ stdout: { text: '67108864\n' } });
  });

  test('a piece of its output begins where there is one', async () => {
    const session = await (await gateIn(temporaryDirectory())).openSession();
    const execution = session.start('echo hi');
    await execution.result;
    expect(await execution.output('stdout', 3, 10)).toEqual({ bytes: new Uint8Array(0), next: 3, end: true });
    for (const [from, max] of [
      [4, 10],
      [-1, 10],
      [Number.NaN, 10],
      [0.5, 10],
      [0, 0],
      [0, -1],
    ] as const) {
      await expect(execution.output('stdout', from, max)).rejects.toEqual(codeAndText('OFFSET_INVALID', /3 bytes are there/));
    }
    await expect(execution.output('out' as 'stdout', 0, 1)).rejects.toEqual(codeAndText('STREAM_UNKNOWN', /read stdout/));
  });

  test('its terminal has a size that a terminal can have, and keeps it', async () => {
    const session = await (await gateIn(temporaryDirectory())).openSession({ size: { cols: 70, rows: 20 } });
    const execution = session.start('trap "stty size; exit" WINCH; stty size; while :; do sleep 0.05; done', { tty: true });
    await expect.poll(async () => (await execution.output('terminal', 0, 100)).bytes.length).toBeGreaterThan(0);
    for (const [cols, rows] of [
      [0, 0],
      [80, -1],
      [1_001, 24],
    ] as const) {
      expect(() => execution.resize(cols, rows)).toThrow(codeAndText('SIZE_INVALID', /cannot be .* must be at/));
    }
    execution.resize(100, 30);
    expect(await execution.result).toMatchObject({ stdout: { text: '20 70\r\n30 100\r\n' } });
    expect(await session.run('stty size', { tty: true })).toMatchObject({ stdout: { text: '30 100\r\n' } });
    const captured = session.start('sleep 0.1');
    captured.resize(10, 10); // it has no terminal
    await captured.result;
  });

  test('a second writer in the chain file ends everything, and says where to look', async () => {
    verifies('P1');
    const cwd = temporaryDirectory();
    const session = await (await gateIn(cwd)).openSession();
    await session.run('echo 1');
    const audit = join(cwd, 'audit');
    appendFileSync(join(audit, readdirSync(audit).find(name => name.endsWith('.jsonl'))!), '{"foreign":true}\n');
    const refused = await session.run('touch ran');
    expect(refused).toMatchObject({
      outcome: 'refused',
      by: 'audit',
      code: 'AUDIT_TAMPERED',
      reason: expect.stringContaining('audit'),
    });
    expect(readdirSync(cwd)).not.toContain('ran');
  });
});
