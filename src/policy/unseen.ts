import type { Program } from '../contract/analysis.js';
import type { Context } from './context.js';

/**
 * Does text that nobody could see run in the session's own shell (design 5, lineage)? An `eval` of what only shows when it
 * runs; a sourced file that no hash binds. What it did cannot be asked of the shell it ran in: a function named `builtin`
 * answers for it. A file bound by its hash was seen: the answer covers its content (P4).
 */
export function unseenCode({ request, analysis, facts }: Context): string | undefined {
  if (request.background) return undefined; // in a subshell, which takes its changes with it
  const reasons = [...analysis.opaque, ...analysis.programs.flatMap(program => program.opaque)];
  if (reasons.some(({ code }) => code === 'unseen-code')) return 'text that only showed when it ran was run by its shell';
  const isBound = (path: string): boolean => facts.known && facts.hashes[path]?.sha256 !== undefined;
  const sourced = analysis.programs.some(program => isSourced(program) && !filesOf(program).every(isBound));
  return sourced ? 'its shell read a file that nobody could check' : undefined;
}

const isSourced = ({ opaque }: Program): boolean => opaque.some(({ code }) => code === 'sourced-file');

/** A file whose name is not known is none that could be bound. */
const filesOf = ({ effects }: Program): string[] =>
  effects.filter(({ kind }) => kind === 'code').map(({ target }) => (target && 'text' in target ? target.text : ''));
