/** Which idiom a shell speaks. */
export type ShellIdiom = 'posix' | 'powershell';

/** What is known of the place where commands run. null: not known, which is not the same as not there. */
export interface ShellEnvironmentSnapshot {
  readonly family: ShellIdiom;
  readonly shellVersion: string | null;
  /** System, release and machine: `Linux 6.1.0 x86_64`. */
  readonly osDescription: string | null;
  readonly workingDirectory: string | null;
  /** First line of `NAME --version` by name; null where it is not installed, or nothing could be learnt. */
  readonly toolVersions: Readonly<Record<string, string | null>>;
  /** Of those, the ones that are certainly not installed. */
  readonly notInstalled: readonly string[];
  /** Of those, the ones that are there though their version could not be learnt. */
  readonly unversioned: readonly string[];
}
