import type { Span, Word } from '../contract/analysis.js';
import type { Findings } from './findings.js';
import type { ParsedScript } from './parse.js';
import type { SpecLookup } from './spec.js';
import { joinStates, type ShellState } from './state.js';

/** Where a `break`, `continue` or `return` goes on: the states it takes there are joined behind the construct. */
export interface Frame {
  escaped: ShellState | undefined;
  /** The next loop around this one, for `break 2`. */
  readonly outer: Frame | undefined;
}

/** What feeds a command's standard input. */
export interface Stdin {
  readonly kind: 'nothing' | 'pipe' | 'file' | 'here' | 'unknown';
  readonly text?: Word;
  /** NUL-terminated paths that each begin with this text, and nothing else. */
  readonly names?: string;
}

const begun = new WeakSet<Stdin>();

/** A command that shares this input may have read from it: how much of its text is left, nobody knows. */
export const markBegun = (stdin: Stdin): void => void (stdin.kind === 'here' && begun.add(stdin));
export const isBegun = (stdin: Stdin): boolean => begun.has(stdin);

/**
 * One path through the text: what never changes on it, and the state, which does. Branches take a `fork` each and are
 * joined by whoever made them.
 */
export interface Flow {
  state: ShellState;
  readonly findings: Findings;
  readonly specs: SpecLookup;
  readonly home: string;
  /** The text that positions index, and the span to report instead when it is not the submitted text. */
  readonly source: string;
  readonly span?: Span | undefined;
  readonly via: readonly string[];
  /** Nested texts and calls around this one. */
  readonly depth: number;
  readonly loop: Frame | undefined;
  readonly call: Frame | undefined;
  /** Variables that the function being walked has declared local; undefined: outside of any function. */
  readonly locals: Set<string> | undefined;
  /** `$0`, where the text gives it: `sh -c SCRIPT NAME`. */
  readonly zero?: Word | undefined;
  /** Functions being walked, to notice recursion. */
  readonly calling: readonly string[];
  readonly stdin: Stdin;
  /** Descriptors above 2 that the text itself has opened around this. */
  readonly opened: ReadonlySet<number>;
  /** It runs on another machine or in a container: paths are not ours. */
  readonly elsewhere: boolean;
  /** true: in a pipeline, a background job or a substitution, beside what stands around it. */
  readonly beside: boolean;
  /** Walks a nested script on this path. Held here so that the evaluator need not know the walk. */
  readonly walkScript: (script: ParsedScript, flow: Flow) => void;
}

export const fork = (flow: Flow, changes: Partial<Flow> = {}): Flow => ({ ...flow, ...changes });

/** A process of its own: what it does to the state ends with it, and it leaves no loop or function of ours. */
export const separate = (flow: Flow, changes: Partial<Flow> = {}): Flow =>
  fork(flow, { loop: undefined, call: undefined, locals: flow.locals && new Set(flow.locals), ...changes });

/** Deepest nesting of scripts, calls and wrappers. */
export const MAX_DEPTH = 24;

/** Goes on behind `levels` frames at once. */
export function escapeTo(frame: Frame | undefined, state: ShellState, levels = 1): void {
  let left = levels;
  for (let at = frame; at && left > 0; at = at.outer, left -= 1) at.escaped = at.escaped ? joinStates(at.escaped, state) : state;
}

export const spanOf = (flow: Flow, node: { readonly pos: number; readonly end: number }): Span =>
  // Behind a backslash at the end of the text the parser's node ends past it.
  flow.span ?? { start: Math.min(node.pos, flow.source.length), end: Math.min(node.end, flow.source.length) };
