import type { FactsQuery } from './analysis.js';
import type { NameFact } from './facts.js';

/** What goes into one command's lines. */
export interface Frame {
  readonly text: string;
  /** Value of SHELLGATE_COMMAND while it runs. */
  readonly id: string;
  /** Of the report line and of the fallback line. */
  readonly nonces: {
    readonly report: string;
    readonly fallback: string;
    /** Of the lineage record that follows either report. */
    readonly lineage: string;
    /** Reported when the line has been read whole and its stdin is open. Until then a signal could tear the line. */
    readonly started?: string;
    /** Reported by a background command's own subshell at its end (`place: 'subshell'`). */
    readonly finished?: string;
  };
  readonly place: 'shell' | 'subshell';
  /** The `$?` the command shall see. */
  readonly previousStatus: number;
  readonly last: { readonly flags: string; readonly aliases: boolean };
  /** Paths to redirect a captured command to. */
  readonly capture?: { readonly out: string; readonly err: string; readonly in?: string };
  /** The terminal a tty command owns, and the mark that ends its output. */
  readonly terminal?: { readonly path: string; readonly mark: string };
}

/** What the shell says at the end of a command. */
export interface Report {
  readonly nonce: string;
  readonly status: number;
  readonly cwd: string;
  readonly flags: string;
  /** `$!`, empty when nothing was put in the background. */
  readonly background: string;
  readonly aliases: boolean;
  readonly pipeStatus?: readonly number[];
}

/** How a shell speaks. Text only: no process, no descriptor, no clock. Callers' bytes enter only through `quote`. */
export interface ShellFamily {
  readonly name: string;
  /** The least version it is proven with, e.g. `4.4`. */
  readonly minimumVersion?: string;
  /** Signal number whose trap, set by the boot line, gives up the running command list. Absent: there is none. */
  readonly abortSignal?: number;
  /** Program and arguments of a session's shell, given the resolved shell. */
  argv(shell: readonly string[]): readonly string[];
  /** The first line: makes the shell fit for the protocol and reports `nonce`; the report's fields are the version and `$-`. */
  boot(nonce: string): string;
  /** The command's own line. It reports, and tells the lineage, unless it is aborted; then `fallback` does. */
  frame(frame: Frame): string;
  /** A line that goes to a directory, whatever `cd` means to the session. */
  enter(directory: string): string;
  /** A line that reports nothing but `nonce`: the shell is at top level. */
  sync(nonce: string): string;
  /** The report of a command whose own line was given up. Sent behind it, and again with a new nonce when it got lost. */
  fallback(frame: Frame, nonce: string): string;
  /** Lines that make a shell whose protocol words were redefined speak again. Best effort, for the interrupt ladder. */
  readonly repair: string;
  /**
   * Complete reports in `bytes`, stray text between them, and what is left over. `isExpected`: does somebody wait for the
   * report of this nonce? Such a one is found within another as well: a subshell reports while the shell does.
   */
  reports(
    bytes: Uint8Array,
    isExpected: (nonce: string) => boolean,
  ): { readonly reports: readonly RawReport[]; readonly stray: string; readonly rest: Uint8Array };
  report(raw: RawReport): Report | undefined;
  /** Why the shell's words may mean something else now (design 5), or undefined: nothing was found. */
  lineage(raw: RawReport): string | undefined;
  /** Cuts from a command's stderr what the shell said of itself. `ended`: the text ended the shell. */
  withoutOwnTalk(stderr: string, command: { readonly text: string; readonly ended: boolean }): string;
  /** One line that answers names and variables of a query under `nonce`, and lists what the shell exports. */
  factsLine(query: FactsQuery, nonce: string): string;
  facts(raw: RawReport, query: FactsQuery): NameFacts | undefined;
  /** The environment that such a listing describes; undefined when it is none. */
  environment(listing: string): Record<string, string> | undefined;
  /** argv that checks text on its stdin without running it, or undefined when the shell cannot. */
  syntaxCheck(shell: readonly string[]): readonly string[] | undefined;
  quote(word: string): string;
}

export interface NameFacts {
  readonly names: Record<string, NameFact>;
  readonly variables: Record<string, string | null>;
  /** The shell's own listing of what it exports, secrets included: for `environment`, never for a log. */
  readonly exported: string;
}

/** A frame `\x1e NONCE \0 fields … \0 NONCE \0` cut out of the control stream. */
export interface RawReport {
  readonly nonce: string;
  readonly fields: readonly string[];
}
