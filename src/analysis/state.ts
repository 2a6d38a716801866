import type { Span, Word } from '../contract/analysis.js';
import type { FunctionBody } from './parse.js';
import { joinWords, sameWord, unknown } from './word.js';

/** A variable that the text itself has set. What it has not set belongs to the session and is unknown here. */
export interface Variable {
  /** undefined: unset. */
  readonly value: Word | undefined;
  /** Elements of an indexed array that was set whole; `value` is then its first element. */
  readonly elements?: readonly Word[];
  readonly exported: boolean;
  /** It has an attribute (integer, lower or upper case) that changes every value it is given. */
  readonly transformed?: 'integer' | 'case';
}

export interface KnownFunction {
  readonly body: FunctionBody;
  /** The text that the body's positions index. */
  readonly source: string;
  /** Reported instead of its own positions where the text is not the submitted one. */
  readonly span: Span | undefined;
}

/**
 * What is known about the shell at one point of the text. Immutable, so that branches share it and a join of equal
 * states costs nothing.
 */
export interface ShellState {
  /** Directories it may be in, absolute; undefined: unknown. */
  readonly directories: readonly string[] | undefined;
  readonly variables: ReadonlyMap<string, Variable>;
  /** Possible bodies by name; `undefined` among them: perhaps not defined. */
  readonly functions: ReadonlyMap<string, readonly (KnownFunction | undefined)[]>;
  /** Aliases defined in this text. */
  readonly aliases: ReadonlyMap<string, Word>;
  readonly positional: readonly Word[] | undefined;
  /** `unknown` once IFS was assigned: unquoted values then split somewhere else. */
  readonly splitting: 'default' | 'unknown';
  /** true: no execution gets here (behind `exit`, `return`). It is still walked. */
  readonly dead: boolean;
}

/** The states behind a command, by its status. */
export interface Outcome {
  readonly ok: ShellState;
  readonly fail: ShellState;
}

const nothing = <T>(): ReadonlyMap<string, T> => new Map<string, T>();
/** More directories than this are `unknown`. */
const MAX_DIRECTORIES = 8;

export const initialState = (directory: string): ShellState => ({
  directories: [directory],
  variables: nothing(),
  functions: nothing(),
  aliases: nothing(),
  positional: undefined,
  splitting: 'default',
  dead: false,
});

export const either = (state: ShellState): Outcome => ({ ok: state, fail: state });
export const after = (outcome: Outcome): ShellState => joinStates(outcome.ok, outcome.fail);

/** A command whose redirections failed did not run: it fails, with the state that it found. */
export const orUnrun = (outcome: Outcome, unrun: ShellState | undefined): Outcome =>
  unrun ? { ok: outcome.ok, fail: joinStates(outcome.fail, unrun) } : outcome;

function joinDirectories(a: ShellState['directories'], b: ShellState['directories']): ShellState['directories'] {
  if (a === b) return a;
  if (!a || !b) return undefined;
  const all = [...new Set([...a, ...b])].sort();
  if (all.length > MAX_DIRECTORIES) return undefined;
  return all.length === a.length && all.every((directory, index) => directory === a[index]) ? a : all;
}

/** In one branch only: the session's own value may stand there. */
const perhaps = (variable: Variable): Variable => ({
  value: unknown('variable'),
  exported: variable.exported,
  ...(variable.transformed && { transformed: variable.transformed }),
});

function sameVariable(a: Variable, b: Variable): boolean {
  if (a === b) return true;
  if (a.exported !== b.exported || a.elements !== b.elements || a.transformed !== b.transformed) return false;
  return a.value && b.value ? sameWord(a.value, b.value) : a.value === b.value;
}

/** What covers both; the first itself where it does so already, so that a loop is seen to have settled. */
function joinVariable(a: Variable | undefined, b: Variable | undefined): Variable {
  const joined = covering(a, b);
  return a && sameVariable(joined, a) ? a : joined;
}

function covering(a: Variable | undefined, b: Variable | undefined): Variable {
  if (!a || !b) return perhaps((a ?? b)!);
  if (sameVariable(a, b)) return a;
  const exported = a.exported || b.exported;
  if (!a.value || !b.value || a.elements || b.elements || a.transformed || b.transformed) {
    return { ...perhaps(a.transformed ? a : b), exported };
  }
  return { value: joinWords(a.value, b.value), exported };
}

