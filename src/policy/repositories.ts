import type { Analysis, Effect, Program } from '../contract/analysis.js';
import type { SessionFacts } from '../contract/facts.js';
import { baseName } from './binaries.js';

/** Sub-commands that make a repository where they stand, whatever stands above. */
const MAKES_ONE = new Set(['init', 'clone', 'worktree', 'submodule']);

/**
 * What git writes in the `.git` of its directory goes to the nearest one that is there, as git looks for it upwards:
 * `cd packages/api && git add .` writes the one of the workspace.
 */
export function withRepositories(analysis: Analysis, facts: SessionFacts): Analysis {
  const moved = (program: Program) => {
    if (!isGit(program) || !program.effects.some(isRepository)) return program;
    return { ...program, effects: program.effects.map(effect => (isRepository(effect) ? found(effect, facts) : effect)) };
  };
  return facts.known ? { ...analysis, programs: analysis.programs.map(moved) } : analysis;
}

const isGit = ({ name, argv: [, sub] }: Program): boolean =>
  'text' in name && baseName(name.text) === 'git' && sub !== undefined && 'text' in sub && !MAKES_ONE.has(sub.text);

const isRepository = ({ kind, target }: Effect): boolean =>
  kind === 'write' && target !== undefined && 'text' in target && target.text.endsWith('/.git');

/** Every folder on the way up was asked for its configuration, which each repository has. */
function found(effect: Effect, facts: SessionFacts): Effect {
  const text = effect.target && 'text' in effect.target ? effect.target.text : '';
  if (!facts.known) return effect;
  for (let folder = text.slice(0, -'/.git'.length); folder !== ''; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    const config = `${folder}/.git/config`;
    const fact = Object.hasOwn(facts.hashes, config) ? facts.hashes[config] : undefined;
    if (fact === undefined) return effect;
    if (fact.problem !== 'missing') return { ...effect, target: { text: `${folder}/.git` } };
  }
  return effect;
}
