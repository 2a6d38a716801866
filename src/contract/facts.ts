/** What a name means to the session's shell right now. `missing`: nothing. */
export interface NameFact {
  readonly kind: 'alias' | 'keyword' | 'function' | 'builtin' | 'file' | 'missing';
  /** Absolute path of the program (`file` only). */
  readonly path?: string;
}

export interface PathFact {
  /** The path with symlinks resolved; for a path that does not exist, its nearest existing parent resolved plus the rest. */
  readonly real: string;
  readonly kind: 'file' | 'directory' | 'other' | 'missing';
  /** Of a directory asked about with a trailing slash: where links that stand in it lead, when that is not below it. */
  readonly links?: readonly string[] | 'too many';
}

export interface FileFact {
  /** Hex SHA-256 of the content; absent when it is missing, no regular file, too large or too slow to read. */
  readonly sha256?: string;
  /** The content, when it is at most 64 KiB. */
  readonly text?: string;
  /** Why there is no hash. */
  readonly problem?: string;
}

export interface GlobFact {
  /** Absolute paths; the pattern itself where nothing matches. */
  readonly matches: readonly string[];
  /** false: there are more than were looked at. */
  readonly complete: boolean;
}

/**
 * Answers to a FactsQuery, asked where the bytes will run. A hostile shell may lie, so facts only tighten a verdict;
 * `known: false` never loosens one.
 */
export type SessionFacts =
  | {
      readonly known: true;
      readonly names: Readonly<Record<string, NameFact>>;
      /** null: unset. Only asked-for variables are present. */
      readonly variables: Readonly<Record<string, string | null>>;
      readonly paths: Readonly<Record<string, PathFact>>;
      readonly hashes: Readonly<Record<string, FileFact>>;
      /** By pattern; where its matches lead stands in `paths`. */
      readonly globs?: Readonly<Record<string, GlobFact>>;
      /** Does the shell accept the text? `not-asked` when the query's text was empty. */
      readonly syntax: 'accepted' | 'rejected' | 'not-asked';
    }
  | { readonly known: false; readonly reason: string };
