/** What a session's shell is at the moment its turn is taken. Frozen while the turn is held (design 2.2). */
export interface SessionState {
  /** Absolute path as the kernel has it, and its `dev:ino`. */
  readonly cwd: string;
  readonly cwdId: string;
  /** Counts the shells this session has had; 1 is the first. */
  readonly generation: number;
  /** The shell's `$-`. */
  readonly options: string;
  /** Name of the family whose grammar the text is read in: `bash`, `sh`, `powershell` … */
  readonly family: string;
  readonly executor: string;
  /** Login name and uid the bytes run under, e.g. `ana(1000)`. */
  readonly user: string;
  /** The session's home directory and workspace (where it was opened), for `~` and `${workspace}`. */
  readonly home: string;
  readonly workspace: string;
  /** `tainted`: something may have changed what names or the protocol mean; nothing is allowed unasked. */
  readonly lineage: 'clean' | 'tainted';
  /** Why the session is tainted, in words. */
  readonly taint?: string;
  /** For typed input: what it would be typed into. */
  readonly waiting?: Waiting;
}

/** A command on its terminal, as it stands when something is to be typed into it. */
export interface Waiting {
  readonly commandId: string;
  /** Its text. */
  readonly command: string;
  /** `vi(4207)`: the program that was started last, by the kernel's word; absent where it is the shell, or nobody tells. */
  readonly program?: string;
  readonly screenVersion: number;
}
