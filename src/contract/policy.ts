import type { Analysis } from './analysis.js';
import type { Approved, Level } from './answer.js';
import type { SessionFacts } from './facts.js';
import type { Question } from './question.js';
import type { Request } from './request.js';
import type { SessionState } from './session-state.js';

export type Decision = 'allow' | 'ask' | 'deny';
export type Risk = 'low' | 'medium' | 'high';

/** Conditions on what a program would do; each list holds path, host or name patterns. */
export type EffectPatterns = Readonly<Partial<Record<string, readonly string[]>>>;

/** A matcher (all of `command`, `text`, `tags`, `effects` that are given must match), a decision and its own examples. */
export interface Rule {
  readonly id: string;
  readonly decision: Decision;
  /** Word globs on the planned argv: `*` one word, `**` the rest, `{a,b}` alternatives. */
  readonly command?: string;
  /** Case-insensitive regular expression on the raw line (the weak form, S3-12). */
  readonly text?: string;
  readonly tags?: readonly string[];
  readonly effects?: EffectPatterns;
  readonly reason?: string;
  /** true: the model is told the reason of a refusal by this rule. */
  readonly tell?: boolean;
  /** false: an ask of this rule cannot be remembered. */
  readonly remember?: boolean;
  /** The least level of approval an ask of this rule accepts. */
  readonly level?: Level;
  readonly match?: readonly string[];
  readonly not_match?: readonly string[];
  /** `file:line` it was read from. */
  readonly place?: string;
}

/** Why the evaluation says what it says. Every match is kept; the strictest decides. */
export interface Match {
  readonly source: 'rule' | 'default' | 'floor' | 'opaque' | 'facts' | 'grant' | 'error' | 'lineage';
  readonly decision: Decision;
  /** For the person. */
  readonly reason: string;
  readonly rule?: string;
  readonly place?: string;
  /** true: the reason may be told to the model. */
  readonly tell?: boolean;
  /** Index into `analysis.programs`; absent when it concerns the whole line. */
  readonly part?: number;
}

/** A rule that would silence the next question, with what else it would allow. */
export interface Suggestion {
  readonly rule: Rule;
  /** For a line with several asking parts: the rules of the others. Only together do they silence the question. */
  readonly also?: readonly Rule[];
  readonly scope: 'session' | 'always';
  readonly wouldAlsoAllow: readonly string[];
  readonly wouldNotAllow: readonly string[];
}

export interface Evaluation {
  readonly decision: Decision;
  readonly risk: Risk;
  /** The tag or effect that set the risk, in words. */
  readonly riskReason?: string;
  readonly matches: readonly Match[];
  /** Verdict of each of `analysis.programs`, by index. */
  readonly parts: readonly Decision[];
  readonly suggestions: readonly Suggestion[];
  /**
   * Why the session is tainted once this has run: text that no verdict and no answer could see runs in its own shell, or
   * something there takes the place of the words that would tell. Absent: the shell's word for itself counts.
   */
  readonly taints?: string;
  /** The least level of approval that is accepted, when a rule wants more than `same-user`. */
  readonly level?: Level;
  /** Hex SHA-256 over the RFC 8785 form of everything the verdict depends on. An answer binds to it (P4). */
  readonly digest: string;
}

/** A remembered answer: it turns an `ask` of a rule or of the default into allow. Never more than that (design 7). */
export interface Grant {
  readonly id: string;
  readonly scope: 'session' | 'always';
  /** Exact text, or a rule; one of the two. */
  readonly text?: string;
  readonly rule?: Rule;
  /** Session scope: further rules, of the other parts of the line. */
  readonly also?: readonly Rule[];
  readonly principal: string;
  readonly executor: string;
  /** session scope: bound to this session and generation. */
  readonly sessionId?: string;
  readonly generation?: number;
  /** Files the answer relied on, path to hex SHA-256. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Programs outside the system's directories that the answer vouched for, name to path. */
  readonly names?: Readonly<Record<string, string>>;
  /** Exact text: the directory it was allowed in. The same text elsewhere is another act. */
  readonly cwd?: string;
  readonly createdAt: string;
  readonly by: string;
}

/**
 * Contract: `evaluate` is pure and total; a rule that throws is a deny match. `remember` never rejects: the approval
 * holds even where it could not be kept for the next time.
 */
export interface Policy {
  evaluate(request: Request, state: SessionState, analysis: Analysis, facts: SessionFacts): Evaluation;
  remember(question: Question, answer: Approved): Promise<Grant | { readonly problem: string }>;
}

/** What a gate judges by, as it is now. Contract: never rejects; what cannot be taken over leaves the old one in force. */
export interface PolicySource {
  current(): Promise<Policy>;
}

/**
 * What became of rules that changed while a gate runs: other ones are in force (`loaded`), the old ones stay and why
 * (`kept`), or no remembered answer counts and why (`ungranted`).
 */
export type PolicyChange =
  | { readonly kind: 'loaded'; readonly names: readonly string[]; readonly hash: string }
  | { readonly kind: 'kept' | 'ungranted'; readonly code: string; readonly place?: string; readonly reason: string };
