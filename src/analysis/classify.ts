import type { Analysis, Effect, Program } from '../contract/analysis.js';
import { weightOf } from './environment.js';
import { TAGS, UNLISTED_TAG } from './tags.js';
import { leadOf } from './word.js';

/** What kind of command it is, for a tool declaration's flags (S2-08). A description, never a permission. */
export interface Classification {
  /** It only reads and prints: every part is understood and none of its effects is more than a read. */
  readonly readOnly: boolean;
  /** Some part destroys what does not come back by itself. A command may be neither. */
  readonly destructive: boolean;
  /** It may run beside others of its kind; the same as `readOnly`. */
  readonly concurrencySafe: boolean;
  /** Why it is not read-only or why it is destructive, in words. */
  readonly reasons: readonly string[];
}

const nameOf = (program: Program): string => leadOf(program.name) || 'a program';

/** A variable that no known program takes anything of weight from does not make a reader a writer. */
const isHarmless = ({ kind, target }: Effect): boolean =>
  kind === 'read' ||
  (kind === 'environment' && target !== undefined && 'text' in target && weightOf(target.text) !== 'dangerous');

const describe = ({ kind, target, detail }: Effect): string =>
  `${kind}${target ? ` ${leadOf(target)}` : ''}${detail === undefined ? '' : ` (${detail})`}`;

function destruction(program: Program): string[] {
  const tags = new Set(program.tags);
  const found = [...tags].filter(tag => (TAGS[tag] ?? UNLISTED_TAG).destructive);
  // Changing the rights of a whole tree cannot be taken back; of one file it can.
  if (tags.has('permission-change') && tags.has('recursive')) found.push('permission-change');
  return found.map(tag => `${nameOf(program)} ${(TAGS[tag] ?? UNLISTED_TAG).meaning}`);
}

/** Sorts a command by what its analysis says. Total; what is not understood is not read-only. */
export function classify(analysis: Analysis): Classification {
  const destructive = analysis.programs.flatMap(destruction);
  const more = [
    ...analysis.opaque.map(({ text }) => text),
    ...analysis.effects.filter(effect => !isHarmless(effect)).map(describe),
    ...analysis.programs.flatMap(program => [
      ...program.opaque.map(({ text }) => `${nameOf(program)}: ${text}`),
      ...(program.specified ? [] : [`${nameOf(program)} is not described`]),
      ...program.effects.filter(effect => !isHarmless(effect)).map(effect => `${nameOf(program)}: ${describe(effect)}`),
    ]),
  ];
  const readOnly = more.length === 0 && destructive.length === 0;
  return {
    readOnly,
    destructive: destructive.length > 0,
    concurrencySafe: readOnly,
    reasons: [...new Set([...destructive, ...more])],
  };
}
