import type { Match } from '../../src/contract/policy.js';

/** One line of cases.jsonl. */
export interface CorpusRow {
  readonly id: string;
  readonly group: string;
  readonly shell: string;
  readonly command: string;
  readonly rule: string | null;
  readonly expect: string;
  readonly setup: string | null;
}

export interface CorpusVerdicts {
  readonly wrong: readonly { readonly row: CorpusRow; readonly decision: string; readonly matches: readonly Match[] }[];
  readonly stricter: readonly string[];
  readonly otherShells: { readonly cases: number; readonly wrongAllow: number };
  readonly sessions: number;
  readonly totals: {
    readonly cases: number;
    readonly wrongAllow: number;
    readonly denyExpected: number;
    readonly denyHit: number;
    readonly controlsAsked: number;
    readonly failing: readonly string[];
  };
}

/** `engine`: the functions of one build, by their names. `told`: hears every row with its decision. */
export function judgeCorpus(
  cases: readonly CorpusRow[],
  engine: Readonly<Record<string, unknown>>,
  told?: (row: CorpusRow, decision: string) => void,
): Promise<CorpusVerdicts>;
