/** Takes known secrets out of text. Equal secrets get equal marks within one process: `[redacted:<kind>:<6 hex>]`. */
export interface Redactor {
  redact(text: string): string;
  /** Every string inside a JSON-like value, keys kept. */
  redactValue<T>(value: T): T;
  /** For output that comes in pieces: a secret across a chunk's edge is found as well. */
  stream(): { write(chunk: string): string; end(): string };
}
