/** Directories where programs come from that a rule means when it names them. */
export const BINARY_DIRECTORIES: readonly string[] = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/opt/homebrew/bin',
  '/opt/homebrew/sbin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/snap/bin',
  '/run/current-system/sw/bin',
  '/nix/var/nix/profiles/default/bin',
];

/** Bash's own builtins and keywords: a name that must be one, because no file could do the same. */
export const BUILTINS: ReadonlySet<string> = new Set(
  (
    '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable ' +
    'eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd ' +
    'read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias ' +
    'unset wait [[ (( time coproc'
  ).split(' '),
);

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Is the path that of a program in one of these directories (not below them)? */
export function isTrustedBinary(path: string, directories: readonly string[]): boolean {
  return directories.includes(path.slice(0, path.lastIndexOf('/')) || '/');
}
