import { ShellgateError } from '../contract/error.js';
import type { Position } from './positions.js';

/** Something wrong with a policy file. All problems of a file are collected. */
export interface PolicyProblem {
  readonly code: 'POLICY_INVALID' | 'POLICY_EXAMPLE' | 'POLICY_UNREADABLE';
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** What is wrong and what was expected; further lines are for what to do. */
  readonly message: string;
  /** The source line with carets below. */
  readonly excerpt?: string;
}

export const placeOf = ({ file, line, column }: PolicyProblem): string =>
  [file, line, column].filter(part => part !== undefined).join(':');

/** `   9 | commands = 'x'` and the carets below the place. */
export function excerptOf(source: string, { line, column, length }: Position): string {
  const text = (source.split('\n')[line - 1] ?? '').replace(/\r$/, '').replaceAll('\t', ' ');
  const number = String(line).padStart(4);
  return `${number} | ${text}\n${' '.repeat(number.length)} | ${' '.repeat(column - 1)}${'^'.repeat(length)}`;
}

/** One problem as the command line prints it behind `shellgate: CODE place  `. */
export const bodyOf = (problem: PolicyProblem): string =>
  problem.excerpt === undefined ? problem.message : `${problem.message}\n${problem.excerpt}`;

/**
 * One error for all problems: code and place of the first, the others in the message in the command line's own form,
 * closed by what did not happen. The problems themselves are its `cause`.
 */
export function policyError(problems: readonly PolicyProblem[]): ShellgateError {
  const [first, ...others] = problems;
  if (!first) throw new Error('no problems');
  const files = [...new Set(problems.map(problem => problem.file))];
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const closing = `${count}; ${files.join(', ')} ${files.length === 1 ? 'was' : 'were'} not loaded, nothing ran.`;
  const rest = others.map(problem => `shellgate: ${problem.code} ${placeOf(problem)}  ${bodyOf(problem)}`);
  return new ShellgateError(first.code, [bodyOf(first), ...rest, closing].join('\n'), { cause: problems, place: placeOf(first) });
}

/** The problems of an error made here; undefined for any other. */
export function problemsOf(error: unknown): readonly PolicyProblem[] | undefined {
  return error instanceof ShellgateError && error.code.startsWith('POLICY_') && Array.isArray(error.cause)
    ? (error.cause as PolicyProblem[])
    : undefined;
}
