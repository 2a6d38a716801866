import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Gate } from '../../src/contract/gate.js';
import { createTools } from '../../src/tools/create-tools.js';
import type { ToolRecord } from '../../src/tools/records/vocabulary.js';
import type { ToolOutput } from '../../src/tools/tool.js';
import { verifies } from '../helpers/verifies.js';
import { problemsOf } from './standard.js';

/** A gate that nothing may reach. */
function closedGate(): { gate: Gate; reached: () => boolean } {
  let reached = false;
  const gate = {
    openSession: () => {
      reached = true;
      return Promise.reject(new Error('reached'));
    },
  } as unknown as Gate;
  return { gate, reached: () => reached };
}

/** Class and field of a wire's error, whatever its shape; undefined where it is none. */
function faultOf(output: ToolOutput): { errorClass: string; field: string | undefined } | undefined {
  if (typeof output === 'string') {
    const parts = /^([a-z_]+): (?:([^:\s]+): )?/.exec(output);
    return parts ? { errorClass: parts[1]!, field: parts[2] } : undefined;
  }
  const { error, error_class, field } = output as Record<string, unknown>;
  if (typeof error_class === 'string') return { errorClass: error_class, field: field as string | undefined };
  const { error_class: nested, field: at } = (error ?? {}) as Record<string, unknown>;
  return typeof nested === 'string' ? { errorClass: nested, field: at as string | undefined } : undefined;
}

const NAMES = createTools(closedGate().gate)
  .list()
  .map(({ name }) => name);

/** Arguments that each have at least one thing wrong. */
const WRONG: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  unknownField: fc.record({ command: fc.string({ minLength: 1 }), unexpected_field: fc.jsonValue() }),
  internalField: fc.record({ command: fc.constant('ls'), sandbox_override_ref: fc.string() }),
  wrongType: fc.record({
    command: fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()), fc.object()),
    process_id: fc.integer(),
    script: fc.integer(),
    name: fc.integer(),
  }),
  noObject: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.anything()), fc.constant(Number.NaN)),
  noData: fc.constantFrom(
    () => 1,
    Symbol('x'),
    1n,
    {
      get command() {
        throw new Error('no');
      },
    },
    {
      toJSON: () => {
        throw new Error('no');
      },
    },
  ),
  anything: fc.anything(),
};

describe.each(NAMES)('%s', name => {
  test.each(Object.keys(WRONG))('never runs and never throws on %s', async kind => {
    verifies('S1-08', 'S2-06', 'S2-07');
    await fc.assert(
      fc.asyncProperty(WRONG[kind]!, async args => {
        const { gate, reached } = closedGate();
        const records: ToolRecord[] = [];
        const tools = createTools(gate, { onRecord: record => records.push(record) });
        const { output, isError } = await tools.call(name, args);
        expect(reached()).toBe(false);
        // Nothing is what this one takes.
        if (name === 'list_processes' && !isError) return;
        expect(isError).toBe(true);
        expect(faultOf(output)?.errorClass).toMatch(/^(schema_validation_failed|invalid_arguments)$/);
        expect(faultOf(output)?.field).toEqual(expect.any(String));
        expect(problemsOf(records)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

test.each([
  ['run_command', { command: 'ls', max_output: -1 }, 'max_output'],
  ['run_command', { command: 'ls', timeout: 0 }, 'timeout'],
  ['run_command', { command: 'ls', timeout: '60' }, 'timeout'],
  ['run_command', { command: 'ls', working_dir: '' }, 'working_dir'],
  ['run_command', {}, 'command'],
  ['run_script', { script: 'ls', interpreter: ' ' }, 'interpreter'],
  ['run_script', { script: 'ls', max_output: 1.5 }, 'max_output'],
  ['which', { command: 'a\nb' }, 'command'],
  ['get_env', { name: 'A=B' }, 'name'],
  ['get_env', { name: 'A', default: 1 }, 'default'],
  ['run_shell', { command: 'ls', timeout: 5 }, 'timeout'],
  ['get_process_output', { process_id: 'x', stdout_from: -1 }, 'stdout_from'],
  ['kill_process', { process_id: '' }, 'process_id'],
] as const)('%s %j: the field is named', async (name, args, field) => {
  verifies('S1-12');
  const { gate, reached } = closedGate();
  const { output, isError } = await createTools(gate).call(name, args);
  expect([isError, reached(), faultOf(output)]).toEqual([true, false, { errorClass: 'schema_validation_failed', field }]);
});

test("a field of an object's prototype is an unknown field like any other", async () => {
  const { gate } = closedGate();
  for (const field of ['__proto__', 'constructor', 'toString']) {
    const args = JSON.parse(`{"command": "ls", "${field}": {"polluted": 1}}`);
    const { isError, output } = await createTools(gate).call('shell_exec', args);
    expect(isError).toBe(true);
    if (field !== '__proto__') expect(faultOf(output)?.field).toBe(field);
  }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('a gate that fails is an error on the wire, not an exception', async () => {
  verifies('S1-08');
  const { gate } = closedGate();
  const tools = createTools(gate);
  for (const [name, args] of [
    ['run_command', { command: 'ls' }],
    ['run_script', { script: 'ls' }],
    ['which', { command: 'ls' }],
    ['get_env', { name: 'HOME' }],
    ['shell_exec', { command: 'ls' }],
    ['run_shell', { command: 'ls' }],
  ] as const) {
    const { output, isError } = await tools.call(name, args);
    expect([isError, faultOf(output)?.errorClass], name).toEqual([true, 'execution_failed']);
  }
});
