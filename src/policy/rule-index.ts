import type { CompiledRule } from './compiled-rule.js';

/** Rules sorted by what they are asked for, so that a program is held against the few that could be about it. */
export interface RuleIndex {
  /** Denies and asks, in their order. */
  readonly forbidding: readonly CompiledRule[];
  /** Allows that grant effects, whatever the program. In their order, as all lists here. */
  readonly effectOnly: readonly CompiledRule[];
  /** Allows that could cover a program of one of these names, and perhaps others; in their order. */
  allowing(names: readonly string[]): readonly CompiledRule[];
}

const indexes = new WeakMap<readonly CompiledRule[], RuleIndex>();

/** Made once for a list of rules. */
export function indexOf(rules: readonly CompiledRule[]): RuleIndex {
  let index = indexes.get(rules);
  if (!index) {
    index = makeIndex(rules);
    indexes.set(rules, index);
  }
  return index;
}

/** Does it grant effects, whatever the program? */
export const isEffectOnly = ({ command, text, rule }: CompiledRule): boolean => !command && !text && !rule.tags;

function makeIndex(rules: readonly CompiledRule[]): RuleIndex {
  const allows = rules.filter(({ rule }) => rule.decision === 'allow');
  const unnamed = allows.filter(({ command }) => !command?.names);
  const byName = new Map<string, readonly CompiledRule[]>();
  for (const name of new Set(allows.flatMap(({ command }) => [...(command?.names?.literals ?? [])]))) {
    byName.set(
      name,
      allows.filter(({ command }) => !command?.names || command.names.literals.has(name)),
    );
  }
  return {
    forbidding: rules.filter(({ rule }) => rule.decision !== 'allow'),
    effectOnly: allows.filter(isEffectOnly),
    allowing: names => {
      const found = names.filter(name => byName.has(name));
      return found.length > 1 ? allows : found.length === 1 ? byName.get(found[0]!)! : unnamed;
    },
  };
}
