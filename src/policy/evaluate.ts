import type { Analysis } from '../contract/analysis.js';
import type { Level } from '../contract/answer.js';
import type { Decision, Evaluation, Match, Risk } from '../contract/policy.js';
import type { Request } from '../contract/request.js';
import type { SessionState } from '../contract/session-state.js';
import { BINARY_DIRECTORIES } from './binaries.js';
import type { CompiledRule } from './compiled-rule.js';
import type { Context, Judged } from './context.js';
import { coverage, type Gap } from './coverage.js';
import { evaluationDigest, textHash } from './digest.js';
import { factChecks } from './fact-checks.js';
import { type CompiledFloorRule, floorMatches } from './floor.js';
import { withMatches } from './matched-files.js';
import { type ReliedFile, reliedFiles } from './relied-files.js';
import { withRepositories } from './repositories.js';
import { riskOf } from './risk.js';
import { indexOf } from './rule-index.js';
import { forbidsLine, forbidsProgram, matchLine } from './rule-match.js';
import { subjectsOf } from './subject.js';
import { taintOf } from './taints.js';

/** What an evaluation is made from. */
export interface PolicyParts {
  readonly rules: readonly CompiledRule[];
  /** Where no rule says anything. */
  readonly default: Decision;
  readonly floor: readonly CompiledFloorRule[];
  /** Risk of each tag (`src/analysis/tags.ts`); an unlisted one is medium. */
  readonly risks: Readonly<Record<string, Risk>>;
  /** Of everything above; bound by the digest. */
  readonly hash: string;
  /** Further tightening, of the seed-compatible policy. What it throws is a deny. */
  readonly tighten?: (request: Request, state: SessionState) => Match | undefined;
  /** Directories whose programs a rule means by name. Default: the system's. */
  readonly binaries?: readonly string[];
}

/** A match that says something is not allowed yet, and what a grant would have to cover to answer it. */
export interface OpenMatch {
  readonly match: Match;
  readonly level?: Level;
  /** Absent: nothing but a person, now, can answer it. */
  readonly answerable?: { readonly gap?: Gap; readonly file?: { readonly path: string; readonly sha256: string } };
}

/** An evaluation before grants. */
export interface Judgement {
  readonly context: Context;
  readonly open: readonly OpenMatch[];
  /** Allow rules that matched: shown, never decisive by themselves. */
  readonly allowed: readonly Match[];
}

const RANK: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };
export const strictest = (decisions: Iterable<Decision>): Decision => {
  let worst: Decision = 'allow';
  for (const decision of decisions) if (RANK[decision] > RANK[worst]) worst = decision;
  return worst;
};

export function contextOf(
  { request, state, analysis: asWritten, facts }: Judged,
  binaries: readonly string[] = BINARY_DIRECTORIES,
): Context {
  const analysis = withRepositories(withMatches(asWritten, facts), facts);
  const place = { workspace: state.workspace, home: state.home, facts };
  return { request, state, analysis, facts, place, binaries, subjects: subjectsOf(analysis, facts, binaries) };
}

/**
 * Everything that speaks about a line, strictest wins: the floor and denies, then what cannot be known, what the session
 * says about itself and lineage, then ask rules, then what no rule allows.
 */
export function judge(parts: PolicyParts, context: Context): Judgement {
  const { floor, tighten } = parts;
  const rules = indexOf(parts.rules);
  const seed = tighten?.(context.request, context.state);
  const relied = reliedFiles(context);
  const closed: Match[] = [
    ...floorMatches(floor, context),
    ...(seed ? [seed] : []),
    ...opaqueMatches(context.analysis),
    ...lineageMatches(context.state),
    ...factChecks(context),
    ...relied.unreadable,
  ];
  // Rules allow what programs do; what keys do is not known, and denies of the text are all that speaks about them.
  const allow = context.request.kind === 'input' ? { matches: [], missing: [], line: [] } : coverage(context, rules);
  const open: OpenMatch[] = closed.map(match => ({ match }));
  for (const compiled of rules.forbidding) forbidding(compiled, context, open);
  for (const [part, gaps] of allow.missing.entries()) {
    for (const gap of gaps) open.push(defaultMatch(parts.default, gap, part));
  }
  for (const gap of allow.line) open.push(defaultMatch(parts.default, gap));
  for (const file of relied.files) if (file.problem !== undefined) open.push(fileMatch(file));
  return { context, open, allowed: allow.matches };
}

function forbidding(compiled: CompiledRule, context: Context, found: OpenMatch[]): void {
  const line = matchLine(compiled, context);
  const about = { context, line };
  for (const [part, subject] of context.subjects.entries()) {
    const sure = forbidsProgram(compiled, subject, about);
    if (sure !== 'no') addForbidden(compiled, sure, { found, part });
  }
  const sure = forbidsLine(compiled, line);
  if (sure !== 'no') addForbidden(compiled, sure, { found });
}

