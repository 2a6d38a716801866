import { createHmac, randomBytes } from 'node:crypto';

/** Lives as long as the process: a mark tells equal secrets apart from others, and nothing about the secret later. */
let processKey: Buffer | undefined;

/** `[redacted:<kind>:<6 hex>]`; equal secrets get equal hex within one process. */
export function mark(kind: string, secret: string): string {
  processKey ??= randomBytes(32);
  return `[redacted:${kind}:${createHmac('sha256', processKey).update(secret).digest('hex').slice(0, 6)}]`;
}

const BEGINNING = '[redacted:';
const MARK_HERE = /\[redacted:[\w-]{1,40}:[0-9a-f]{6}\]/y;

/** Does the kind of a mark begin at this place? It may read like a secret's name. */
export function isKindOfMark(text: string, at: number): boolean {
  MARK_HERE.lastIndex = at - BEGINNING.length;
  return at >= BEGINNING.length && MARK_HERE.test(text);
}

const WHOLE_MARK = /^\[redacted:[\w-]{1,40}:[0-9a-f]{6}\]?$/;

/** Was this value redacted before? Redacting twice changes nothing. */
export const isMark = (value: string): boolean => value.length < 64 && WHOLE_MARK.test(value);
