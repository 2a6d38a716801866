import type { Effect, Reason, Word } from '../contract/analysis.js';

/** One program about to be started, as the walk found it. */
export interface Invocation {
  /** The name first. */
  readonly argv: readonly Word[];
  /** Directories it may start in, absolute; undefined: unknown. */
  readonly cwd: readonly string[] | undefined;
  readonly home: string;
  /** Environment prefix and variables exported earlier in the text. */
  readonly env: ReadonlyMap<string, Word>;
  /** What can be read from those of its words that are a `<(…)`, where the text fixes it. */
  readonly printed?: ReadonlyMap<Word, Word>;
  /** Where its standard input comes from. `here`: text known from a here-document or here-string. */
  readonly stdin: {
    readonly kind: 'nothing' | 'pipe' | 'file' | 'here' | 'unknown';
    readonly text?: Word;
    /** NUL-terminated paths that each begin with this text, and nothing else. */
    readonly names?: string;
  };
}

/** Something that a program starts in its turn; the walk analyses it like any other part. */
export type Nested =
  | {
      readonly argv: readonly Word[];
      /** `env -S`, `find -exec`, `xargs` … */
      readonly via: string;
      /** Words unknown now are added behind (`xargs`) or put in place of some (`find -exec {}`, `xargs -I`). */
      readonly unknownArguments: boolean;
      /** It may start somewhere else than the wrapper. undefined: unknown; absent: the same. */
      readonly cwd?: readonly string[] | undefined;
      /** Variables the wrapper sets, and whether it clears the rest. */
      readonly env?: ReadonlyMap<string, Word>;
      /** It runs on another machine or in a container: its effects are `network` or `process`, its paths are not ours. */
      readonly elsewhere?: boolean;
    }
  | {
      readonly script: Word;
      readonly shell: string;
      readonly via: string;
      readonly elsewhere?: boolean;
      /** `$0`, then `$1` and on, where they are known: `sh -c SCRIPT NAME WORDS…`. */
      readonly parameters?: readonly Word[];
    };

/** What one invocation would do. */
export interface Reading {
  readonly effects: readonly Effect[];
  readonly tags: readonly string[];
  readonly opaque: readonly Reason[];
  readonly nested: readonly Nested[];
  /** Absolute paths of files whose content decides what happens (git config, package.json). */
  readonly hashes: readonly string[];
  /** Directories whose entries it takes by a pattern, or in which it writes names that are not said. */
  readonly folders: readonly string[];
  /** Absolute patterns whose matches must not begin with a dash, or they would be options. */
  readonly undashed: readonly string[];
  /** Directories that it goes to before it looks for a file (`env -C`): where one is a link, `..` is somewhere else. */
  readonly entered?: readonly string[];
  /** Variables of the session that change what this means (`GIT_PAGER`, `RIPGREP_CONFIG_PATH`). */
  readonly variables: readonly string[];
}

/** Knows one program. Contract: total, pure, fast; fails closed by `opaque`. */
export interface CommandSpec {
  readonly name: string;
  read(invocation: Invocation): Reading;
}

/** By the program's base name; undefined: no spec, so only exact-text approval. */
export type SpecLookup = (name: string) => CommandSpec | undefined;
