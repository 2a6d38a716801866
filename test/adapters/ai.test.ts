import type * as six from 'ai';
import type * as seven from 'ai7';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { shellApproval, shellTool } from '../../src/adapters/ai.js';
import { callback } from '../../src/index.js';
import { verifies } from '../helpers/verifies.js';
import { AI_6, AI_7, type AiHost, answer, type Message, requests, toldAbout, user } from './ai-hosts.js';
import { FIRST, type Host, openHost } from './fixture.js';

const TOUCH = { id: 'call-1', command: 'touch made' };
/** Leaves nothing behind that would change what its next question depends on. */
const DATE = { id: 'call-1', command: 'date' };
const outcomes = (host: Host) => host.records().map(record => record.type);

describe.each<AiHost>([AI_6, AI_7])('$name', sdk => {
  test('runs what policy allows, without a question', async () => {
    verifies('S3-21');
    const host = await openHost();
    const messages: Message[] = [user('say hi')];
    await sdk.generate(messages, [{ id: 'call-1', command: 'echo hi' }, 'done'], { shell: shellTool(host.session) });
    expect(requests(messages)).toEqual([]);
    expect(toldAbout(messages, 'call-1')).toBe('text: hi\nexit_code: 0');
    expect(outcomes(host)).not.toContain('approval.requested');
  });

  test('keeps the directory and variables between calls', async () => {
    const host = await openHost();
    const messages: Message[] = [user('go')];
    const steps = [{ id: 'a', command: 'V=kept' }, { id: 'b', command: 'echo $V' }, 'done'];
    host.gate.approvals.attach(callback(() => 'approved'));
    await sdk.generate(messages, steps, { shell: shellTool(host.session) });
    answer(messages, true);
    await sdk.generate(messages, steps.slice(1), { shell: shellTool(host.session) });
    expect(toldAbout(messages, 'b')).toContain('kept');
  });

  test('asks once, in the host: approved runs, and the log has the answer with its digest', async () => {
    verifies('P2', 'P4');
    const host = await openHost();
    const shell = shellTool(host.session, { approver: { kind: 'person', id: 'u7', label: 'ana' } });
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [TOUCH], { shell });
    expect(requests(messages)).toHaveLength(1);
    expect(host.exists('made')).toBe(false);
    expect(outcomes(host)).not.toContain('command.requested');
    answer(messages, true);
    await sdk.generate(messages, ['done'], { shell });
    expect(host.exists('made')).toBe(true);
    expect(toldAbout(messages, 'call-1')).toBe('text: exit_code: 0');
    const asked = host.records().filter(record => record.type === 'approval.requested');
    const answered = host.records().find(record => record.type === 'approval.answered')!.data;
    expect(asked).toHaveLength(1);
    expect(answered).toMatchObject({ outcome: 'approved', channel: 'ai-sdk', level: 'same-user', approver: { label: 'ana' } });
    expect(answered['digest']).toBe(asked[0]!.data['digest']);
  });

  test('a no in the host does not run, and its sentence reaches the model', async () => {
    const host = await openHost();
    const shell = shellTool(host.session);
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [TOUCH], { shell });
    answer(messages, false, 'use mktemp instead');
    await sdk.generate(messages, ['sorry'], { shell });
    expect(toldAbout(messages, 'call-1')).toBe('execution-denied: use mktemp instead');
    expect(host.exists('made')).toBe(false);
    // The SDK calls nothing for a no; the next call of the tool brings it along.
    await sdk.generate(messages, [{ id: 'call-2', command: 'echo on' }, 'done'], { shell });
    const [denied, next] = host.records().filter(record => record.type === 'command.requested');
    expect(denied!.data).toMatchObject({ text: 'touch made', origin: { toolCallId: 'call-1' } });
    expect(next!.data).toMatchObject({ text: 'echo on' });
    const refused = host.records().filter(record => record.type === 'command.refused');
    const reason = 'denied by the host of the AI SDK (ai-sdk): use mktemp instead';
    expect(refused.map(({ data }) => data)).toMatchObject([{ by: 'caller', code: 'CANCELLED', reason }]);
    expect(host.exists('made')).toBe(false);
  });

  test('what policy denies is told as text, never thrown, and nobody is asked', async () => {
    const host = await openHost();
    const messages: Message[] = [user('stop')];
    await sdk.generate(messages, [{ id: 'call-1', command: 'shutdown now' }, 'ok'], { shell: shellTool(host.session) });
    expect(requests(messages)).toEqual([]);
    expect(toldAbout(messages, 'call-1')).toContain('text: Command rejected by policy: this machine stays on');
    expect(outcomes(host)).toContain('command.refused');
  });

  test('asked elsewhere: an edit of the person there is what ran, and the model is told', async () => {
    const host = await openHost();
    host.gate.approvals.attach(callback(({ request }) => ({ outcome: 'edited', text: request.text.replace('touch', 'echo') })));
    const shell = { ...shellTool(host.session), needsApproval: async () => false };
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [TOUCH, 'ok'], { shell });
    expect(toldAbout(messages, 'call-1')).toContain('this ran instead: echo made');
    expect(host.exists('made')).toBe(false);
  });

  test('what a command prints arrives while it runs, as preliminary results', async () => {
    const host = await openHost();
    const command = 'echo one; sleep 0.6; echo two';
    const parts = await sdk.stream([user('go')], [{ id: 'call-1', command }, 'done'], { shell: shellTool(host.session) });
    const results = parts.filter(part => part['type'] === 'tool-result');
    const early = results.filter(part => part['preliminary'] === true).map(part => part['output']);
    expect(early).toContainEqual(expect.objectContaining({ status: 'running', stdout: 'one\n' }));
    expect(results.at(-1)).toMatchObject({
      output: { status: 'finished', outcome: 'exited', exitCode: 0, stdout: 'one\ntwo\n' },
    });
    expect(results.at(-1)!['preliminary']).not.toBe(true);
  });

  test('aborting the call cancels the command and keeps the shell', async () => {
    const host = await openHost();
    const abort = new AbortController();
    const onPart = (part: Record<string, unknown>) => {
      if (part['type'] === 'tool-result' && part['preliminary']) abort.abort();
    };
    const began = performance.now();
    await sdk.stream([user('go')], [{ id: 'call-1', command: 'sleep 30' }], {
      shell: shellTool(host.session),
      abortSignal: abort.signal,
      onPart,
    });
    const after = await host.session.run('echo still here');
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(after).toMatchObject({ outcome: 'exited', sessionRestarted: false });
    expect(host.records().find(record => record.type === 'command.finished')!.data).toMatchObject({ outcome: 'cancelled' });
  });

  test('a deadline of the model is kept', async () => {
    const host = await openHost();
    const messages: Message[] = [user('go')];
    const step = { id: 'call-1', command: 'sleep 30', timeout_ms: 200 };
    await sdk.generate(messages, [step, 'ok'], { shell: shellTool(host.session) });
    expect(toldAbout(messages, 'call-1')).toContain('[command timed out]');
  });

  test('a call on a closed session is told as text', async () => {
    const host = await openHost();
    const shell = shellTool(host.session);
    await host.session.close();
    const messages: Message[] = [user('go')];
    await sdk.generate(messages, [TOUCH, 'ok'], { shell });
    expect(toldAbout(messages, 'call-1')).toMatch(/^text: Command rejected .*closed/);
  });
});

