import type { Analysis, Program } from '../contract/analysis.js';
import type { Decision, Rule } from '../contract/policy.js';
import { type CompiledRule, compileRule } from './compiled-rule.js';
import type { Judged } from './context.js';
import { contextOf, evaluateRules, judge, type PolicyParts } from './evaluate.js';
import { exampleFacts } from './example-world.js';
import { isHighRisk } from './risk.js';
import { exactCommand, grantedEffects, ruleFor, subcommandGlob } from './suggest.js';

/** A question that a person answered, as far as it can be judged again. */
export type PastQuestion = Judged;

export interface Answers {
  readonly yeses: readonly PastQuestion[];
  readonly noes: readonly PastQuestion[];
  /** Texts of noes that cannot be judged again, as far as they are known: no rule may be about their programs. */
  readonly unclear: readonly string[];
}

export interface LearnedRule {
  readonly rule: Rule;
  /** Yeses that would be asked about without it. */
  readonly answers: number;
  /** Texts of some of them, the most frequent first. */
  readonly texts: readonly string[];
}

export interface Learned {
  readonly rules: readonly LearnedRule[];
  /** Yeses that the rules together would have answered. */
  readonly answered: number;
  /** Yeses that the policy answers by now without any of them. */
  readonly already: number;
  /** Of the others, yeses to what files of the project decide: no rule can allow those, a remembered answer can. */
  readonly bound: number;
}

interface Candidate {
  readonly compiled: CompiledRule;
  readonly from: readonly PastQuestion[];
}

/** Different argvs that a person said yes to before a sub-command is taken for harmless as such. */
const VARIETY = 3;
const TEXTS = 3;

/**
 * Rules that would have answered past questions: yeses only, each rule at least `least` of them, and all of them together
 * not one no. Narrow: the very words, with the very effects they had; a sub-command with anything behind it only where
 * it did nothing but read, in several forms. High risk is never learned. A no counts as if nothing had been special about
 * its session, because that is when a rule reaches farthest.
 */
export function learnRules(parts: PolicyParts, { yeses, noes, unclear }: Answers, least = 2): Learned {
  const decide = (rules: readonly CompiledRule[], question: PastQuestion): Decision =>
    evaluateRules({ ...parts, rules: [...parts.rules, ...rules] }, question).decision;
  const open = yeses.filter(question => decide([], question) !== 'allow');
  const refused = noes.map(unspecial).filter(question => decide([], question) !== 'allow');
  let chosen: readonly Candidate[] = [];
  const answeredBy = (candidates: readonly Candidate[], among: readonly PastQuestion[] = open): PastQuestion[] => {
    const rules = candidates.map(({ compiled }) => compiled);
    return among.filter(question => decide(rules, question) === 'allow');
  };
  for (const candidate of candidatesFor(parts, open)) {
    const left = candidate.from.length - answeredBy(chosen, candidate.from).length;
    if (left < least || unclear.some(text => isAbout(candidate, text))) continue;
    const next = [...chosen, candidate];
    if (answeredBy(next, refused).length === 0) chosen = next;
  }
  // From the least useful on: a rule that others make needless, or that lacks another part's rule, goes.
  const answered = new Set(answeredBy(chosen));
  // A rule has no part in other questions than those it was made from.
  const lostWithout = (candidate: Candidate): PastQuestion[] => {
    const own = candidate.from.filter(question => answered.has(question));
    const others = chosen.filter(other => other !== candidate);
    const still = new Set(answeredBy(others, own));
    return own.filter(question => !still.has(question));
  };
  for (const candidate of chosen.toReversed()) {
    const lost = lostWithout(candidate);
    if (lost.length >= least) continue;
    chosen = chosen.filter(other => other !== candidate);
    for (const question of lost) answered.delete(question);
  }
  const rules = chosen.map(candidate => {
    const own = lostWithout(candidate);
    return { rule: candidate.compiled.rule, answers: own.length, texts: frequent(own.map(({ request }) => request.text)) };
  });
  const bound = open.filter(question => !answered.has(question) && isBound(parts, question)).length;
  return { rules, answered: answered.size, already: yeses.length - open.length, bound };
}

const isBound = (parts: PolicyParts, question: PastQuestion): boolean =>
  judge(parts, contextOf(question, parts.binaries)).open.some(({ answerable }) => answerable?.file !== undefined);

/** What another policy would have allowed of them. */
export function wouldAllow(parts: PolicyParts, questions: readonly PastQuestion[]): number {
  return questions.filter(question => evaluateRules(parts, question).decision === 'allow').length;
}

/** The same question where no fact and no lineage would tighten anything. */
function unspecial(question: PastQuestion): PastQuestion {
  const { taint: _, ...state } = question.state;
  return { ...question, state: { ...state, lineage: 'clean' }, facts: exampleFacts(question.analysis.query) };
}

/** Widest first, so that an exact rule is only looked at where no wider one holds. */
function candidatesFor(parts: PolicyParts, open: readonly PastQuestion[]): Candidate[] {
  const wide = new Map<string, Found>();
  const exact = new Map<string, Found>();
  for (const question of open) {
    for (const program of askingPrograms(parts, question)) {
      add(exact, exactCommand(program), { question, program });
      const glob = subcommandGlob(program);
      if (glob !== undefined && onlyReads(program, question.analysis)) add(wide, glob, { question, program });
    }
  }
  const varied = [...wide].filter(([, found]) => new Set(found.map(({ program }) => exactCommand(program))).size >= VARIETY);
  return [...bySupport(varied), ...bySupport([...exact])];
}

type Found = { readonly question: PastQuestion; readonly program: Program }[];

function add(to: Map<string, Found>, command: string, found: Found[number]): void {
  to.set(command, [...(to.get(command) ?? []), found]);
}

function bySupport(entries: readonly (readonly [string, Found])[]): Candidate[] {
  return entries.map(([command, found]) => candidateOf(command, found)).sort((a, b) => b.from.length - a.from.length);
}

function candidateOf(command: string, found: Found): Candidate {
  const effects = grantedEffects(found.flatMap(({ question, program }) => [...program.effects, ...question.analysis.effects]));
  return { compiled: compileRule(ruleFor(command, effects)), from: [...new Set(found.map(({ question }) => question))] };
}

/** The programs that no rule allows, in a line whose every open point a rule could settle. */
function askingPrograms(parts: PolicyParts, question: PastQuestion): Program[] {
  const context = contextOf(question, parts.binaries);
  const { open } = judge(parts, context);
  if (open.some(({ answerable }) => !answerable?.gap)) return [];
  const { programs } = question.analysis;
  const asking = new Set(open.flatMap(({ match }) => (match.part === undefined ? [] : [match.part])));
  // What the line itself does (a redirection) goes with a program that stands alone.
  if (asking.size === 0 && programs.length === 1) asking.add(0);
  const found = [...asking].map(part => programs[part]!);
  const isKnown = (program: Program) => program.argv.every(word => 'text' in word) && !isHighRisk(program, parts.risks);
  return found.every(isKnown) ? found : [];
}

const onlyReads = (program: Program, line: Analysis): boolean =>
  [...program.effects, ...line.effects].every(({ kind }) => kind === 'read');

/** Could the rule be about a program of that text? A wider guess than any analysis, for texts that are not whole. */
function isAbout({ compiled }: Candidate, text: string): boolean {
  return [...(compiled.command?.names?.literals ?? [])].some(name => text.includes(name));
}

function frequent(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, TEXTS)
    .map(([text]) => text);
}
