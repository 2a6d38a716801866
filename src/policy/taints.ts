import type { Analysis, Program } from '../contract/analysis.js';
import type { Context } from './context.js';

/** The words that a shell's account of itself is made of (`family/bash-lineage.ts`): whoever redefines one can forge it. */
const WITNESSES = new Set(['builtin', 'printf', 'declare', 'enable', 'trap', 'command', 'type', 'alias']);

/**
 * Why the shell's word for itself is worth nothing once this has run in it (design 5, lineage), or undefined.
 *
 * Text that nobody could see: an `eval` of what only shows when it runs, a sourced file that no hash binds. What it did
 * cannot be asked of the shell it ran in. A file bound by its hash was seen: the answer covers its content (P4). And text
 * that was seen to put something in the place of the words that would tell.
 */
export function taintOf({ request, analysis, facts }: Context): string | undefined {
  if (request.background) return undefined; // in a subshell, which takes its changes with it
  const reasons = [...analysis.opaque, ...analysis.programs.flatMap(program => program.opaque)];
  if (reasons.some(({ code }) => code === 'unseen-code')) return 'text that only showed when it ran was run by its shell';
  const isBound = (path: string): boolean => facts.known && facts.hashes[path]?.sha256 !== undefined;
  const sourced = analysis.programs.some(program => isSourced(program) && !filesOf(program).every(isBound));
  return sourced ? 'its shell read a file that nobody could check' : silences(analysis);
}

function silences({ effects, programs }: Analysis): string | undefined {
  for (const { kind, target, detail } of effects) {
    const name = target && 'text' in target ? target.text : '';
    if (kind === 'state' && detail === `defines the function ${name}` && WITNESSES.has(name))
      return `a function named ${name} can speak for its shell`;
  }
  const all = programs.flatMap(program => program.effects);
  if (all.some(({ detail = '' }) => /^sets what happens on .*DEBUG/.test(detail))) return 'a DEBUG trap can speak for its shell';
  return all.some(({ detail }) => detail === 'loads a builtin from a file') ? 'its shell loaded code from a file' : undefined;
}

const isSourced = ({ opaque }: Program): boolean => opaque.some(({ code }) => code === 'sourced-file');

/** A file whose name is not known is none that could be bound. */
const filesOf = ({ effects }: Program): string[] =>
  effects.filter(({ kind }) => kind === 'code').map(({ target }) => (target && 'text' in target ? target.text : ''));
