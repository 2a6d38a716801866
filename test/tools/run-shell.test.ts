import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTools } from '../../src/tools/create-tools.js';
import { verifies } from '../helpers/verifies.js';
import { bench } from './place.js';
import { problemsOf } from './standard.js';

describe('run_shell', () => {
  test('one argument, one text, in a shell that remembers', async () => {
    verifies('S3-04');
    const { tools, call } = await bench();
    const listed = tools.list().find(({ name }) => name === 'run_shell')!;
    expect(listed).toMatchObject({ kind: 'shell', inputSchema: { required: ['command'], additionalProperties: false } });
    expect(Object.keys(listed.inputSchema['properties'] as object)).toEqual(['command']);
    expect((await call('run_shell', { command: 'cd /tmp; export A=1; echo hi; echo no >&2; (exit 3)' })).output).toBe(
      'hi\nstderr: no\nexit_code: 3',
    );
    expect((await call('run_shell', { command: 'pwd; echo $A' })).output).toBe('/tmp\n1\nexit_code: 0');
  });

  test('shares its shell with shell_exec, and with the session it is bound to', async () => {
    const { gate, call, home } = await bench();
    await call('shell_exec', { command: 'export SHARED=1' });
    expect((await call('run_shell', { command: 'echo $SHARED' })).output).toBe('1\nexit_code: 0');
    const session = await gate.openSession({ cwd: home });
    await session.run('export OWN=1');
    const bound = createTools(gate, { session });
    expect((await bound.call('run_shell', { command: 'echo $OWN' })).output).toBe('1\nexit_code: 0');
    await bound.close();
    expect(await session.run('echo alive')).toMatchObject({ stdout: { text: 'alive\n' } });
    await session.close();
  });

  test('after its session was closed by others, the next call gets a new one', async () => {
    const { gate, call } = await bench();
    const opened: Awaited<ReturnType<typeof gate.openSession>>[] = [];
    const open = gate.openSession.bind(gate);
    gate.openSession = async options => {
      opened.push(await open(options));
      return opened.at(-1)!;
    };
    await call('run_shell', { command: 'export A=1' });
    await call('run_command', { command: 'true' });
    for (const session of opened) await session.close();
    expect(await call('run_shell', { command: 'echo "[$A]"' })).toMatchObject({
      isError: true,
      output: expect.stringContaining('closed'),
    });
    expect((await call('run_shell', { command: 'echo "[$A]"' })).output).toBe('[]\nexit_code: 0');
    expect((await call('run_command', { command: 'true' })).isError).toBe(true);
    expect((await call('run_command', { command: 'true' })).isError).toBe(false);
  });

  test('a command that policy denies: nobody is asked, nothing runs, the model is told', async () => {
    verifies('S3-14', 'I12');
    const policy = "[[rule]]\nid = 'no'\ndecision = 'deny'\ncommand = 'touch **'\nreason = 'touching is over'\ntell = true\n";
    const { call, home, questions, records } = await bench({ policy });
    const { output, isError } = await call('run_shell', { command: `touch ${home}/marker` });
    expect([output, isError]).toEqual(['Command rejected by policy: touching is over', true]);
    expect(questions).toEqual([]);
    expect(existsSync(join(home, 'marker'))).toBe(false);
    expect(problemsOf(records)).toEqual([]);
  });
});

describe('which tools there are', () => {
  test('by set and by name', async () => {
    verifies('S1-23');
    const { gate } = await bench();
    const names = (options: object) =>
      createTools(gate, options)
        .list()
        .map(({ name }) => name);
    expect(names({ sets: ['supyagent'] })).toEqual(['run_command', 'run_script', 'which', 'get_env']);
    expect(names({ sets: ['agenttool'], disable: ['kill_process'] })).toEqual([
      'shell_exec',
      'list_processes',
      'check_process',
      'get_process_output',
    ]);
    expect(() => createTools(gate, { disable: ['run_comand'] })).toThrow(expect.objectContaining({ code: 'TOOL_UNKNOWN' }));
  });

  test('one that is switched off is not there to be called', async () => {
    verifies('S1-23');
    const { gate, logged } = await bench();
    const tools = createTools(gate, { disable: ['run_command'] });
    const { output, isError } = await tools.call('run_command', { command: 'echo hi' });
    expect([isError, output]).toMatchObject([true, { error: { error_class: 'unknown_tool', field: 'name' } }]);
    expect(tools.declaration('run_command')).toBeUndefined();
    expect(logged()).not.toContain('command.requested');
  });

  test('the caller of a call is who the gate asks for, and its ids are in the log', async () => {
    const { call, questions } = await bench();
    const principal = { kind: 'model', id: 'chat-7', label: 'the assistant' } as const;
    await call('run_command', { command: 'true' }, { principal, toolCallId: 'call_1', traceparent: '00-1-2-01' });
    expect(questions[0]!.request).toMatchObject({ principal, origin: { toolCallId: 'call_1', traceparent: '00-1-2-01' } });
  });
});
