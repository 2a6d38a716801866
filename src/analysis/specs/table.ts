import type { EffectKind } from '../../contract/analysis.js';

/** What one option, operand or file of a command spec does, as written in the table. */
export type Action =
  | { readonly does: 'harmless' }
  /** The program's language hook says what it does; it matters, so it is preferred over harmless spellings. */
  | { readonly does: 'language' }
  /** A path: the argument itself, or a fixed one. `tree`: everything below it too. */
  | { readonly does: 'read' | 'write'; readonly tree: boolean; readonly path?: string }
  /** A host, `user@host:path` or URL; or a fixed host. */
  | { readonly does: 'network'; readonly host?: string }
  /** curl's way of naming data: `@file` is read and sent, `@-` is standard input, anything else is the data. */
  | { readonly does: 'data' }
  /**
   * The argument is started: as a shell script, as words, or as one program. `fed`: it is sent data, which a shell would
   * run; `elsewhere`: on another machine or in a container.
   */
  | { readonly does: 'exec'; readonly as: 'script' | 'words' | 'program'; readonly how?: 'fed' | 'elsewhere' }
  /** An effect that is not a path or host. Its target is the argument, or `target`. */
  | { readonly does: 'effect'; readonly kind: EffectKind; readonly detail: string; readonly target?: string }
  | { readonly does: 'ask'; readonly text: string }
  | { readonly does: 'tag'; readonly tag: string }
  /** Paths are relative to this argument: from now on, or there as well as here. */
  | { readonly does: 'cwd'; readonly also: boolean }
  /** `up`: also in every directory above. */
  | { readonly does: 'hash'; readonly path: string; readonly up: boolean };

/** One thing a condition asks. */
export type Test =
  | { readonly option: string }
  | { readonly value: string }
  | { readonly operands: '>' | '='; readonly count: number };

/** Holds when any of its tests holds, or none when negated. A clause's conditions must all hold. */
export interface Condition {
  readonly any: readonly Test[];
  readonly negated: boolean;
}

export interface Clause {
  readonly action: Action;
  readonly when: readonly Condition[];
  readonly otherwise?: Action;
}

export interface OptionRule {
  readonly names: readonly string[];
  /** How many words it takes; `optional`: an attached one only; `digits`: attached digits only; `rest`: all that follow. */
  readonly arity: number | 'optional' | 'digits' | 'rest';
  readonly clauses: readonly Clause[];
  /** Named in a list of harmless options, where nothing says which names mean the same. */
  readonly listed?: boolean;
  /** It does more than reading, so a word that might be this option cannot be passed over. */
  readonly dangerous: boolean;
}

/** What the operand at a place means. `rest` from there on is a command line of its own. */
export interface OperandRule {
  readonly place: number | 'last' | 'each';
  readonly clauses: readonly Clause[];
}

export interface CommandPlace {
  /** 1-based. */
  readonly from: number;
  /** Its argv, or words that are joined with blanks for a shell. */
  readonly as: 'argv' | 'script';
  /** On another machine or in a container. */
  readonly elsewhere: boolean;
}

/** One program or sub-command, compiled from a `.spec` file. */
export interface Table {
  readonly names: readonly string[];
  readonly options: ReadonlyMap<string, OptionRule>;
  readonly operands: readonly OperandRule[];
  /** The operands from a place on are another program. */
  readonly command?: CommandPlace;
  /** What happens without operands. */
  readonly bare: readonly Clause[];
  /** What happens in any case. */
  readonly always: readonly Clause[];
  readonly commands: ReadonlyMap<string, Table>;
  /** Options that only say where or how its sub-commands run: without them the rest means the same there. */
  readonly peels: ReadonlySet<string>;
  readonly otherOptions: Action;
  readonly otherCommands?: Action;
  /** Options end at the first operand. */
  readonly stops: boolean;
  /** A long option may be shortened as long as it stays unique. */
  readonly abbreviates: boolean;
  /** `-name` is one option and not a cluster. */
  readonly dashWords: boolean;
  /** The first operand may be an option cluster (`tar xf`). */
  readonly firstCluster: boolean;
  /** `-20` is a harmless option. */
  readonly numbers: boolean;
  /** A hook in `languages/` that reads what the table cannot say. */
  readonly language?: string;
  readonly variables: readonly string[];
  readonly examples: readonly Example[];
}

/** `match COMMAND => TERMS`: all terms hold; `not_match`: none does. */
export interface Example {
  readonly kind: 'match' | 'not_match';
  readonly command: string;
  readonly terms: readonly string[];
  /** `file:line`. */
  readonly place: string;
}
