import { createInterface } from 'node:readline';
import type { z } from 'zod';
import { codeOf } from '../contract/error.js';
import { wrongInput } from '../contract/wrong-input.js';

/** How a line that is no request is answered (design 10). */
export interface InvalidLine {
  readonly id: string | number;
  readonly outcome: 'invalid';
  readonly code: string;
  readonly reason: string;
}

/** A line that holds one JSON object of a known shape, with an id: its own, else its number. */
export type RequestLine<T> = { readonly id: string | number; readonly request: T } | InvalidLine;

/**
 * stdin's lines as requests, until `signal` aborts; empty lines are none. Made when it is read: a reader that exists earlier
 * drops lines.
 */
export async function* requestLines<S extends z.ZodObject>(
  schema: S,
  signal?: AbortSignal,
): AsyncGenerator<RequestLine<z.infer<S>>> {
  let number = 0;
  for await (const line of stdinLines(signal)) {
    number += 1;
    const text = number === 1 ? line.replace(/^\ufeff/, '') : line;
    if (text.trim() !== '') yield parseLine(text, number, schema);
  }
}

/** An interrupted reader lets go of stdin: whoever holds its other end does not keep the process. */
export async function* stdinLines(signal?: AbortSignal): AsyncGenerator<string> {
  const reader = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY, ...(signal && { signal }) });
  for await (const line of reader) {
    yield line;
    if (signal?.aborted) break;
  }
  if (signal?.aborted) process.stdin.destroy();
}

function parseLine<S extends z.ZodObject>(line: string, number: number, schema: S): RequestLine<z.infer<S>> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return {
      id: number,
      outcome: 'invalid',
      code: 'NOT_JSON',
      reason: `line ${number} is not JSON: ${(error as Error).message}`,
    };
  }
  const given = (value as { id?: unknown } | null)?.id;
  const id = typeof given === 'string' || typeof given === 'number' ? given : number;
  const parsed = schema.safeParse(value);
  if (parsed.success) return { id, request: parsed.data };
  const { text } = wrongInput(parsed.error, value, Object.keys(schema.shape));
  return { id, outcome: 'invalid', code: 'REQUEST_INVALID', reason: `line ${number}: ${text}` };
}

/** A line that names what is not there (a directory): answered in its place, the others go on. Anything else is rethrown. */
export function invalidBy(error: unknown, id: string | number): InvalidLine {
  const code = codeOf(error);
  if (code === undefined) throw error;
  return { id, outcome: 'invalid', code, reason: (error as Error).message };
}