function addForbidden({ rule }: CompiledRule, sure: 'yes' | 'maybe', to: { found: OpenMatch[]; part?: number }): void {
  // An ask that could be meant is no reason to ask: what matters there is opaque already.
  if (sure === 'maybe' && rule.decision === 'ask') return;
  const certain = sure === 'yes';
  const reason = rule.reason ?? `rule ${rule.id}`;
  const match: Match = {
    source: certain ? 'rule' : 'opaque',
    decision: certain ? rule.decision : 'ask',
    reason: certain ? reason : `could be what is forbidden: ${reason}`,
    rule: rule.id,
    ...(rule.place !== undefined && { place: rule.place }),
    ...(rule.tell !== undefined && { tell: rule.tell }),
    ...(to.part !== undefined && { part: to.part }),
  };
  const isAnswerable = certain && rule.decision === 'ask' && rule.remember !== false && rule.level === undefined;
  to.found.push({ match, ...(rule.level && { level: rule.level }), ...(isAnswerable && { answerable: {} }) });
}

function opaqueMatches(analysis: Analysis): Match[] {
  const ask = (reason: string, part?: number): Match => ({
    source: 'opaque',
    decision: 'ask',
    reason,
    ...(part !== undefined && { part }),
  });
  return [
    ...analysis.opaque.map(reason => ask(reason.text)),
    ...analysis.programs.flatMap((program, part) => program.opaque.map(reason => ask(reason.text, part))),
  ];
}

function lineageMatches(state: SessionState): Match[] {
  if (state.lineage === 'clean') return [];
  const why = state.taint ?? 'something may have changed what names mean';
  return [
    {
      source: 'lineage',
      decision: 'ask',
      reason: `nothing is allowed unasked in this session (${why}); a fresh shell cures it: \`exit\``,
    },
  ];
}

function defaultMatch(decision: Decision, gap: Gap, part?: number): OpenMatch {
  const match: Match = { source: 'default', decision, reason: gap.reason, ...(part !== undefined && { part }) };
  return decision === 'ask' ? { match, answerable: { gap } } : { match };
}

function fileMatch({ path, sha256, problem }: ReliedFile): OpenMatch {
  const reason = `${path} ${problem} (content ${sha256.slice(0, 4)})`;
  return { match: { source: 'default', decision: 'ask', reason }, answerable: { file: { path, sha256 } } };
}

/** `answers`: the grant match that answers an open one, if any; it is shown in its place. */
export function conclude(
  parts: PolicyParts,
  { context, open, allowed }: Judgement,
  answers: (open: OpenMatch) => Match | undefined = () => undefined,
): Omit<Evaluation, 'digest' | 'suggestions'> {
  const still: OpenMatch[] = [];
  const given: Match[] = [];
  for (const one of open) {
    const answer = one.answerable ? answers(one) : undefined;
    if (answer) given.push(answer);
    else still.push(one);
  }
  const partDecisions = context.analysis.programs.map((): Decision => 'allow');
  for (const { match } of still) {
    if (match.part !== undefined) partDecisions[match.part] = strictest([partDecisions[match.part]!, match.decision]);
  }
  const decision = strictest(still.map(({ match }) => match.decision));
  const risk = riskOf(context, decision, parts.risks);
  const level = highestLevel(still);
  const taints = taintOf(context);
  return {
    decision,
    risk: risk.risk,
    ...(risk.reason !== undefined && { riskReason: risk.reason }),
    matches: [...still.map(({ match }) => match), ...unique(given), ...allowed],
    parts: partDecisions,
    ...(level && { level }),
    ...(taints !== undefined && { taints }),
  };
}

const unique = (matches: readonly Match[]): Match[] => [
  ...new Map(matches.map(match => [`${match.rule}\0${match.part}\0${match.reason}`, match])).values(),
];

const LEVELS: readonly Level[] = ['unverified', 'same-user', 'keyed', 'separate-user'];

function highestLevel(open: readonly OpenMatch[]): Level | undefined {
  const wanted = open.map(({ level }) => (level === undefined ? -1 : LEVELS.indexOf(level)));
  return LEVELS[Math.max(-1, ...wanted)];
}

/** A policy of rules alone, without memory; `createPolicy` adds grants and suggestions. */
export function evaluateRules(parts: PolicyParts, input: Judged): Evaluation {
  return total(input.analysis, () => {
    const context = contextOf(input, parts.binaries);
    return Object.assign(conclude(parts, judge(parts, context)), { suggestions: [], digest: digestOf(parts, context) });
  });
}

export const digestOf = (parts: PolicyParts, { request, state, facts }: Context): string =>
  evaluationDigest(request, state, { facts, policy: parts.hash });

/** P3: whatever throws on the way is a deny match, so an evaluation always comes back. */
export function total(analysis: Analysis, evaluate: () => Evaluation): Evaluation {
  try {
    return evaluate();
  } catch (error) {
    const reason = `the policy could not be evaluated: ${error instanceof Error ? error.message : String(error)}`;
    const count = Array.isArray(analysis?.programs) ? analysis.programs.length : 0;
    return {
      decision: 'deny',
      risk: 'high',
      riskReason: 'error',
      matches: [{ source: 'error', decision: 'deny', reason }],
      parts: new Array<Decision>(count).fill('deny'),
      suggestions: [],
      digest: textHash(reason),
    };
  }
}
