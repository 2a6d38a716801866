import type { Analysis } from '../contract/analysis.js';
import type { SessionFacts } from '../contract/facts.js';
import type { Request } from '../contract/request.js';
import type { SessionState } from '../contract/session-state.js';
import type { EffectPlace } from './effect-pattern.js';
import type { Subject } from './subject.js';

/** Everything one evaluation looks at. */
export interface Context {
  readonly request: Request;
  readonly state: SessionState;
  readonly analysis: Analysis;
  readonly facts: SessionFacts;
  readonly place: EffectPlace;
  /** Directories whose programs are the ones that a rule's name means. */
  readonly binaries: readonly string[];
  /** The programs of the analysis, by index. */
  readonly subjects: readonly Subject[];
}

/** What is given to an evaluation. */
export type Judged = Pick<Context, 'request' | 'state' | 'analysis' | 'facts'>;
