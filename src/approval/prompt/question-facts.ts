import type { Effect, Program, Word } from '../../contract/analysis.js';
import type { Match } from '../../contract/policy.js';
import { type Question, shownId } from '../../contract/question.js';
import { oneLine } from '../display.js';

/** What a question says about each part of its text, in words. Everything passes the display form. */
export interface PartFacts {
  readonly text: string;
  readonly verdict: string;
  /** What it would do: `network the npm registry; runs install scripts`. */
  readonly does: string;
  /** What its name means to the shell right now: a path, `function`, `not found`. */
  readonly meaning: string;
}

const VERBS: Readonly<Record<Effect['kind'], string>> = {
  read: 'reads',
  write: 'writes',
  network: 'network',
  exec: 'runs',
  code: 'runs code',
  state: 'changes the shell:',
  config: 'follows configuration:',
  environment: 'changes the environment:',
  process: 'acts on processes:',
  privilege: 'other rights:',
  disclosure: 'discloses',
};

export function wordText(word: Word): string {
  return 'text' in word ? word.text : `${word.lead}{${word.opaque}}`;
}

/** `~/repo` for a path in the home of the session's user. */
export function homePath(path: string, home: string): string {
  const shown = path === home ? '~' : home !== '/' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  return oneLine(shown);
}

export function partFacts(question: Question): PartFacts[] {
  return question.analysis.programs.map((program, index) => ({
    text: oneLine(question.request.text.slice(program.span.start, program.span.end) || program.argv.map(wordText).join(' ')),
    verdict: question.evaluation.parts[index] ?? question.evaluation.decision,
    does: [
      ...program.effects.map(effect => effectText(effect, question.state.home)),
      ...program.opaque.map(reason => oneLine(reason.text)),
      ...(program.specified ? [] : ['nothing is known of this program']),
    ].join('; '),
    meaning: meaningOf(program, question),
  }));
}

export function effectText(effect: Effect, home: string): string {
  const target =
    effect.target && ('text' in effect.target ? homePath(effect.target.text, home) : `unknown: ${oneLine(effect.target.opaque)}`);
  const detail = effect.detail && oneLine(effect.detail);
  if (target === undefined) return detail ?? VERBS[effect.kind].replace(/:$/, '');
  return `${VERBS[effect.kind]} ${target}${detail ? ` (${detail})` : ''}`;
}

function meaningOf(program: Program, question: Question): string {
  if (!question.facts.known || !('text' in program.name)) return '';
  const { names } = question.facts;
  const name = program.name.text;
  // A program may be called `toString`.
  const fact = Object.hasOwn(names, name) ? names[name] : undefined;
  if (!fact) return '';
  if (fact.kind === 'file') return homePath(fact.path ?? '', question.state.home);
  return fact.kind === 'missing' ? 'not found' : fact.kind;
}

/**
 * Why it asks: every reason once, with the rule it comes from. What is only not covered by any rule is one line: what
 * each part does stands with the part, and `x` has it all.
 */
export function whyLines(question: Question): string[] {
  const { programs } = question.analysis;
  const asking = question.evaluation.matches.filter(match => match.decision !== 'allow');
  const prefix = ({ part }: Match) => (programs.length > 1 && part !== undefined ? `${part + 1}: ` : '');
  const said = asking.filter(match => match.source !== 'default').map(match => matchText(match, prefix(match)));
  const uncovered = [...new Set(asking.filter(match => match.source === 'default').map(match => match.part))];
  const parts = uncovered.filter(part => part !== undefined).map(part => shortName(programs[part]));
  if (parts.length > 0) said.push(`no rule covers ${[...new Set(parts)].join(', ')}`);
  else if (said.length === 0) said.push(...asking.map(match => matchText(match, '')));
  return [...new Set(said)];
}

/** `npm test`: the name and the word after it, which for most programs says what they are to do. */
function shortName(program: Program | undefined): string {
  return oneLine((program?.argv ?? []).slice(0, 2).map(wordText).join(' '));
}

export function matchText(match: Match, prefix: string): string {
  const from = [match.rule && `rule ${match.rule}`, match.place].filter(Boolean).join(', ');
  return oneLine(`${prefix}${match.reason}${from ? ` (${from})` : ''}`);
}

/** Can a yes to this be remembered at all? Never at high risk, and only where nothing but rules and the default asks. */
export function canRemember({ evaluation }: Question): boolean {
  const asking = evaluation.matches.filter(match => match.decision !== 'allow');
  return evaluation.risk !== 'high' && asking.every(({ source }) => source === 'rule' || source === 'default');
}

/** What a yes needs where the one of this terminal does not count. A no always does. */
export function missingLevel(question: Question): string | undefined {
  switch (question.evaluation.level) {
    case 'keyed':
      return `a yes needs a signature: shellgate approve ${shownId(question)} --key FILE`;
    case 'separate-user':
      return 'a yes needs another user than the one whose shell it is';
    default:
      return undefined;
  }
}

/** What typed input would go to: `vi(4207)`, which the command `git commit` started. */
export function intoWhat({ state }: Question): string {
  const { program, command = '' } = state.waiting ?? {};
  const started = `\`${oneLine(command)}\``;
  return program === undefined ? started : `${oneLine(program)} of ${started}`;
}
