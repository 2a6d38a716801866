import type { FactsQuery } from '../contract/analysis.js';
import type { NameFact, SessionFacts } from '../contract/facts.js';
import type { CommandRequest } from '../contract/request.js';
import type { SessionState } from '../contract/session-state.js';
import { BUILTINS } from './binaries.js';

/** The session that a policy's examples run in: fresh, clean, its workspace at `/workspace`. */
export const EXAMPLE_STATE: SessionState = {
  cwd: '/workspace',
  cwdId: '0:0',
  generation: 1,
  options: 'himBHs',
  family: 'bash',
  executor: 'local',
  user: 'example(1000)',
  home: '/home/example',
  workspace: '/workspace',
  lineage: 'clean',
};

/** Never aborts. */
export const EXAMPLE_SIGNAL: AbortSignal = new AbortController().signal;

export function exampleRequest(text: string): CommandRequest {
  return {
    kind: 'command',
    id: 'example',
    sessionId: 'example',
    principal: { kind: 'model', id: 'example', label: 'example' },
    text,
    tty: false,
  };
}

/** Facts of a place where nothing is special: programs stand where they should, no link, no file that decides anything. */
export function exampleFacts(query: FactsQuery): SessionFacts {
  const { globs = [] } = query;
  return {
    known: true,
    names: Object.fromEntries(query.names.map(name => [name, nameFact(name)])),
    variables: Object.fromEntries(query.variables.map(name => [name, null])),
    paths: Object.fromEntries([...query.paths, ...globs].map(path => [path, { real: path, kind: 'file' as const }])),
    globs: Object.fromEntries(globs.map(pattern => [pattern, { matches: [pattern], complete: true }])),
    hashes: Object.fromEntries(query.hashes.map(path => [path, { problem: 'missing' }])),
    syntax: query.text === '' ? 'not-asked' : 'accepted',
  };
}

function nameFact(name: string): NameFact {
  if (BUILTINS.has(name)) return { kind: 'builtin' };
  return { kind: 'file', path: name.startsWith('/') ? name : `/usr/bin/${name}` };
}
