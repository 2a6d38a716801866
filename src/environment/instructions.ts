import type { ShellEnvironmentSnapshot, ShellIdiom } from './snapshot.js';

const MOST_CHARACTERS = 200;

const IDIOM: Readonly<Record<ShellIdiom, readonly string[]>> = {
  posix: [
    'Use POSIX/bash idioms:',
    '- Set variables with `export NAME=value`; read them as `$NAME`.',
    '- Chain commands with `&&`, `||` and `;`; discard output with `> /dev/null`.',
    '- Quote words that hold blanks or `$`; separate the parts of a path with `/`.',
  ],
  powershell: [
    'Use PowerShell idioms, NOT bash:',
    '- Set variables with `$env:NAME = "value"`; read them as `$env:NAME`.',
    '- Chain commands with `;`, and test `$?` or `$LASTEXITCODE` between them; discard output with `| Out-Null`.',
    '- Change directories with `Set-Location`; `export`, `&&` in version 5 and `/dev/null` do not exist.',
  ],
};

/**
 * A snapshot as a block for a system prompt (S3-25, S3-29). What programs print about themselves is cut to one short
 * line without control characters: it is their word, and goes where a model reads.
 */
export function formatInstructions(snapshot: ShellEnvironmentSnapshot): string {
  const { family, shellVersion, osDescription, workingDirectory } = snapshot;
  const shell = family === 'powershell' ? 'PowerShell' : 'bash';
  const about = shellVersion === null ? (family === 'powershell' ? shell : 'a POSIX shell') : `${shell} ${oneLine(shellVersion)}`;
  const available = availableOf(snapshot);
  return [
    '## Shell environment',
    `Commands run in ${about}${osDescription === null ? '' : ` on ${oneLine(osDescription)}`}.`,
    ...IDIOM[family],
    ...(workingDirectory === null ? [] : [`Working directory: ${oneLine(workingDirectory)}`]),
    ...(available.length === 0 ? [] : [`Available CLIs: ${available.join(', ')}`]),
    ...(snapshot.notInstalled.length === 0 ? [] : [`Not installed: ${snapshot.notInstalled.join(', ')}`]),
  ].join('\n');
}

function availableOf({ toolVersions, unversioned }: ShellEnvironmentSnapshot): string[] {
  return Object.entries(toolVersions).flatMap(([name, version]) => {
    if (version !== null) return [`${name} (${oneLine(version)})`];
    return unversioned.includes(name) ? [name] : [];
  });
}

function oneLine(text: string): string {
  const flat = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return flat.length > MOST_CHARACTERS ? `${[...flat].slice(0, MOST_CHARACTERS).join('')}…` : flat;
}
