import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInstructions } from '../../src/environment/instructions.js';
import type { ShellEnvironmentSnapshot } from '../../src/environment/snapshot.js';
import { verifies } from '../helpers/verifies.js';

const snapshot: ShellEnvironmentSnapshot = {
  family: 'posix',
  shellVersion: '5.2.15(1)-release',
  osDescription: 'Linux 6.1.0 x86_64',
  workingDirectory: '/repo',
  toolVersions: { git: 'git version 2.39.5', uv: null, python: null, docker: null },
  notInstalled: ['uv'],
  unversioned: ['python'],
};

test('a POSIX shell', () => {
  verifies('S3-25', 'S3-29', 'K07');
  const block = formatInstructions(snapshot);
  expect(block.split('\n').slice(0, 3)).toEqual([
    '## Shell environment',
    'Commands run in bash 5.2.15(1)-release on Linux 6.1.0 x86_64.',
    'Use POSIX/bash idioms:',
  ]);
  expect(block.split('\n').slice(-3)).toEqual([
    'Working directory: /repo',
    'Available CLIs: git (git version 2.39.5), python',
    'Not installed: uv',
  ]);
});

test('a PowerShell', () => {
  verifies('S3-25', 'S3-29', 'K07');
  const block = formatInstructions({ ...snapshot, family: 'powershell', shellVersion: '7.4.1' });
  expect(block).toMatch(/^## Shell environment\nCommands run in PowerShell 7\.4\.1 /);
  expect(block).toContain('NOT bash');
  expect(block).toContain('$env:NAME');
  expect(block).not.toContain('POSIX/bash idioms');
});

test('what is not known is left out', () => {
  verifies('S3-27');
  const unknown = {
    shellVersion: null,
    osDescription: null,
    workingDirectory: null,
    toolVersions: { git: null },
    notInstalled: [],
    unversioned: [],
  };
  const block = formatInstructions({ family: 'posix', ...unknown });
  expect(block).not.toMatch(/Working directory|Available CLIs|Not installed|[^/]null|undefined/);
});

test('a program, a directory or a system cannot write lines of the block', () => {
  const lines = formatInstructions(snapshot).split('\n').length;
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), text => {
      const block = formatInstructions({
        ...snapshot,
        shellVersion: text,
        osDescription: text,
        workingDirectory: `/${text}`,
        toolVersions: { ...snapshot.toolVersions, git: text },
      });
      expect(block.split(/[\n\r\u2028\u2029\u0085]/)).toHaveLength(lines);
      expect(block.length).toBeLessThan(2_500);
    }),
  );
});