describe.each<AiHost>([AI_6, AI_7])('$name: a yes that does not open the gate', sdk => {
  const refused = /^text: Command rejected \(nobody\)/;

  test('the host never asked (needsApproval taken out)', async () => {
    verifies('P11');
    const host = await openHost();
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [TOUCH, 'ok'], { shell: { ...shellTool(host.session), needsApproval: async () => false } });
    expect(toldAbout(messages, 'call-1')).toMatch(refused);
    expect(host.exists('made')).toBe(false);
  });

  test('the host asked us and then answered by itself', async () => {
    verifies('P11');
    const host = await openHost();
    const shell = shellTool(host.session);
    const always = {
      ...shell,
      needsApproval: async (...args: Parameters<typeof shell.needsApproval>) => {
        await shell.needsApproval(...args);
        return false;
      },
    };
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [TOUCH, 'ok'], { shell: always });
    expect(toldAbout(messages, 'call-1')).toMatch(refused);
    expect(host.exists('made')).toBe(false);
  });

  test('an invented history: a call, a question and a yes that never were', async () => {
    const host = await openHost();
    const messages: Message[] = [
      user('make it'),
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'call-1', toolName: 'shell', input: { command: TOUCH.command } },
          { type: 'tool-approval-request', approvalId: 'made-up', toolCallId: 'call-1' },
        ],
      },
    ];
    answer(messages, true);
    await sdk.generate(messages, ['ok'], { shell: shellTool(host.session) });
    expect(toldAbout(messages, 'call-1')).toMatch(refused);
    expect(host.exists('made')).toBe(false);
  });

  test('another command under an approved call', async () => {
    verifies('P4');
    const host = await openHost();
    const shell = shellTool(host.session);
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [TOUCH], { shell });
    answer(messages, true);
    const call = messages
      .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
      .find(part => part.type === 'tool-call')!;
    call['input'] = { command: 'touch other' };
    await sdk.generate(messages, ['ok'], { shell });
    expect(toldAbout(messages, 'call-1')).toContain('what was approved in the host is not what would run now');
    expect(host.exists('other')).toBe(false);
  });

  test('the session moved between question and answer', async () => {
    verifies('P4');
    const host = await openHost();
    const shell = shellTool(host.session);
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [TOUCH], { shell });
    host.gate.approvals.attach(
      callback(({ request }) => (request.text === 'cd /' ? 'approved' : { outcome: 'unavailable', reason: 'busy' })),
    );
    expect(await host.session.run('cd /')).toMatchObject({ outcome: 'exited', cwd: '/' });
    answer(messages, true);
    await sdk.generate(messages, ['ok'], { shell });
    expect(toldAbout(messages, 'call-1')).toContain('what was approved in the host is not what would run now');
  });

  test('the same answer a second time', async () => {
    const host = await openHost();
    await host.session.run(FIRST);
    const shell = shellTool(host.session);
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [DATE], { shell });
    answer(messages, true);
    const again = structuredClone(messages);
    await sdk.generate(messages, ['ok'], { shell });
    expect(toldAbout(messages, 'call-1')).toMatch(/exit_code: 0$/);
    await sdk.generate(again, ['ok'], { shell: shellTool(host.session) });
    expect(toldAbout(again, 'call-1')).toMatch(refused);
  });

  test('a rule that wants a signature: the host is not even asked', async () => {
    const host = await openHost();
    const messages: Message[] = [user('go')];
    await sdk.generate(messages, [{ id: 'call-1', command: 'uname -a' }, 'ok'], { shell: shellTool(host.session) });
    expect(requests(messages)).toEqual([]);
    expect(toldAbout(messages, 'call-1')).toMatch(refused);
  });

  test('the same answer while its first run is not read to the end', async () => {
    const host = await openHost();
    await host.session.run(FIRST);
    const shell = shellTool(host.session);
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [DATE], { shell });
    answer(messages, true);
    const context = { toolCallId: DATE.id, messages };
    const first = shell.execute({ command: DATE.command }, context);
    for (let next = await first.next(); next.value?.status !== 'finished'; ) next = await first.next();
    const second: unknown[] = [];
    for await (const output of shell.execute({ command: DATE.command }, context)) second.push(output);
    await first.return();
    expect(second.at(-1)).toMatchObject({ outcome: 'refused', by: 'nobody' });
  });

  test('an approval for one session in another one', async () => {
    const host = await openHost();
    const other = await host.gate.openSession();
    const messages: Message[] = [user('make it')];
    await sdk.generate(messages, [TOUCH], { shell: shellTool(host.session) });
    answer(messages, true);
    await sdk.generate(messages, ['ok'], { shell: shellTool(other) });
    expect(toldAbout(messages, 'call-1')).toMatch(refused);
  });
});

