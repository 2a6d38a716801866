import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { bench } from './place.js';
import { isGone } from './processes-gone.js';

const numbered = (count: number, replaced: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, n) => `${replaced[n] ?? `line ${n}`}\n`).join('');

describe('run_command', () => {
  test("the document's own examples", async () => {
    verifies('S1-01', 'S1-03', 'S1-04', 'S1-05', 'G01', 'G02', 'G03', 'G06');
    const { output } = await bench();
    expect(await output('run_command', { command: 'echo hello' })).toEqual({
      ok: true,
      stdout: 'hello\n',
      stderr: '',
      exit_code: 0,
      command: 'echo hello',
    });
    expect(await output('run_command', { command: 'pwd', working_dir: '/tmp' })).toMatchObject({ ok: true, stdout: '/tmp\n' });
    expect(await output('run_command', { command: "echo 'hello' | grep hello" })).toMatchObject({ ok: true, stdout: 'hello\n' });
    expect(await output('run_command', { command: 'false' })).toMatchObject({ ok: false, exit_code: 1 });
    expect(await output('run_command', { command: 'exit 42' })).toMatchObject({ ok: false, exit_code: 42 });
  });

  test('waits for a command that takes a while, and nothing stays from call to call', async () => {
    verifies('S1-04', 'S1-14', 'G05');
    const { output } = await bench();
    const [slow] = await Promise.all([
      output('run_command', { command: 'sleep 2 && echo done', timeout: 10 }),
      output('run_command', { command: 'export KEPT=1; cd /' }),
    ]);
    expect(slow).toMatchObject({ ok: true, stdout: 'done\n' });
    expect(await output('run_command', { command: 'echo "[$KEPT]"' })).toMatchObject({ stdout: '[]\n' });
  });

  test('a deadline keeps what was printed, says so, and leaves nothing running', async () => {
    verifies('S1-06', 'G07');
    const { output } = await bench();
    const began = performance.now();
    const result = await output('run_command', { command: 'echo part; sleep 300.173', timeout: 1 });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(result).toMatchObject({ ok: false, stdout: 'part\n', exit_code: 124, timed_out: true });
    expect(result['stderr']).toContain('timed out after 1 seconds');
    expect(await isGone('sleep 300.173')).toBe(true);
  });

  test('working_dir: home and variables expanded, relative from the session, secrets never, a missing one said', async () => {
    verifies('S1-07', 'S1-08');
    process.env['TOOLS_SPOT'] = 'deep';
    process.env['TOOLS_API_TOKEN'] = 'sh-secret-value-123';
    const { output, home } = await bench();
    mkdirSync(join(home, 'deep/er'), { recursive: true });
    const pwd = async (working_dir: string) => await output('run_command', { command: 'pwd', working_dir });
    expect(await pwd('deep')).toMatchObject({ stdout: `${home}/deep\n` });
    expect(await pwd('$TOOLS_SPOT/er')).toMatchObject({ stdout: `${home}/deep/er\n` });
    expect(await pwd('~')).toMatchObject({ stdout: `${process.env['HOME']}\n` });
    const missing = await pwd('/nonexistent');
    expect(missing).toMatchObject({ ok: false, stdout: '', exit_code: -1, command: 'pwd' });
    expect(missing['stderr']).toContain('/nonexistent');
    expect(JSON.stringify(await pwd('/$TOOLS_API_TOKEN'))).not.toContain('sh-secret-value-123');
    delete process.env['TOOLS_SPOT'];
    delete process.env['TOOLS_API_TOKEN'];
  });

  test('a denied command: policy is asked before any person, and nothing runs', async () => {
    verifies('S3-14', 'I12');
    const policy = "[[rule]]\nid = 'no'\ndecision = 'deny'\ncommand = 'touch **'\nreason = 'touching is over'\ntell = true\n";
    const { output, questions, home } = await bench({ policy });
    const result = await output('run_command', { command: `touch ${home}/marker` });
    expect(result).toMatchObject({ ok: false, exit_code: -1, error_class: 'permission_denied', code: 'POLICY_DENIED' });
    expect(result['stderr']).toBe('Command rejected by policy: touching is over');
    expect(questions).toEqual([]);
    expect(existsSync(join(home, 'marker'))).toBe(false);
  });

  test('an edited command says what ran', async () => {
    const { output } = await bench({
      answer: ({ request }) => (request.text === 'echo a' ? { outcome: 'edited', text: 'echo b' } : 'approved'),
    });
    expect(await output('run_command', { command: 'echo a' })).toMatchObject({
      stdout: 'b\n',
      ran_instead: 'echo b',
      command: 'echo a',
    });
  });
});

