import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { nearest } from '../contract/nearest.js';
import type { Decision, Rule } from '../contract/policy.js';
import { type CompiledRule, compileRule, FieldError } from './compiled-rule.js';
import { jsonPositions, type Position, type Positions, tomlPositions } from './positions.js';
import { excerptOf, type PolicyProblem } from './problem.js';
import { FIELDS, type PolicyDocument, policySchema } from './schema.js';

/** The text of a policy and what messages call it. `.json` names are JSON, all others TOML. */
export interface PolicyText {
  readonly name: string;
  readonly text: string;
  /** A profile that comes with shellgate; its examples were run when it was made. */
  readonly shipped?: boolean;
}

/** A policy read and compiled, its examples not yet run. */
export interface ParsedPolicy {
  readonly name: string;
  readonly default?: Decision;
  readonly rules: readonly CompiledRule[];
  readonly positions: Positions;
  readonly problems: readonly PolicyProblem[];
}

/** Never throws: what is wrong is among the problems, all of it. */
export function parsePolicy({ name, text }: PolicyText): ParsedPolicy {
  const isJson = name.endsWith('.json');
  const empty = { name, rules: [], positions: new Map<string, Position>() };
  let value: unknown;
  try {
    value = isJson ? JSON.parse(text) : parse(text);
  } catch (error) {
    return { ...empty, problems: [syntaxProblem({ name, text }, error)] };
  }
  const positions = isJson ? jsonPositions(text) : tomlPositions(text);
  const report = new Reporter({ name, text }, positions, value);
  const checked = policySchema.safeParse(value);
  if (!checked.success) {
    for (const issue of withoutEchoes(checked.error.issues, value)) report.issue(issue);
    const problems = [...report.problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    return { ...empty, positions, problems };
  }
  const rules = compileAll(checked.data, report);
  return { name, rules, positions, problems: report.problems, ...(checked.data.default && { default: checked.data.default }) };
}

/** What a rule lacks because a field of it was misspelled is no problem of its own. */
function withoutEchoes(issues: readonly z.core.$ZodIssue[], value: unknown): z.core.$ZodIssue[] {
  const ruleOf = ({ path }: z.core.$ZodIssue): string => path.slice(0, 2).join('.');
  const misspelled = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(ruleOf));
  const isEcho = (issue: z.core.$ZodIssue): boolean =>
    issue.path[0] === 'rule' && misspelled.has(ruleOf(issue)) && (issue.code === 'custom' || isMissing(issue, value));
  return issues.filter(issue => !isEcho(issue));
}

const isMissing = ({ path }: z.core.$ZodIssue, value: unknown): boolean =>
  path.reduce((at: unknown, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value) === undefined;

function compileAll(document: PolicyDocument, report: Reporter): CompiledRule[] {
  const seen = new Map<string, number>();
  return (document.rule ?? []).flatMap((fields, index) => {
    const first = seen.get(fields.id);
    if (first !== undefined) {
      const line = report.positions.get(`rule.${first}`)?.line;
      report.add(
        `rule.${index}.id`,
        `has the id of another rule${line === undefined ? '' : ` (line ${line})`}; an id names one rule`,
        index,
      );
    }
    seen.set(fields.id, index);
    const position = report.positions.get(`rule.${index}`);
    const rule = { ...fields, place: position ? `${report.source.name}:${position.line}` : report.source.name } as Rule;
    try {
      return [compileRule(rule)];
    } catch (error) {
      const field = error instanceof FieldError ? error.field : 'id';
      report.add(`rule.${index}.${field}`, `${field} does not compile: ${(error as Error).message}`, index);
      return [];
    }
  });
}

function syntaxProblem({ name, text }: PolicyText, error: unknown): PolicyProblem {
  const problem = { code: 'POLICY_INVALID', file: name } as const;
  if (error instanceof TomlError) {
    const message = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '');
    const position = { line: error.line, column: error.column, length: 1 };
    return {
      ...problem,
      line: error.line,
      column: error.column,
      message: `not TOML: ${message}`,
      excerpt: excerptOf(text, position),
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const offset = /position (\d+)/.exec(message)?.[1];
  if (offset === undefined) return { ...problem, message: `not JSON: ${message}` };
  const before = text.slice(0, Number(offset)).split('\n');
  const position = { line: before.length, column: before.at(-1)!.length + 1, length: 1 };
  return {
    ...problem,
    line: position.line,
    column: position.column,
    message: `not JSON: ${message}`,
    excerpt: excerptOf(text, position),
  };
}

/** Turns schema issues into problems with a place. */
class Reporter {
  readonly problems: PolicyProblem[] = [];

  constructor(
    readonly source: PolicyText,
    readonly positions: Positions,
    readonly value: unknown,
  ) {}

  /** `path` is looked up from its end: a missing field is reported where its rule begins. */
  add(path: string, message: string, rule?: number): void {
    let position: Position | undefined;
    for (let at = path; at !== '' && !position; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      position = this.positions.get(at) ?? this.positions.get(`${at}.0`);
    }
    this.problems.push({
      code: 'POLICY_INVALID',
      file: this.source.name,
      ...(position && { line: position.line, column: position.column, excerpt: excerptOf(this.source.text, position) }),
      message: rule === undefined ? message : `rule ${this.#ruleName(rule)} ${message}`,
    });
  }

  issue(issue: z.core.$ZodIssue): void {
    const path = issue.path.map(String);
    const rule = path[0] === 'rule' && path.length > 1 ? Number(path[1]) : undefined;
    if (issue.code === 'unrecognized_keys') {
      const known = FIELDS[rule === undefined ? 'file' : path[2] === 'effects' ? 'effects' : 'rule'];
      for (const key of issue.keys) this.add([...path, key].join('.'), unknownField(key, known, path[2] === 'effects'), rule);
      return;
    }
    const field = (rule === undefined ? path : path.slice(2)).join('.');
    const choice = issue.code === 'invalid_value' && isMissing(issue, this.value) ? 'is missing; it ' : '';
    const what = issue.code === 'custom' ? issue.message : choice + describe(issue);
    this.add(path.join('.'), field === '' ? what : `${issue.code === 'custom' ? '' : `field "${field}" `}${what}`, rule);
  }

  #ruleName(index: number): string {
    const rules = (this.value as { rule?: unknown[] }).rule;
    const id = (rules?.[index] as { id?: unknown } | undefined)?.id;
    return typeof id === 'string' ? `"${id}"` : String(index + 1);
  }
}

function unknownField(key: string, known: readonly string[], isEffect: boolean): string {
  const near = nearest(key, known);
  const what = isEffect ? `knows no effect "${key}"` : `has no field "${key}"`;
  return near === undefined ? `${what}; there are ${known.join(', ')}` : `${what}; did you mean "${near}"?`;
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `is one of ${issue.values.map(value => `"${String(value)}"`).join(', ')}`;
  if (issue.code === 'invalid_type')
    return issue.message.endsWith('received undefined') ? 'is missing' : `must be ${issue.expected}`;
  if (issue.code === 'too_small') return 'must not be empty';
  if (issue.code === 'invalid_format') return issue.message;
  return issue.message;
}
