import type { Request } from './request.js';
import type { SessionState } from './session-state.js';

/**
 * A word whose value is known from the text, or one that is not, with the text known to stand in front. An opaque word
 * stands for any number of words, unless `single` says that it is exactly one (`"$x"`).
 */
export type Word =
  | { readonly text: string }
  | {
      readonly opaque: string;
      readonly lead: string;
      readonly single?: true;
      /** Of a file name pattern in which nothing else is unknown, all of it. */
      readonly pattern?: string;
      /** Text was put around what the pattern had matched (`"$f.bak"`): a file of that name need not be there yet. */
      readonly composed?: true;
    };

/** Half-open range of UTF-16 units in the submitted text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Something the analysis cannot know or will not vouch for. It makes the verdict at least `ask`. */
export interface Reason {
  /** kebab-case, stable: `variable`, `substitution`, `unparsable`, `control-character` … */
  readonly code: string;
  /** One plain sentence for the person. */
  readonly text: string;
  readonly span?: Span;
}

export type EffectKind =
  | 'read'
  | 'write'
  | 'network'
  | 'exec'
  | 'code'
  | 'state'
  | 'config'
  | 'environment'
  | 'process'
  | 'privilege'
  | 'disclosure';

/** One thing a program would do. */
export interface Effect {
  readonly kind: EffectKind;
  /**
   * read and write: an absolute, lexically normal path (a trailing `/**` means everything below);
   * network: a host; exec: the program or script; others: what is touched. Absent: not limited to anything known.
   */
  readonly target?: Word;
  /** read and write: the absolute file name pattern that names the files; the target is then everything below its fixed part. */
  readonly glob?: string;
  /** write: the folder in which files get the names of those that `glob` matches (`cp *.json DIR`). */
  readonly into?: string;
  /** For the person: `> out.log`, `--upload-pack runs a program`. */
  readonly detail?: string;
}

/** One program that the text would start, wrappers peeled. */
export interface Program {
  readonly name: Word;
  /** Planned arguments, the name first. */
  readonly argv: readonly Word[];
  readonly span: Span;
  /** Wrappers peeled to get here, outermost first: `["env -S", "sh -c"]`. */
  readonly via: readonly string[];
  readonly effects: readonly Effect[];
  /** Intents: `delete`, `recursive`, `force-push`, `net-to-shell` … */
  readonly tags: readonly string[];
  readonly opaque: readonly Reason[];
  /** false: no command spec describes this program, so a wildcard rule does not allow it. */
  readonly specified: boolean;
}

/** What only the place where the bytes will run can tell. All of it is answered in one round trip. */
export interface FactsQuery {
  /** Command names to resolve as the session's shell would. */
  readonly names: readonly string[];
  /** Shell variables whose value changes what was analysed (`PATH`, `GIT_PAGER`, `HOME` …). */
  readonly variables: readonly string[];
  /**
   * Of the session's variables, those that the text evaluates as arithmetic: a value that is neither unset, empty nor a
   * plain integer can run commands (`x='a[$(cmd)]'; ((x))`), so it asks.
   */
  readonly numeric?: readonly string[];
  /** Absolute paths to resolve through symlinks. */
  readonly paths: readonly string[];
  /**
   * Of `paths`, directories that the text enters or leaves through `..`. Where one is reached through a symlink, the
   * lexical paths of the effects behind it are wrong, so it asks.
   */
  readonly crossed?: readonly string[];
  /** Absolute file name patterns whose matches are looked up, and where they lead. */
  readonly globs?: readonly string[];
  /** Of `globs`, those that stand where an option may stand: a match whose name begins with a dash asks. */
  readonly undashed?: readonly string[];
  /** Of `globs`, those whose matches stand unquoted: one with a space or a wildcard in its name asks. */
  readonly cut?: readonly string[];
  /**
   * Of `paths`, directories with a trailing slash: the text takes whatever matches a pattern there, or writes names there
   * that it does not say. A link that stands in one and leads out of the workspace asks. In front of the last slash a star
   * for each level of folders, or two for all of them, says how deep links count.
   */
  readonly folders?: readonly string[];
  /** Absolute paths of files whose content the verdict relies on. */
  readonly hashes: readonly string[];
  /** Text the shell itself must accept with `-n`; empty when the grammar leaves no doubt. */
  readonly text: string;
}

export interface Analysis {
  readonly programs: readonly Program[];
  /** Effects of the line itself (redirections, assignments), not of one program. */
  readonly effects: readonly Effect[];
  /** Reasons that concern the whole line. */
  readonly opaque: readonly Reason[];
  readonly query: FactsQuery;
}

/** Contract: never throws, never hangs; what it cannot read is `opaque`. */
export interface Analyzer {
  analyze(request: Request, state: SessionState, signal: AbortSignal): Promise<Analysis>;
}