describe('max_output', () => {
  const printed = async (text: string, max_output?: number) => {
    const { output, home } = await bench();
    writeFileSync(join(home, 'text'), text);
    return output('run_command', { command: 'cat text', ...(max_output !== undefined && { max_output }) });
  };

  test('head and tail of whole lines with the marker', async () => {
    verifies('S1-09', 'S1-11', 'G10');
    const { stdout } = await printed(numbered(100), 200);
    expect(stdout).toBe(`${numbered(11)}\n[... truncated 632 bytes ...]\n${numbered(100).slice(-80)}`);
  });

  test('an error-like line of the middle stays', async () => {
    verifies('S1-10', 'G11');
    const traceback = 'Traceback (most recent call last):';
    const { stdout } = await printed(numbered(100, { 50: traceback }), 200);
    expect(stdout).toContain(`[... truncated 624 bytes ...]\n${traceback}\n`);
    expect(Buffer.byteLength(String(stdout).replace(/\n\[\.\.\. truncated \d+ bytes \.\.\.\]\n/, ''))).toBeLessThanOrEqual(200);
  });

  test('one line without an end', async () => {
    verifies('S1-13', 'G12', 'G13');
    expect((await printed('a'.repeat(1_000), 100))['stdout']).toBe(
      `${'a'.repeat(40)}\n[... truncated 920 bytes ...]\n${'a'.repeat(40)}`,
    );
    const { stdout } = await printed(`error ${'x'.repeat(1_000)}`, 100);
    expect(Buffer.byteLength(String(stdout).replace(/\n\[\.\.\. truncated \d+ bytes \.\.\.\]\n/, ''))).toBeLessThanOrEqual(100);
  });

  test('both streams share the limit, beyond what a session keeps in memory', async () => {
    verifies('S1-02', 'S1-12', 'S1-13', 'G15', 'G16');
    const { output } = await bench();
    const bytes = (count: number, of: string) => `head -c ${count} /dev/zero | tr '\\0' ${of}`;
    const both = await output('run_command', { command: `${bytes(90_000, 'o')}; ${bytes(90_000, 'e')} >&2` });
    const kept = [both['stdout'], both['stderr']].map(text =>
      String(text).replace(/\n\[\.\.\. truncated \d+ bytes \.\.\.\]\n/, ''),
    );
    expect(kept[0]!.length + kept[1]!.length).toBeLessThanOrEqual(100_000);
    for (const [text, of] of [
      [both['stdout'], 'o'],
      [both['stderr'], 'e'],
    ])
      expect(text).toMatch(new RegExp(`^${of}+\\n\\[\\.\\.\\. truncated \\d+ bytes \\.\\.\\.\\]\\n${of}+$`));
    expect(await output('run_command', { command: bytes(100_000, 'a') })).toMatchObject({ stdout: 'a'.repeat(100_000) });
    expect((await output('run_command', { command: bytes(100_001, 'a') }))['stdout']).toContain(
      '[... truncated 20001 bytes ...]',
    );
    expect((await output('run_command', { command: bytes(1_000_000, 'a'), max_output: 0 }))['stdout']).toBe(
      'a'.repeat(1_000_000),
    );
  });
});

describe('run_script', () => {
  test('state is shared inside one script; the answer has no command', async () => {
    verifies('S1-14', 'S1-15', 'S1-16', 'G17');
    const { output } = await bench();
    expect(await output('run_script', { script: 'cd /tmp\necho $(pwd)\nX=1\necho $X' })).toEqual({
      ok: true,
      stdout: '/tmp\n1\n',
      stderr: '',
      exit_code: 0,
    });
  });

  test.skipIf(!existsSync('/usr/bin/python3'))('another interpreter', async () => {
    verifies('S1-16', 'G18');
    const { output } = await bench();
    const script = 'import sys\nprint(sys.version)';
    expect(await output('run_script', { script, interpreter: '/usr/bin/python3' })).toMatchObject({
      ok: true,
      stdout: expect.stringMatching(/^3\./),
    });
    expect(await output('run_script', { script, interpreter: '/usr/bin/python3 -u' })).toMatchObject({ ok: true });
  });

  const SCRIPT = "echo begun; read x; echo \"[$x]\"; cat; printf '%s' 'it''s'\n# error: $HOME `x` END_OF_SCRIPT\nEND_OF_SCRIPT=1";
  test.each([['/bin/bash'], ['/bin/sh'], ['/usr/bin/env bash'], [process.execPath]])(
    '%s gets the very script that is shown',
    async interpreter => {
      verifies('S1-17');
      const { output, questions } = await bench();
      const isNode = interpreter === process.execPath;
      const script = isNode
        ? "console.log('it' + `s`, '\\\\', \"$HOME\")"
        : interpreter.includes(' ')
          ? 'echo \'begun\'\necho "[$0]"'
          : SCRIPT;
      const result = await output('run_script', { script, interpreter });
      expect(result).toMatchObject({ ok: true, stderr: '' });
      expect(result['stdout']).toBe(isNode ? 'its \\ $HOME\n' : interpreter.includes(' ') ? 'begun\n[bash]\n' : 'begun\n[]\nits');
      const shown = questions[0]!.display.text;
      for (const line of script.split('\n')) expect(shown.replaceAll("'\\''", "'").replaceAll("'\"'\"'", "'")).toContain(line);
    },
  );

  test('what a script would do is judged, not only that there is one', async () => {
    const { output, questions } = await bench({ gate: { policy: 'read-only' } });
    expect(await output('run_script', { script: 'ls -la\npwd' })).toMatchObject({ ok: true });
    expect(questions).toEqual([]);
    expect(await output('run_script', { script: 'ls\nrm -rf /' })).toMatchObject({ ok: false, code: 'POLICY_DENIED' });
  });

  test('a deadline and a missing interpreter', async () => {
    verifies('S1-17');
    const { output } = await bench();
    const late = await output('run_script', { script: 'echo part\nsleep 300.174', timeout: 1 });
    expect(late).toMatchObject({ ok: false, stdout: 'part\n', exit_code: 124 });
    expect(late['stderr']).toContain('Script timed out after 1 seconds');
    expect(await isGone('sleep 300.174')).toBe(true);
    const missing = await output('run_script', { script: 'x', interpreter: '/nonexistent/python9' });
    expect(missing).toMatchObject({ ok: false, stdout: '' });
    expect(missing['stderr']).toContain('/nonexistent/python9');
  });
});