function joinMaps<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  join: (a: T | undefined, b: T | undefined) => T,
): ReadonlyMap<string, T> {
  if (a === b) return a;
  const joined = new Map<string, T>();
  let same = a.size === b.size;
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(name), b.get(name)];
    const value = one !== undefined && one === other ? one : join(one, other);
    if (value !== one) same = false;
    joined.set(name, value);
  }
  return same ? a : joined;
}

type Bodies = readonly (KnownFunction | undefined)[];
const joinBodies = (a: Bodies | undefined, b: Bodies | undefined): Bodies => {
  const all = [...new Set([...(a ?? [undefined]), ...(b ?? [undefined])])];
  return a && all.length === a.length ? a : all;
};
const joinAlias = (a: Word | undefined, b: Word | undefined): Word => (a && b ? joinWords(a, b) : (a ?? b)!);

/** A state that covers both. Equal states come back as the first one itself. */
export function joinStates(a: ShellState, b: ShellState): ShellState {
  if (a === b) return a;
  if (a.dead !== b.dead) return a.dead ? b : a;
  const joined: ShellState = {
    directories: joinDirectories(a.directories, b.directories),
    variables: joinMaps(a.variables, b.variables, joinVariable),
    functions: joinMaps(a.functions, b.functions, joinBodies),
    aliases: joinMaps(a.aliases, b.aliases, joinAlias),
    positional: a.positional === b.positional ? a.positional : undefined,
    splitting: a.splitting === b.splitting ? a.splitting : 'unknown',
    dead: a.dead,
  };
  return sameState(joined, a) ? a : joined;
}

const sameState = (a: ShellState, b: ShellState): boolean =>
  a.directories === b.directories &&
  a.variables === b.variables &&
  a.functions === b.functions &&
  a.aliases === b.aliases &&
  a.positional === b.positional &&
  a.splitting === b.splitting &&
  a.dead === b.dead;

/** The last word on a loop that does not settle: whatever it touches is unknown from its start. */
export function widen(before: ShellState, around: ShellState): ShellState {
  const variables = new Map(before.variables);
  for (const [name, variable] of around.variables) {
    const old = before.variables.get(name);
    if (!old || !sameVariable(old, variable)) variables.set(name, perhaps(variable));
  }
  return {
    ...joinStates(before, around),
    variables,
    directories: before.directories === around.directories ? before.directories : undefined,
  };
}

/** What an evaluation set that may have ended half way: each variable has its old value, its new one, or one between. */
export function perhapsChanged(before: ShellState, changed: ShellState): ShellState {
  const variables = new Map(changed.variables);
  for (const [name, variable] of changed.variables) {
    if (before.variables.get(name) !== variable) variables.set(name, perhaps(variable));
  }
  return { ...changed, variables };
}

/** What is still certain at some later time, whatever the text does in between. */
export const atAnyTime = (state: ShellState): ShellState => ({
  ...state,
  directories: undefined,
  variables: new Map([...state.variables].map(([name, variable]) => [name, perhaps(variable)])),
  positional: undefined,
  splitting: 'unknown',
});

/** `before` with what became of `from` on the way to `to`. */
export function changesOf(to: ShellState, from: ShellState, before: ShellState): ShellState {
  const variables = new Map(before.variables);
  for (const [name, variable] of to.variables) if (from.variables.get(name) !== variable) variables.set(name, variable);
  return {
    ...to,
    variables,
    positional: to.positional === from.positional ? before.positional : to.positional,
    splitting: to.variables.get('IFS') === from.variables.get('IFS') ? before.splitting : 'unknown',
  };
}

export function withVariable(state: ShellState, name: string, variable: Variable): ShellState {
  const variables = new Map(state.variables);
  const transformed = variable.value === undefined ? undefined : state.variables.get(name)?.transformed;
  variables.set(name, transformed ? { value: unknown('variable'), exported: variable.exported, transformed } : variable);
  return { ...state, variables, splitting: name === 'IFS' ? 'unknown' : state.splitting };
}
