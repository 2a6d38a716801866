import { createHash } from 'node:crypto';
import type { Approved, Declined, Edited } from '../contract/answer.js';
import type { AuditType } from '../contract/audit.js';
import type { SessionFacts } from '../contract/facts.js';
import type { Evaluation } from '../contract/policy.js';
import type { Question } from '../contract/question.js';
import type { Redactor } from '../contract/redactor.js';
import type { Request } from '../contract/request.js';
import type { Captured, CommandResult } from '../contract/result.js';
import type { Authority } from '../contract/shell.js';

/** The longest text that is kept whole, in UTF-16 units; of a longer one the beginning, its size and its hash. */
const LONGEST = 64 * 1024;

/**
 * What of an event's data is kept: decisions whole, large things by size and hash, output never. Everything is redacted
 * before it is cut or hashed, so that no cut can hide half a secret (P10).
 */
export function recorded(type: AuditType, data: unknown, redactor: Redactor): unknown {
  return shortened(redactor.redactValue(selected(type, data, redactor)));
}

function selected(type: AuditType, data: unknown, redactor: Redactor): unknown {
  switch (type) {
    case 'command.requested':
      return ofRequest(data as Request);
    case 'input.requested':
      return ofInput(data as Request);
    case 'facts.queried':
      return ofFacts(data as SessionFacts, redactor);
    case 'command.evaluated':
      return { ...(data as Evaluation), suggestions: undefined };
    case 'approval.requested':
      return ofQuestion(data as Question);
    case 'approval.answered':
      return ofAnswer(data as Approved | Edited | Declined);
    case 'command.started':
    case 'input.started':
      return ofAuthority(data as Authority);
    case 'command.finished':
    case 'output.late':
      return ofResult(data as CommandResult);
    default:
      return data;
  }
}

function ofRequest(request: Request): unknown {
  const { stdin, env, ...rest } = request;
  return {
    ...rest,
    // As assignments, because that is the form in which a redactor recognises a secret by its name.
    ...(env && { env: Object.entries(env).map(([name, value]) => `${name}=${value}`) }),
    ...(stdin !== undefined && { stdin: digest(stdin) }),
  };
}

/** Before its turn nobody knows whether the terminal shows what is typed. It stands in the records of its question and start. */
function ofInput({ text, ...rest }: Request): unknown {
  return { ...rest, bytes: Buffer.byteLength(text) };
}

function ofFacts(facts: SessionFacts, redactor: Redactor): unknown {
  if (!facts.known) return facts;
  const hashes = mapped(facts.hashes, ([, { text: _, ...fact }]) => fact);
  const variables = mapped(facts.variables, ([name, value]) => {
    // A value whose name alone makes the redactor act goes as a whole.
    const probe = `${name}=x1`;
    return value === null || redactor.redact(probe) === probe ? value : '[redacted:variable]';
  });
  return { ...facts, hashes, variables };
}

/** The request, its facts and its evaluation stand in the records before; the digest ties them to the answer. */
function ofQuestion(question: Question): unknown {
  const { request, analysis: _a, facts: _f, evaluation, display, ...rest } = question;
  return {
    ...rest,
    text: request.text,
    digest: evaluation.digest,
    suggestions: evaluation.suggestions,
    ...(display.text !== request.text && { display: display.text }),
    warnings: display.warnings,
  };
}

/** A no is recorded like a yes: who, through which channel, to which question. Its sentence stands in the refusal. */
function ofAnswer(data: Approved | Edited | Declined): unknown {
  if (data.outcome !== 'refused' || !data.answer) return data;
  const { answer, ...refusal } = data;
  const { outcome: _o, feedback: _f, ...said } = answer;
  return { ...said, ...refusal };
}

function ofAuthority(authority: Authority): unknown {
  if (!authority.approval) return authority;
  const { questionId, approver, channel, level } = authority.approval;
  return { ...authority, approval: { questionId, approver, channel, level } };
}

function ofResult(result: CommandResult): unknown {
  if (typeof result !== 'object' || result === null || !('stdout' in result)) return result;
  return { ...result, stdout: ofCaptured(result.stdout), stderr: ofCaptured(result.stderr) };
}

function ofCaptured({ text, ...rest }: Captured): unknown {
  if (rest.full || rest.bytes === 0) return rest;
  // The text is the output's bytes only if nothing was left out and nothing was replaced in decoding.
  const exact = rest.omittedBytes === 0 && !text.includes('\uFFFD') && Buffer.byteLength(text) === rest.bytes;
  return exact ? { ...rest, sha256: sha256(text) } : rest;
}

function digest(text: string): { bytes: number; sha256: string } {
  return { bytes: Buffer.byteLength(text), sha256: sha256(text) };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function mapped<T>(record: Readonly<Record<string, T>>, change: (entry: [string, T]) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(entry => [entry[0], change(entry)]));
}

/** The same value with long texts cut; itself where nothing is long. */
function shortened(value: unknown): unknown {
  return hasLong(value) ? cut(value) : value;
}

function hasLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > LONGEST;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLong);
}

function cut(value: unknown): unknown {
  if (typeof value === 'string' && value.length > LONGEST) return { beginning: value.slice(0, LONGEST / 4), ...digest(value) };
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(cut) : mapped(value as Record<string, unknown>, ([, part]) => cut(part));
}
