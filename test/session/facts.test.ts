import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { FactsQuery } from '../../src/contract/analysis.js';
import { type Opened, opened, requestOf } from './opened.js';

const never = new AbortController().signal;

async function ask(session: Opened, query: Partial<FactsQuery>) {
  const turn = await session.shell.turn(requestOf('true'), never);
  if ('outcome' in turn) throw new Error(turn.reason);
  using held = turn;
  return held.facts({ names: [], variables: [], paths: [], hashes: [], text: '', ...query }, never);
}

test('of what is evaluated as arithmetic every element is told', async () => {
  await using session = await opened();
  await session.ran('A=(1 "x y" 3); N=5');
  const told = await ask(session, { variables: ['A', 'N', 'NOPE'], numeric: ['A', 'N', 'NOPE'] });
  expect(told).toMatchObject({ variables: { A: '1 x y 3', N: '5', NOPE: null } });
});

test('one answer tells names, variables, paths, hashes and the grammar', async () => {
  await using session = await opened();
  await session.ran('f(){ :; }; export V="a b"; printf data >file; ln -s file link; PATH=.:$PATH; hash -p /bin/echo swapped');
  await session.ran('printf "#!/bin/sh\\n" >here; chmod +x here');
  const { cwd } = session.shell;
  const facts = await ask(session, {
    names: ['f', 'ls', 'cd', 'nope', 'swapped', 'here'],
    variables: ['V', 'NOPE'],
    paths: [`${cwd}/link`, `${cwd}/missing/below`],
    hashes: [`${cwd}/link`],
    text: 'echo a | cat',
  });
  expect(facts).toMatchObject({
    known: true,
    names: {
      f: { kind: 'function' },
      ls: { kind: 'file' },
      cd: { kind: 'builtin' },
      nope: { kind: 'missing' },
      swapped: { kind: 'file', path: '/bin/echo' },
      here: { kind: 'file', path: `${cwd}/here` },
    },
    variables: { V: 'a b', NOPE: null },
    paths: { [`${cwd}/link`]: { real: `${cwd}/file`, kind: 'file' }, [`${cwd}/missing/below`]: { kind: 'missing' } },
    hashes: { [`${cwd}/link`]: { sha256: createHash('sha256').update('data').digest('hex') } },
    syntax: 'accepted',
  });
});

describe('facts only tighten', () => {
  test('text that the shell rejects', async () => {
    await using session = await opened();
    expect(await ask(session, { text: 'echo (' })).toMatchObject({ syntax: 'rejected' });
    expect(await ask(session, {})).toMatchObject({ syntax: 'not-asked' });
  });

  test.each([
    'set -eu',
    'set -x',
    'printf(){ :; }; type(){ echo file; }',
    'shopt -s failglob',
    'false',
    'IFS=/',
    'declare -n V=1x; true',
  ])('they are the same after %s', async text => {
    await using session = await opened();
    await session.ran(text);
    expect(await ask(session, { names: ['ls', '*'], variables: ['HOME'] })).toMatchObject({
      known: true,
      names: { ls: { kind: 'file', path: expect.stringMatching(/\/ls$/) }, '*': { kind: 'missing' } },
      variables: { HOME: session.shell.cwd },
    });
    expect(await session.ran('echo "$?"')).toMatchObject({ outcome: 'exited' });
  });

  test('asking does not change the status that the next command sees', async () => {
    await using session = await opened();
    await session.ran('(exit 7)');
    await ask(session, { names: ['nope'] });
    expect((await session.ran('echo $?')).stdout.text).toBe('7\n');
  });

  test('a shell that lost its builtins knows nothing', async () => {
    await using session = await opened();
    await session.ran('enable -n type');
    expect(await ask(session, { names: ['ls'] })).toMatchObject({ known: true, names: { ls: { kind: 'missing' } } });
    const { stdout } = await session.ran('echo $$');
    const turn = await session.shell.turn(requestOf('true'), never);
    if ('outcome' in turn) throw new Error(turn.reason);
    process.kill(Number(stdout.text), 'SIGKILL');
    expect(await turn.facts({ names: ['ls'], variables: [], paths: [], hashes: [], text: '' }, never)).toMatchObject({
      known: false,
    });
    turn[Symbol.dispose]();
  });
});
