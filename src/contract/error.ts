/**
 * The one error class of shellgate. Callers match on `code`; the message says what happened and what to do next.
 * Refusals of a command are results (see result.ts), never errors.
 */
export class ShellgateError extends Error {
  /** Stable, SCREAMING_SNAKE_CASE. */
  readonly code: string;
  /** Where: a `file:line:column`, a path or an option name. Absent when there is no place. */
  readonly place: string | undefined;

  constructor(code: string, message: string, options: { cause?: unknown; place?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ShellgateError';
    this.code = code;
    this.place = options.place;
  }
}

/** Narrow an unknown caught value to its stable code, or undefined when it is not ours. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof ShellgateError ? error.code : undefined;
}
