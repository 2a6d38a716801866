import type { Effect, Program, Word } from '../contract/analysis.js';
import type { Decision, EffectPatterns, Grant, Rule, Suggestion } from '../contract/policy.js';
import { type CommandMatcher, compileCommand, matchCommand } from './command-glob.js';
import type { Context } from './context.js';
import { textHash } from './digest.js';
import { isInside, UNNAMED } from './effect-pattern.js';
import type { Judgement } from './evaluate.js';
import { hasSubcommands, holdsMore, isProjectTool } from './global-options.js';
import { boundTo } from './make-grant.js';

/** At most this many examples of what a rule would and would not allow. */
const EXAMPLES = 3;
/** Characters of several rules that a prompt shows in a line. */
const SHOWN = 40;
/** A rule for a longer line, for more asking parts, or for parts that do more, could not be read before it is kept. */
const LONGEST_LINE = 4096;
const MOST_PARTS = 12;
const MOST_EFFECTS = 100;

/**
 * Rules that would silence the next question: one for the session, and those to choose from for always. Most useful
 * first: the program's sub-command with anything behind it (what that does is still judged by its effects), then the
 * words as they are. For a line with several asking parts one rule each, for the session. Only what re-judging shows to
 * allow the line.
 */
export function suggestionsFor(judgement: Judgement, decide: (grant: Grant) => Decision): Suggestion[] {
  const { context, open } = judgement;
  if (context.request.text.length > LONGEST_LINE) return [];
  if (open.length === 0 || open.some(({ answerable }) => !answerable)) return [];
  // A rule holds the name of a variable, not its value: `LD_PRELOAD=a ls` must not become `LD_PRELOAD=b ls`.
  if (context.analysis.effects.some(({ kind }) => kind === 'environment')) return [];
  const asking = [...new Set(open.flatMap(({ match }) => (match.part === undefined ? [] : [match.part])))];
  if (asking.length > MOST_PARTS || effectsOf(context, asking) > MOST_EFFECTS) return [];
  if (asking.length > 1) return suggestionForParts(asking, context, decide);
  const part = asking.length === 1 ? asking[0] : context.analysis.programs.length === 1 ? 0 : undefined;
  const program = part === undefined ? undefined : context.analysis.programs[part];
  if (!program) return [];
  const useful = commandsFor(program)
    .map(command => ruleFor(command, effectsFor(command, [...program.effects, ...context.analysis.effects], context)))
    .filter(rule => decide(trial([rule], context)) === 'allow');
  const [first] = useful;
  if (!first) return [];
  return [suggestion(first, program, 'session'), ...useful.map(rule => suggestion(rule, program, 'always'))];
}

/** How much the asking parts do, and the line itself. */
const effectsOf = ({ analysis: { programs, effects } }: Context, asking: readonly number[]): number =>
  asking.reduce((sum, part) => sum + programs[part]!.effects.length, effects.length);

/** Sub-commands where there are some and a prompt can show them whole, else every part's own words. */
function suggestionForParts(asking: readonly number[], context: Context, decide: (grant: Grant) => Decision): Suggestion[] {
  const programs = asking.map(part => context.analysis.programs[part]!);
  if (programs.some(program => commandsFor(program).length === 0)) return [];
  for (const commandOf of [(program: Program) => commandsFor(program)[0]!, (program: Program) => commandsFor(program).at(-1)!]) {
    const rules = rulesFor(programs, commandOf, context);
    const [rule, ...also] = rules;
    const isHidden =
      rules.some(({ command }) => command?.endsWith(' **')) && rules.map(({ command }) => command).join(', ').length > SHOWN;
    if (!rule || isHidden || decide(trial(rules, context)) !== 'allow') continue;
    const shown = rules.map(one => suggestion(one, programs.find(program => commandOf(program) === one.command)!, 'session'));
    const lists = (of: (one: Suggestion) => readonly string[]) => shown.flatMap(one => of(one).slice(0, 1)).slice(0, EXAMPLES);
    return [
      {
        rule,
        also,
        scope: 'session',
        wouldAlsoAllow: lists(one => one.wouldAlsoAllow),
        wouldNotAllow: lists(one => one.wouldNotAllow),
      },
    ];
  }
  return [];
}

/** One rule a command. What the line itself does (a redirection) goes with the first of them. */
function rulesFor(programs: readonly Program[], commandOf: (program: Program) => string, context: Context): Rule[] {
  const { analysis } = context;
  const effects = new Map<string, Effect[]>();
  for (const program of programs) {
    const before = effects.get(commandOf(program)) ?? (effects.size === 0 ? analysis.effects : []);
    effects.set(commandOf(program), [...before, ...program.effects]);
  }
  return [...effects].map(([command, granted]) => ruleFor(command, effectsFor(command, granted, context)));
}

/** A grant that exists only to see what it would change. */
function trial([rule, ...also]: readonly Rule[], context: Context): Grant {
  const { request, state } = context;
  const bound = boundTo(context);
  return {
    id: 'suggested',
    scope: 'always',
    ...(rule && { rule, also }),
    principal: request.principal.id,
    executor: state.executor,
    ...bound,
    createdAt: '',
    by: '',
  };
}

export const ruleFor = (command: string, effects: EffectPatterns | undefined): Rule => ({
  id: `allowed-${textHash(command).slice(0, 8)}`,
  decision: 'allow',
  command,
  ...(effects && { effects }),
});

const texts = (words: readonly Word[]): string[] => words.map(word => ('text' in word ? word.text : ''));

