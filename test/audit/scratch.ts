import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type AuditOptions, type OpenedLog, openAuditLog } from '../../src/audit/log.js';
import { seal, type Unsealed } from '../../src/audit/record.js';
import type { AuditRecord } from '../../src/contract/audit.js';
import type { Redactor } from '../../src/contract/redactor.js';
import type { CommandRequest } from '../../src/contract/request.js';
import type { Refusal } from '../../src/contract/result.js';
import { temporaryDirectory } from '../helpers/cli.js';

/** Takes nothing out: what these tests look for must not be hidden from them. */
export const openRedactor: Redactor = {
  redact: text => text,
  redactValue: value => value,
  stream: () => ({ write: chunk => chunk, end: () => '' }),
};

/** A directory for a log, gone after the test. */
export function logDirectory(): string {
  return join(temporaryDirectory(), 'audit');
}

/** A log that is closed after the test. */
export async function openLog(directory: string, options: Partial<AuditOptions> = {}): Promise<OpenedLog> {
  const log = await openAuditLog({ redactor: openRedactor, ...options, directory });
  onTestFinished(() => log.close());
  return log;
}

export function request(id: string, text = `echo ${id}`, more: Partial<CommandRequest> = {}): CommandRequest {
  const principal = { kind: 'model', id: 'uid 1000', label: 'model', client: 'claude-code' } as const;
  return { kind: 'command', id, sessionId: 'main', principal, text, tty: false, ...more };
}

export const REFUSAL: Refusal = { outcome: 'refused', by: 'policy', code: 'POLICY_DENIED', reason: 'never here' };

/** What the gate records of one command that ran. */
export async function recordCommand(log: OpenedLog, asked: CommandRequest, exitCode = 0): Promise<Refusal | undefined> {
  const command = log.command(asked);
  command.record('command.requested', asked);
  command.record('command.evaluated', {
    decision: 'allow',
    risk: 'low',
    matches: [],
    parts: ['allow'],
    suggestions: [],
    digest: 'd',
  });
  command.record('command.started', { text: asked.text, digest: 'd', decision: 'allow' });
  const unrecorded = await command.durable();
  const captured = { text: 'hello', bytes: 5, omittedBytes: 0 };
  const ran = { stdout: captured, stderr: { text: '', bytes: 0, omittedBytes: 0 }, durationMs: 12, shell: 'kept' };
  if (!unrecorded) command.record('command.finished', { outcome: 'exited', exitCode, ...ran });
  return unrecorded;
}

/** The chain files of a directory, oldest name first. */
export function chainFiles(directory: string): string[] {
  const names = readdirSync(directory).filter(name => name.endsWith('.jsonl'));
  return names.sort().map(name => join(directory, name));
}

export function namesIn(directory: string, ending: string): string[] {
  return readdirSync(directory).filter(name => name.endsWith(ending));
}

/** The records of one file, damaged or not. */
export function recordsOf(file: string): AuditRecord[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map(line => JSON.parse(line));
}

/** A line of a chain for which everything is right but its author. */
export function sealed(record: AuditRecord, change: Partial<Unsealed>): string {
  const { hash: _, ...unsealed } = record;
  return seal({ ...unsealed, ...change }).line;
}
