import { Agent, RunContext, Runner, RunState, type RunToolApprovalItem, shellTool } from '@openai/agents';
import { Manifest, SandboxAgent, shell } from '@openai/agents/sandbox';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, test } from 'vitest';
import { gatedSandbox, gatedShell } from '../../src/adapters/openai.js';
import { callback } from '../../src/index.js';
import { verifies } from '../helpers/verifies.js';
import { FIRST, type Host, openHost } from './fixture.js';

const runner = new Runner({ tracingDisabled: true });
const said = (text = 'done') => [assistantMessage(text)];
const types = (host: Host) => host.records().map(record => record.type);
const unanswered = 'no one can be asked';

/** What the model reads of the outputs, in order: `stdout|stderr|outcome`. */
interface ShellOutput {
  readonly callId: string;
  readonly output: { stdout: string; stderr: string; outcome: { type: string; exitCode?: number | null } }[];
}

describe('gatedShell', () => {
  const call = (callId: string, ...commands: string[]) => ({ type: 'shell_call' as const, callId, action: { commands } });
  const shellOutputs = (items: readonly { rawItem?: unknown }[]) =>
    items.map(item => item.rawItem as { type: string } & ShellOutput).filter(raw => raw?.type === 'shell_call_output');

  function agentOf(host: Host, steps: ConstructorParameters<typeof ScriptedModel>[0], extra: object = {}) {
    return new Agent({
      name: 'worker',
      model: new ScriptedModel(steps),
      tools: [shellTool({ ...gatedShell(host.session), ...extra })],
    });
  }

  test('runs what policy allows; every command of a call has its own output', async () => {
    const host = await openHost();
    const result = await runner.run(agentOf(host, [[call('c1', 'echo a', 'echo b; echo c >&2')], said()]), 'go');
    expect(result.interruptions).toEqual([]);
    expect(shellOutputs(result.newItems)[0]!.output).toEqual([
      { stdout: 'a\n', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
      { stdout: 'b\n', stderr: 'c', outcome: { type: 'exit', exitCode: 0 } },
    ]);
  });

  test('asks once, as an interruption; approved runs, and the answer binds the digest that was asked', async () => {
    verifies('P2', 'P4');
    const host = await openHost();
    const agent = agentOf(host, [[call('c1', 'touch made')], said()]);
    const first = await runner.run(agent, 'go');
    expect(first.interruptions).toHaveLength(1);
    expect(host.exists('made')).toBe(false);
    first.state.approve(first.interruptions[0]!);
    const second = await runner.run(agent, first.state);
    expect(shellOutputs(second.newItems)[0]!.output[0]).toMatchObject({ outcome: { exitCode: 0 } });
    expect(host.exists('made')).toBe(true);
    const asked = host.records().filter(record => record.type === 'approval.requested');
    const answered = host.records().find(record => record.type === 'approval.answered')!.data;
    expect(asked).toHaveLength(1);
    expect(answered).toMatchObject({ outcome: 'approved', channel: 'openai-agents', digest: asked[0]!.data['digest'] });
  });

  test('one approval covers all commands of its call', async () => {
    const host = await openHost();
    await host.session.run(FIRST);
    const agent = agentOf(host, [[call('c1', 'touch one', 'echo between', 'touch two')], said()]);
    const first = await runner.run(agent, 'go');
    first.state.approve(first.interruptions[0]!);
    await runner.run(agent, first.state);
    expect([host.exists('one'), host.exists('two')]).toEqual([true, true]);
  });

  test('an onApproval of the host answers at once', async () => {
    const host = await openHost();
    const asked: RunToolApprovalItem[] = [];
    const onApproval = async (_context: unknown, item: RunToolApprovalItem) => {
      asked.push(item);
      return { approve: true };
    };
    await runner.run(agentOf(host, [[call('c1', 'touch made')], said()], { onApproval }), 'go');
    expect(asked).toHaveLength(1);
    expect(host.exists('made')).toBe(true);
  });

  test('a run that was written down comes back with the context it was asked in', async () => {
    const host = await openHost();
    const agent = agentOf(host, [[call('c1', 'touch made')], said()]);
    const context = new RunContext();
    const first = await runner.run(agent, 'go', { context });
    const state = await RunState.fromStringWithContext(agent, first.state.toString(), context);
    state.approve(state.getInterruptions()[0]!);
    await runner.run(agent, state);
    expect(host.exists('made')).toBe(true);
  });

  test('a no in the host does not run, and its sentence reaches the model', async () => {
    const host = await openHost();
    const agent = agentOf(host, [[call('c1', 'touch made')], [call('c2', 'echo on')], said()]);
    const first = await runner.run(agent, 'go');
    first.state.reject(first.interruptions[0]!, { message: 'use mktemp instead' });
    const second = await runner.run(agent, first.state);
    expect(shellOutputs(second.newItems)[0]!.output[0]).toMatchObject({ stderr: 'use mktemp instead' });
    // The SDK calls nothing for a no; the next call of the tool brings it along.
    const refused = host.records().filter(record => record.type === 'command.refused');
    const reason = 'denied by the host of OpenAI Agents (openai-agents)';
    expect(refused.map(({ data }) => data)).toMatchObject([{ by: 'caller', code: 'CANCELLED', reason }]);
    expect(host.records().find(record => record.type === 'command.requested')!.data).toMatchObject({
      text: 'touch made',
      origin: { toolCallId: 'c1' },
    });
    expect(host.exists('made')).toBe(false);
  });

  test('what policy denies is an output, and the commands behind it do not run', async () => {
    const host = await openHost();
    const result = await runner.run(agentOf(host, [[call('c1', 'shutdown now', 'echo after')], said()]), 'go');
    const { output } = shellOutputs(result.newItems)[0]!;
    expect(output[0]!.stderr).toContain('Command rejected by policy: this machine stays on');
    expect(output[1]!.stderr).toContain('Not run');
    expect(types(host).filter(type => type === 'command.requested')).toHaveLength(1);
  });

  test('asked elsewhere: an edit of the person there is what ran, and the model is told', async () => {
    const host = await openHost();
    host.gate.approvals.attach(callback(() => ({ outcome: 'edited', text: 'echo instead' })));
    const needsApproval = async () => false;
    const result = await runner.run(agentOf(host, [[call('c1', 'touch made')], said()], { needsApproval }), 'go');
    const { output } = shellOutputs(result.newItems)[0]!;
    expect(output[0]).toMatchObject({ stdout: 'instead\n', stderr: expect.stringContaining('this ran instead: echo instead') });
  });

  test('a deadline is a timeout, and the signal given to the shell cancels', async () => {
    const host = await openHost();
    const step = { ...call('c1', 'sleep 30'), action: { commands: ['sleep 30'], timeoutMs: 200 } };
    const late = await runner.run(agentOf(host, [[step], said()]), 'go');
    expect(shellOutputs(late.newItems)[0]!.output[0]!.outcome).toEqual({ type: 'timeout' });
    const abort = new AbortController();
    const tool = gatedShell(host.session, { signal: abort.signal });
    const running = tool.shell.run({ commands: ['sleep 30'] });
    setTimeout(() => abort.abort(), 200);
    expect((await running).output[0]!.stderr).toContain('Stopped with everything it started');
    expect(await host.session.run('echo still here')).toMatchObject({ outcome: 'exited', sessionRestarted: false });
  });

  test('maxOutputLength cuts the middle and is said back', async () => {
    const host = await openHost();
    const action = { commands: ['echo 0123456789012345678901234567890123456789'], maxOutputLength: 20 };
    const result = await gatedShell(host.session).shell.run(action);
    expect(result).toMatchObject({ maxOutputLength: 20, output: [{ stdout: expect.stringContaining('truncated') }] });
  });

  describe('a yes that does not open the gate', () => {
    test('alwaysApprove: neither the call it was clicked on nor any later one', async () => {
      verifies('P11');
      const host = await openHost();
      const agent = agentOf(host, [[call('c1', 'touch one')], [call('c2', 'touch two')], said()]);
      const first = await runner.run(agent, 'go');
      first.state.approve(first.interruptions[0]!, { alwaysApprove: true });
      const second = await runner.run(agent, first.state);
      const outputs = shellOutputs(second.newItems).map(({ output }) => output[0]!.stderr);
      expect(outputs).toEqual([expect.stringContaining(unanswered), expect.stringContaining(unanswered)]);
      expect([host.exists('one'), host.exists('two')]).toEqual([false, false]);
    });

    test('a text that was denied once, run again under an alwaysApprove for something else', async () => {
      verifies('P11');
      const host = await openHost();
      await host.session.run(FIRST);
      const steps = [[call('c1', 'touch one'), call('c2', 'touch two')], [call('c3', 'touch one')], said()];
      const agent = agentOf(host, steps);
      const first = await runner.run(agent, 'go');
      const [one, two] = first.interruptions;
      first.state.reject(one!, { message: 'no' });
      first.state.approve(two!, { alwaysApprove: true });
      await runner.run(agent, first.state);
      expect(host.exists('one')).toBe(false);
    });

    test('needsApproval taken out, or asked and then overruled', async () => {
      verifies('P11');
      const host = await openHost();
      const tool = gatedShell(host.session);
      const overruled = async (...args: Parameters<typeof tool.needsApproval>) => {
        await tool.needsApproval(...args);
        return false;
      };
      for (const needsApproval of [async () => false, overruled]) {
        await runner.run(agentOf(host, [[call('c1', 'touch made')], said()], { needsApproval }), 'go');
      }
      expect(host.exists('made')).toBe(false);
      expect(types(host).filter(type => type === 'command.refused')).toHaveLength(2);
    });

    test('one approval, the same text twice', async () => {
      const host = await openHost();
      await host.session.run(FIRST);
      const agent = agentOf(host, [[call('c1', 'date')], said()]);
      const first = await runner.run(agent, 'go');
      first.state.approve(first.interruptions[0]!);
      await runner.run(agent, first.state);
      const again = await gatedShell(host.session).shell.run({ commands: ['date'] });
      expect(again.output[0]!.stderr).toContain(unanswered);
    });

    test('the session moved between question and answer', async () => {
      verifies('P4');
      const host = await openHost();
      const agent = agentOf(host, [[call('c1', 'touch made')], said()]);
      const first = await runner.run(agent, 'go');
      const detach = host.gate.approvals.attach(callback(() => 'approved'));
      expect(await host.session.run('cd /')).toMatchObject({ outcome: 'exited', cwd: '/' });
      detach();
      first.state.approve(first.interruptions[0]!);
      const second = await runner.run(agent, first.state);
      expect(shellOutputs(second.newItems)[0]!.output[0]!.stderr).toContain('not what would run now');
    });

    test('a run that was written down and read back with a context of its own', async () => {
      const host = await openHost();
      const agent = agentOf(host, [[call('c1', 'touch made')], said()]);
      const first = await runner.run(agent, 'go');
      const state = await RunState.fromString(agent, first.state.toString());
      state.approve(state.getInterruptions()[0]!);
      await runner.run(agent, state);
      expect(host.exists('made')).toBe(false);
    });
  });
});

describe('gatedSandbox', () => {
  const exec = (callId: string, cmd: string, more: object = {}) => functionCall('exec_command', { cmd, ...more }, { callId });
  const outputs = (items: readonly { rawItem?: unknown }[]) =>
    items
      .map(item => item.rawItem as { type: string; output?: unknown })
      .filter(raw => raw?.type === 'function_call_result')
      .map(raw => (typeof raw.output === 'string' ? raw.output : (raw.output as { text: string }).text));

  function sandboxOf(host: Host, steps: ConstructorParameters<typeof ScriptedModel>[0]) {
    const sandbox = gatedSandbox(host.session, { manifest: new Manifest() });
    const agent = new SandboxAgent({
      name: 'worker',
      model: new ScriptedModel(steps),
      capabilities: [shell({ configureTools: sandbox.configureTools })],
    });
    return { agent, options: { sandbox: { session: sandbox.session } }, sandbox };
  }

  test('runs what policy allows and keeps its state', async () => {
    const host = await openHost();
    const { agent, options } = sandboxOf(host, [[exec('c1', 'echo hi')], said()]);
    const result = await runner.run(agent, 'go', options);
    expect(outputs(result.newItems)[0]).toMatch(/Output:\nhi\nexit_code: 0$/);
  });

  test('asks once; approved runs; a no is told', async () => {
    verifies('P2', 'P4');
    const host = await openHost();
    const { agent, options } = sandboxOf(host, [[exec('c1', 'touch yes'), exec('c2', 'touch no')], said()]);
    const first = await runner.run(agent, 'go', options);
    expect(first.interruptions).toHaveLength(2);
    first.state.approve(first.interruptions[0]!);
    first.state.reject(first.interruptions[1]!, { message: 'not that one' });
    const second = await runner.run(agent, first.state, options);
    expect([host.exists('yes'), host.exists('no')]).toEqual([true, false]);
    expect(outputs(second.newItems).join('\n')).toContain('not that one');
    expect(types(host).filter(type => type === 'approval.requested')).toHaveLength(1);
  });

  test('alwaysApprove does not open the gate, nor does a tool without our approvals', async () => {
    verifies('P11');
    const host = await openHost();
    const { agent, options } = sandboxOf(host, [[exec('c1', 'touch one')], [exec('c2', 'touch two')], said()]);
    const first = await runner.run(agent, 'go', options);
    first.state.approve(first.interruptions[0]!, { alwaysApprove: true });
    await runner.run(agent, first.state, options);
    const bare = gatedSandbox(host.session, { manifest: new Manifest() });
    expect(await bare.session.execCommand!({ cmd: 'touch three' })).toContain(unanswered);
    expect(['one', 'two', 'three'].filter(host.exists)).toEqual([]);
  });

  test('a long command yields, is read on with an empty write_stdin, and a lone Ctrl-C cancels', async () => {
    const host = await openHost();
    const { session } = gatedSandbox(host.session, { manifest: new Manifest() });
    const first = await session.execCommand!({ cmd: 'echo one; sleep 0.5; echo two; sleep 30', yieldTimeMs: 250 });
    expect(first).toMatch(/Process running with session ID 1\nOutput:\none\n$/);
    expect(await session.writeStdin!({ sessionId: 1, yieldTimeMs: 700 })).toMatch(/Output:\ntwo\n$/);
    expect(await session.writeStdin!({ sessionId: 1, chars: 'y\n' })).toContain('not supported yet');
    expect(await session.writeStdin!({ sessionId: 1, chars: '\u0003', yieldTimeMs: 5_000 })).toContain('[command cancelled]');
    expect(await session.writeStdin!({ sessionId: 1 })).toContain('No command 1');
  });

  test('a command on the terminal is read from there', async () => {
    const host = await openHost({ pty: 'auto' });
    const { session } = gatedSandbox(host.session, { manifest: new Manifest() });
    const first = await session.execCommand!({ cmd: 'echo one; sleep 30', tty: true, yieldTimeMs: 700 });
    expect(first).toMatch(/Output:\none\r?\n$/);
    expect(await session.writeStdin!({ sessionId: 1, chars: '\u0003', yieldTimeMs: 5_000 })).toContain('[command cancelled]');
  });

  test('maxOutputTokens cuts what the model reads', async () => {
    const host = await openHost();
    const { session } = gatedSandbox(host.session, { manifest: new Manifest() });
    const text = await session.execCommand!({ cmd: `echo ${'x'.repeat(1_000)}`, maxOutputTokens: 10 });
    expect(text).toContain('truncated');
    expect(text.length).toBeLessThan(200);
  });

  test('aborting the run cancels the command', async () => {
    const host = await openHost();
    const { agent, options } = sandboxOf(host, [[exec('c1', 'sleep 30')], said()]);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 500);
    const began = performance.now();
    await runner.run(agent, 'go', { ...options, signal: abort.signal }).catch(() => undefined);
    expect(await host.session.run('echo still here')).toMatchObject({ outcome: 'exited' });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(host.records().find(record => record.type === 'command.finished')!.data).toMatchObject({ outcome: 'cancelled' });
  });

  test('another directory is a cd that is judged with the command; another user or shell is refused', async () => {
    const host = await openHost();
    const { session } = gatedSandbox(host.session, { manifest: new Manifest() });
    host.gate.approvals.attach(callback(() => 'approved'));
    expect(await session.execCommand!({ cmd: 'pwd', workdir: '/' })).toContain('Output:\n/\n');
    expect(host.records().find(record => record.type === 'command.requested')!.data).toMatchObject({
      text: expect.stringMatching(/^cd -- \S+ && \{\npwd\n\}$/),
    });
    expect(await session.execCommand!({ cmd: 'id', runAs: 'root' })).toContain('Not run');
    expect(await session.execCommand!({ cmd: 'id', shell: 'zsh' })).toContain('Not run');
  });
});