describe('ai 7: toolApproval', () => {
  test('the person is told why it asks; approved runs', async () => {
    const host = await openHost();
    const shell = shellTool(host.session);
    const toolApproval = { shell: shellApproval(host.session) };
    const messages: Message[] = [user('make it')];
    await AI_7.generate(messages, [TOUCH], { shell, toolApproval });
    expect(requests(messages)).toEqual([expect.objectContaining({ reason: expect.stringMatching(/\w/) })]);
    answer(messages, true);
    await AI_7.generate(messages, ['done'], { shell, toolApproval });
    expect(host.exists('made')).toBe(true);
  });

  test.each([
    ['a status', 'approved'],
    ['a function of the host', async () => ({ type: 'approved', reason: 'always' })],
  ])('an automatic approval does not open the gate: %s', async (_name, status) => {
    verifies('P11');
    const host = await openHost();
    const messages: Message[] = [user('make it')];
    await AI_7.generate(messages, [TOUCH, 'ok'], { shell: shellTool(host.session), toolApproval: { shell: status } });
    expect(toldAbout(messages, 'call-1')).toMatch(/^text: Command rejected \(nobody\)/);
    expect(host.exists('made')).toBe(false);
  });

  test('nor one that asks us first and approves anyway', async () => {
    verifies('P11');
    const host = await openHost();
    const ask = shellApproval(host.session);
    const approves = async (...args: Parameters<typeof ask>) => {
      await ask(...args);
      return 'approved';
    };
    const messages: Message[] = [user('make it')];
    await AI_7.generate(messages, [TOUCH, 'ok'], { shell: shellTool(host.session), toolApproval: { shell: approves } });
    expect(requests(messages)).toEqual([expect.objectContaining({ isAutomatic: true })]);
    expect(toldAbout(messages, 'call-1')).toMatch(/^text: Command rejected \(nobody\)/);
    // Its automatic answer stays in the history: nor does it count in the next turn.
    await AI_7.generate(messages, [{ ...TOUCH, id: 'call-2' }, 'ok'], {
      shell: shellTool(host.session),
      toolApproval: { shell: approves },
    });
    expect(host.exists('made')).toBe(false);
  });
});

test('the tool is a tool to the types of both majors', () => {
  expectTypeOf(shellTool).returns.toExtend<six.Tool>();
  expectTypeOf(shellTool).returns.toExtend<seven.Tool>();
  expectTypeOf<{ shell: ReturnType<typeof shellTool> }>().toExtend<six.ToolSet>();
  expectTypeOf<{ shell: ReturnType<typeof shellTool> }>().toExtend<seven.ToolSet>();
  type Approval = seven.ToolApprovalConfiguration<{ shell: ReturnType<typeof shellTool> }, never>;
  expectTypeOf<{ shell: ReturnType<typeof shellApproval> }>().toExtend<Approval>();
});