describe('which', () => {
  test('programs by name and by path', async () => {
    verifies('S1-18', 'G21');
    const { output } = await bench({ gate: { policy: 'read-only' } });
    expect(await output('which', { command: 'bash' })).toEqual({ ok: true, path: expect.stringMatching(/^\/.*\/bash$/) });
    expect(await output('which', { command: 'nonexistent' })).toEqual({ ok: false, error: 'Command not found: nonexistent' });
    expect(await output('which', { command: '-a' })).toEqual({ ok: false, error: 'Command not found: -a' });
  });

  test('only executable files count', async () => {
    verifies('S1-19', 'G22');
    const path = process.env['PATH'];
    const made = await bench();
    for (const name of ['first', 'second', 'first/folder']) mkdirSync(join(made.home, name));
    for (const name of ['first/tool', 'second/tool', 'first/only']) writeFileSync(join(made.home, name), '#!/bin/sh\n');
    chmodSync(join(made.home, 'second/tool'), 0o755);
    process.env['PATH'] = `${made.home}/first:${made.home}/second:${path}`;
    const { output } = await bench({ gate: { cwd: made.home } });
    process.env['PATH'] = path;
    expect(await output('which', { command: 'tool' })).toEqual({ ok: true, path: `${made.home}/second/tool` });
    expect(await output('which', { command: 'only' })).toMatchObject({ ok: false });
    expect(await output('which', { command: 'folder' })).toMatchObject({ ok: false });
    expect(await output('which', { command: '/tmp' })).toMatchObject({ ok: false });
    expect(await output('which', { command: './second/tool' })).toEqual({ ok: true, path: `${made.home}/second/tool` });
  });
});

test('which in a shell that is no bash', async () => {
  verifies('S1-19', 'G21', 'G22');
  const { output, home } = await bench({ gate: { shell: '/bin/sh' } });
  writeFileSync(join(home, 'plain'), 'x');
  expect(await output('which', { command: 'echo' })).toEqual({ ok: true, path: expect.stringMatching(/^\/.*\/echo$/) });
  for (const command of ['nonexistent', 'cd', './plain', '/tmp']) {
    expect(await output('which', { command })).toEqual({ ok: false, error: `Command not found: ${command}` });
  }
  expect(await output('which', { command: '/bin/../bin/ls' })).toMatchObject({ ok: true });
});

describe('get_env', () => {
  test('set, unset, empty, and what the default does', async () => {
    verifies('S1-20', 'S1-21', 'G23');
    process.env['TOOLS_EMPTY'] = '';
    process.env['TOOLS_LONG'] = 'x'.repeat(70_000);
    const { output } = await bench();
    delete process.env['TOOLS_EMPTY'];
    delete process.env['TOOLS_LONG'];
    expect(await output('get_env', { name: 'HOME' })).toEqual({ ok: true, value: process.env['HOME'] });
    expect(await output('get_env', { name: 'MY_VAR', default: 'fallback' })).toEqual({ ok: true, value: 'fallback' });
    expect(await output('get_env', { name: 'UNSET_VAR' })).toEqual({
      ok: false,
      error: 'Environment variable not set: UNSET_VAR',
    });
    expect(await output('get_env', { name: 'UNSET_VAR', default: '' })).toEqual({ ok: true, value: '' });
    expect(await output('get_env', { name: 'TOOLS_EMPTY' })).toEqual({ ok: true, value: '' });
    expect(await output('get_env', { name: 'TOOLS_LONG' })).toEqual({ ok: true, value: 'x'.repeat(70_000) });
  });

  test('the name of a secret asks; refused, it looks unset', async () => {
    verifies('S1-22');
    process.env['SOME_API_TOKEN'] = 'tools-secret-1';
    const { output, questions } = await bench({ gate: { policy: 'read-only', env: 'inherit' }, answer: () => 'denied' });
    delete process.env['SOME_API_TOKEN'];
    expect(await output('get_env', { name: 'SOME_API_TOKEN' })).toEqual({
      ok: false,
      error: 'Environment variable not set: SOME_API_TOKEN',
    });
    expect(questions.map(({ request }) => request.text)).toEqual(['printenv SOME_API_TOKEN']);
  });
});