/** The widest first. A word that is not known (a glob of file names) has no exact pattern. */
function commandsFor(program: Program): string[] {
  const glob = toolGlob(program) ?? subcommandGlob(program);
  const exact = program.argv.every(word => 'text' in word) ? [exactCommand(program)] : [];
  return [...(glob === undefined ? [] : [glob]), ...exact];
}

/** Exactly what it does now; of a project's tool what it does now to files of the workspace, it may do to any of them. */
function effectsFor(command: string, effects: readonly Effect[], { state }: Context): EffectPatterns | undefined {
  const exactly = grantedEffects(effects);
  // What writes anywhere below the workspace is not kept out by the repository in it; that stays as it is.
  const isWhole = exactly?.write?.includes(escapePath(`${state.workspace}/**`)) ?? false;
  const granted = exactly && isWhole ? withRepository(exactly, state.workspace) : exactly;
  const name = /^(\S+) \*\*$/.exec(command)?.[1];
  if (!granted || name === undefined || !isProjectTool(name)) return granted;
  const repository = escapePath(`${state.workspace}/.git`);
  const widen = (path: string): string =>
    path !== repository && isInside(path, escapePath(state.workspace)) ? '${workspace}/**' : path;
  const wide = (kind: 'read' | 'write') => granted[kind] && { [kind]: [...new Set(granted[kind].map(widen))] };
  return { ...granted, ...wide('read'), ...wide('write') };
}

/** A granted tree that takes in a repository names it, or a wildcard would not be enough; not what stands in it. */
const withRepository = (granted: EffectPatterns, workspace: string): EffectPatterns => ({
  ...granted,
  write: [...(granted.write ?? []), escapePath(`${workspace}/.git`)],
});

/** `eslint **`: one answer for the project's own tools, not one for each file they are given. */
function toolGlob({ argv, specified }: Program): string | undefined {
  const name = texts(argv)[0]!;
  return specified && isProjectTool(name) ? `${name} **` : undefined;
}

/** A pattern of the words as they are; a program by its path means the file there, wherever it is started. */
export function exactCommand({ name, argv }: Program): string {
  const [first = '', ...rest] = texts(argv);
  const started = 'text' in name && name.text.startsWith('/') ? name.text : first;
  return [started, ...rest].map(quoteWord).join(' ');
}

/** `program sub-command **`, where a spec knows the options: `npm run build **`, `docker compose up **`. */
export function subcommandGlob({ argv, specified }: Program): string | undefined {
  const [name, sub, inner] = texts(argv);
  const isWord = (word: string | undefined): word is string => word !== undefined && /^[a-z][a-z0-9:_-]*$/.test(word);
  if (!specified || !hasSubcommands(name!) || !isWord(sub)) return undefined;
  return holdsMore(name!, sub) && isWord(inner) ? `${name} ${sub} ${inner} **` : `${name} ${sub} **`;
}

/** One word of a pattern that means itself. */
export function quoteWord(word: string): string {
  if (/^[\w@%+=:.,/-]+$/.test(word) && !word.includes(',')) return word;
  return word.includes("'") ? word.replace(/[\s\\{},*'"]/g, '\\$&') : `'${word}'`;
}

/** Exactly what the program does now, so that the rule grants nothing more. */
export function grantedEffects(effects: readonly Effect[]): EffectPatterns | undefined {
  const patterns: Record<string, string[]> = {};
  for (const { kind, target } of effects) {
    if (target && 'opaque' in target) continue;
    const text =
      target === undefined
        ? UNNAMED
        : kind === 'read' || kind === 'write'
          ? escapePath(target.text)
          : target.text.replace(/[\\{},*]/g, '\\$&');
    const list = patterns[kind] ?? [];
    if (!list.includes(text)) patterns[kind] = [...list, text];
  }
  return Object.keys(patterns).length === 0 ? undefined : patterns;
}

function escapePath(path: string): string {
  const tree = path.endsWith('/**');
  return (tree ? path.slice(0, -3) : path).replace(/[\\{},*]/g, '\\$&') + (tree ? '/**' : '');
}

function suggestion(rule: Rule, program: Program, scope: Suggestion['scope']): Suggestion {
  const command = compileCommand(rule.command!);
  const wouldAlsoAllow: string[] = [];
  const wouldNotAllow: string[] = [];
  const known = texts(program.argv.filter(word => 'text' in word));
  const name = known[0]!;
  const matcher: CommandMatcher = { mode: 'allow', isNamed: ({ literals }) => (literals.has(name) ? 'yes' : 'no') };
  for (const words of variants(known)) {
    const argv = words.map(text => ({ text }));
    const list = matchCommand(command, { ...program, argv }, matcher) === 'yes' ? wouldAlsoAllow : wouldNotAllow;
    if (list.length < EXAMPLES) list.push(words.map(shellWord).join(' '));
  }
  return { rule, scope, wouldAlsoAllow, wouldNotAllow };
}

/** Neighbours of a command line: one more word, one word less, another operand, another sub-command. */
function variants(words: readonly string[]): string[][] {
  const [name, sub, ...rest] = words as [string, ...string[]];
  const found = [
    [...words, '--other-option'],
    [...words, 'another'],
    ...(words.length > 2 ? [words.slice(0, -1), [...words.slice(0, -1), 'another']] : []),
    ...(sub === undefined ? [] : [[name, 'another', ...rest], [name]]),
  ];
  const own = words.join('\0');
  return found.filter(variant => variant.join('\0') !== own);
}

const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
