import type { Analyzer } from '../contract/analysis.js';
import { ShellgateError } from '../contract/error.js';
import type { Decision } from '../contract/policy.js';
import { type CompiledRule, withActs } from './compiled-rule.js';
import { hashOf } from './digest.js';
import { type ExampleVerdict, runExamples } from './examples.js';
import { type ParsedPolicy, type PolicyText, parsePolicy } from './parse-policy.js';
import { readPolicySources } from './policy-file.js';
import { type PolicyProblem, policyError } from './problem.js';

/** Rules of one or more files, compiled, their examples run. */
export interface LoadedPolicy {
  /** File names, for people. */
  readonly names: readonly string[];
  readonly rules: readonly CompiledRule[];
  /** The strictest of the files that set one. */
  readonly default?: Decision;
  readonly examples: number;
  /** Hex SHA-256 over rules and defaults. */
  readonly hash: string;
}

export interface PolicySources {
  /** Paths, or names of shipped profiles (`ask-all`, `read-only`, `workspace`). */
  readonly files?: readonly string[];
  readonly texts?: readonly PolicyText[];
  /** Runs the rules' own examples. Loading trusts nothing that was not tried. */
  readonly analyzer: Analyzer;
}

/** What `policy check` and `policy test` show. `policy` is there when there is no problem. */
export interface PolicyReport {
  readonly policy?: LoadedPolicy;
  readonly problems: readonly PolicyProblem[];
  readonly examples: readonly (ExampleVerdict & { readonly file: string })[];
}

/**
 * Reads policies, all or nothing; a shipped profile's examples are left to `validatePolicy` and the tests. Errors: `POLICY_INVALID`, `POLICY_EXAMPLE`, `POLICY_UNREADABLE`, with every problem of
 * every file in the message and as the error's `cause`.
 */
export async function loadPolicy(sources: PolicySources): Promise<LoadedPolicy> {
  const { policy, problems } = await read(sources, text => text.shipped !== true);
  if (!policy) throw policyError(problems);
  return policy;
}

/** The same without throwing, and with the examples of shipped profiles run as well. */
export function validatePolicy(sources: PolicySources): Promise<PolicyReport> {
  return read(sources, () => true);
}

async function read(
  { files = [], texts = [], analyzer }: PolicySources,
  runsExamples: (text: PolicyText) => boolean,
): Promise<PolicyReport> {
  const problems: PolicyProblem[] = [];
  const examples: (ExampleVerdict & { file: string })[] = [];
  const fromFiles = files.flatMap(file => {
    try {
      return readPolicySources(file);
    } catch (error) {
      problems.push(fileProblem(file, error));
      return [];
    }
  });
  const parsed: ParsedPolicy[] = [];
  for (const text of [...fromFiles, ...texts]) {
    const policy = parsePolicy(text);
    problems.push(...policy.problems);
    const rules = await Promise.all(policy.rules.map(rule => withActs(rule, analyzer)));
    parsed.push({ ...policy, rules });
    if (!runsExamples(text)) continue;
    for (const rule of rules) {
      const verdicts = await runExamples(rule, rules, analyzer);
      examples.push(...verdicts.map(verdict => ({ ...verdict, file: policy.name })));
      problems.push(...verdicts.filter(verdict => !verdict.agrees).map(verdict => exampleProblem(policy, rule, verdict)));
    }
  }
  return problems.length > 0 ? { problems, examples } : { policy: joined(parsed, examples.length), problems, examples };
}

function joined(parsed: readonly ParsedPolicy[], examples: number): LoadedPolicy {
  const defaults = parsed.flatMap(policy => (policy.default ? [policy.default] : []));
  const strictest = (['deny', 'ask', 'allow'] as const).find(decision => defaults.includes(decision));
  const rules = parsed.flatMap(policy => policy.rules);
  return {
    names: parsed.map(policy => policy.name),
    rules,
    ...(strictest && { default: strictest }),
    examples,
    hash: hashOf({ rules: rules.map(({ rule, acts }) => ({ ...rule, acts })), default: strictest ?? null }),
  };
}

function fileProblem(file: string, error: unknown): PolicyProblem {
  if (!(error instanceof ShellgateError)) throw error;
  return { code: error.code === 'POLICY_INVALID' ? 'POLICY_INVALID' : 'POLICY_UNREADABLE', file, message: error.message };
}

function exampleProblem({ name, positions }: ParsedPolicy, { rule }: CompiledRule, verdict: ExampleVerdict): PolicyProblem {
  const index = [...positions.keys()].find(
    key => /^rule\.\d+$/.test(key) && `${name}:${positions.get(key)?.line}` === rule.place,
  );
  const position = index === undefined ? undefined : positions.get(`${index}.${verdict.list}.${verdict.index}`);
  const does =
    verdict.list === 'match' ? `does not ${rule.decision} it` : `${rule.decision === 'allow' ? 'allows' : 'matches'} it`;
  const other = verdict.list === 'match' ? 'not_match' : 'match';
  const shown = verdict.decision === 'ask' && rule.decision !== 'ask' ? `${verdict.reason} (ask)` : verdict.reason;
  const cure = verdict.list === 'match' && rule.decision === 'allow' ? ', or grant the effect' : ', or narrow the rule';
  return {
    code: 'POLICY_EXAMPLE',
    file: name,
    ...(position && { line: position.line }),
    message: `rule "${rule.id}" lists  ${verdict.text}  under ${verdict.list}, but ${does}${shown === '' ? '.' : ':'}\n           ${shown === '' ? '' : `${shown}. `}Move it to ${other}${cure}.`,
  };
}
