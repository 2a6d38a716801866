import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { callbackApprover, type Reply } from '../../src/approval/callback.js';
import type { Question } from '../../src/contract/question.js';
import { createGate, type GateOptions, type LocalGate } from '../../src/create-gate.js';
import { createTools } from '../../src/create-tools.js';
import type { Tools, ToolsOptions } from '../../src/tools/create-tools.js';
import type { ToolRecord } from '../../src/tools/records/vocabulary.js';
import type { CallContext, ToolResult } from '../../src/tools/tool.js';
import { temporaryDirectory } from '../helpers/cli.js';

/** A user's place of their own: home, log, and a gate with tools whose every record is kept. */
export interface Bench {
  readonly home: string;
  readonly gate: LocalGate;
  readonly tools: Tools;
  readonly questions: Question[];
  /** Every record that was made, in order. */
  readonly records: ToolRecord[];
  call(name: string, args: unknown, context?: CallContext): Promise<ToolResult>;
  /** The answer on the wire alone. */
  output(name: string, args: unknown, context?: CallContext): Promise<Record<string, unknown>>;
  /** Types of the log's records. */
  logged(): string[];
}

export interface BenchOptions {
  readonly gate?: GateOptions;
  readonly tools?: ToolsOptions;
  readonly answer?: (question: Question) => Reply | Promise<Reply>;
  readonly policy?: string;
}

/** An approver that allows everything, unless `answer` says otherwise. */
export async function bench(options: BenchOptions = {}): Promise<Bench> {
  const home = temporaryDirectory();
  process.env['XDG_STATE_HOME'] = join(home, 'state');
  const audit = join(home, 'audit');
  const questions: Question[] = [];
  const records: ToolRecord[] = [];
  const approver = callbackApprover(question => {
    questions.push(question);
    return options.answer?.(question) ?? 'approved';
  });
  const file = join(home, 'policy.toml');
  if (options.policy !== undefined) writeFileSync(file, options.policy, { mode: 0o600 });
  const policy = options.policy === undefined ? 'ask-all' : file;
  const gate = await createGate({ policy, audit, cwd: home, approver, ...options.gate });
  const tools = createTools(gate, { onRecord: record => records.push(record), ...options.tools });
  onTestFinished(async () => {
    await tools.close();
    await gate.close();
  });
  return {
    home,
    gate,
    tools,
    questions,
    records,
    call: (name, args, context) => tools.call(name, args, context),
    output: async (name, args, context) => {
      const { output } = await tools.call(name, args, context);
      return typeof output === 'string' ? { text: output } : output;
    },
    logged: () =>
      existsSync(audit)
        ? readdirSync(audit)
            .filter(name => name.endsWith('.jsonl'))
            .flatMap(name => readFileSync(join(audit, name), 'utf8').trimEnd().split('\n'))
            .map(line => (JSON.parse(line) as { type: string }).type)
        : [],
  };
}
