import { RE2JS } from 're2js';
import type { Analysis, Analyzer } from '../contract/analysis.js';
import type { Rule } from '../contract/policy.js';
import { type CommandGlob, compileCommand, prototypeWords } from './command-glob.js';
import { compileEffects, type EffectGlobs } from './effect-pattern.js';
import { EXAMPLE_SIGNAL, EXAMPLE_STATE, exampleRequest } from './example-world.js';
import { hasSubcommands } from './global-options.js';
import { invalid } from './globs.js';

/** The act that a deny or ask pattern names, however it is spelled: `rm -rf **` is rm with these tags. */
export interface Act {
  readonly name: string;
  readonly tags: readonly string[];
}

/** A rule ready to be compared. Made once, at load. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly command?: CommandGlob;
  readonly text?: RE2JS;
  readonly effects?: EffectGlobs;
  readonly acts: readonly Act[];
}

/** A rule whose field could not be compiled. */
export class FieldError extends Error {
  readonly field: string;
  constructor(field: string, cause: unknown) {
    super((cause as Error).message, { cause });
    this.name = 'FieldError';
    this.field = field;
  }
}

/** Errors: `FieldError` naming the field that does not compile. */
export function compileRule(rule: Rule): CompiledRule {
  const command = field('command', rule.command, compileCommand);
  if (command && rule.decision === 'allow' && command.names === undefined) {
    throw new FieldError('command', invalid('an allow begins with the name of a program; a wildcard there would allow them all'));
  }
  const text = field('text', rule.text, source => RE2JS.compile(source, RE2JS.CASE_INSENSITIVE));
  const effects = field('effects', rule.effects, compileEffects);
  return { rule, acts: [], ...(command && { command }), ...(text && { text }), ...(effects && { effects }) };
}

function field<T, R>(name: string, value: T | undefined, compile: (value: T) => R): R | undefined {
  if (value === undefined) return undefined;
  try {
    return compile(value);
  } catch (cause) {
    throw new FieldError(name, cause);
  }
}

/**
 * Learns from the analyzer which act a deny or ask pattern is about, so that `rm -rf **` also means `rm -r --force x`
 * and `git push --force **` also `git push origin +main`. A pattern of a bare name is about the name only.
 */
export async function withActs(compiled: CompiledRule, analyzer: Analyzer): Promise<CompiledRule> {
  const { command, rule } = compiled;
  const names = command?.names;
  if (!command || !names || rule.decision === 'allow') return compiled;
  const words = prototypeWords(command).slice(1);
  if (!words.some(word => word !== 'x')) return compiled;
  const acts: Act[] = [];
  for (const name of names.literals) {
    const learn = async (of: readonly string[]) =>
      tagsOf(await analyzer.analyze(exampleRequest([name, ...of].map(quote).join(' ')), EXAMPLE_STATE, EXAMPLE_SIGNAL), name);
    const tags = await learn(words);
    if (tags.length > 0 && !(await saysNothing({ name, words, tags }, learn))) acts.push({ name, tags });
  }
  return { ...compiled, acts };
}

/**
 * `chmod 777` is no act of its own: whatever chmod does has the same tags, and a deny of the one is not about the other.
 * Code is: a deny of `node -e` is about `node -p` too.
 */
async function saysNothing(
  { name, words, tags }: { readonly name: string; readonly words: readonly string[]; readonly tags: readonly string[] },
  learn: (words: readonly string[]) => Promise<readonly string[]>,
): Promise<boolean> {
  if (tags.some(tag => tag === 'foreign-code' || tag === 'shell-code')) return false;
  const plain = words.map(word => (word.startsWith('-') || !hasSubcommands(name) ? 'x' : word));
  if (plain.every((word, index) => word === words[index])) return false;
  const usual = await learn(plain);
  return tags.every(tag => usual.includes(tag));
}

/** Tags that say how something is done, not what: `rm -r` is what a deny of `rm -rf` is about. */
const MANNERS = new Set(['force', 'wrapper', 'raw-scan']);

function tagsOf(analysis: Analysis, name: string): readonly string[] {
  const program = analysis.programs.find(candidate => 'text' in candidate.name && candidate.name.text === name);
  return program?.specified ? program.tags.filter(tag => !MANNERS.has(tag)) : [];
}

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
