import type { z } from 'zod';
import { nearest } from './nearest.js';

/** What is wrong with data that a schema refused, in words for who wrote it. */
export interface WrongInput {
  /** `origin.toolCallId`; '' for the whole. */
  readonly field: string;
  /** `must be a string, not a number` */
  readonly what: string;
  /** Both: `timeoutMs must be above 0`, `has no field "cmd"; did you mean "command"?` */
  readonly text: string;
}

/** The first of its problems; a misspelled field before a missing one, for it is mostly the cause. `known`: the fields there are. */
export function wrongInput({ issues }: z.ZodError, value: unknown, known: readonly string[]): WrongInput {
  const issue = issues.find(each => each.code === 'unrecognized_keys') ?? issues[0]!;
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0]!;
    const hint = hintFor(key, path.length === 0 ? known : []);
    return { field: [...path, key].join('.'), what: `is not known${hint}`, text: `has no field "${key}"${hint}` };
  }
  const field = path.join('.');
  const what = describe(issue, valueAt(value, path));
  return { field, what, text: field === '' ? what : `${field} ${what}` };
}

function hintFor(key: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const near = nearest(key, known);
  return near === undefined ? `; there are ${known.join(', ')}` : `; did you mean "${near}"?`;
}

function describe(issue: z.core.$ZodIssue, given: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return mustBe([issue.expected], given);
    case 'invalid_union':
      return mustBe(
        issue.errors.flatMap(each => each.flatMap(one => (one.code === 'invalid_type' ? [one.expected] : []))),
        given,
      );
    case 'invalid_value':
      return `must be one of ${issue.values.map(value => `"${String(value)}"`).join(', ')}`;
    case 'too_small':
      if (!issue.message.startsWith('Too small')) return issue.message;
      if (issue.origin === 'string') return 'must not be empty';
      return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}`;
    case 'too_big':
      if (!issue.message.startsWith('Too big')) return issue.message;
      return issue.origin === 'string' ? `is longer than ${issue.maximum} characters` : `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  record: 'an object',
  null: 'null',
};

function mustBe(expected: readonly string[], given: unknown): string {
  if (given === undefined) return 'is missing';
  const kinds = [...new Set(expected)].map(each => KINDS[each] ?? each);
  const is = given === null ? 'null' : Array.isArray(given) ? 'array' : typeof given;
  const not = expected.includes('int') && is === 'number' ? String(given) : (KINDS[is === 'boolean' ? '' : is] ?? String(given));
  return `must be ${kinds.join(' or ')}, not ${not}`;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value;
  for (const part of path) at = (at as Record<string, unknown> | null | undefined)?.[part];
  return at;
}
