import type { Word } from '../contract/analysis.js';
import { type Flow, separate } from './flow.js';
import { usesNetwork } from './neighbours.js';
import type { ParsedScript } from './parse.js';
import { printedByScript } from './printed.js';
import { isKnown, known, unknown } from './word.js';

/** Without its last newlines, as a substitution drops them. By hand: a regular expression is quadratic here. */
function trimEnd(word: Word): Word {
  if (!isKnown(word)) return word;
  let end = word.text.length;
  while (end > 0 && word.text[end - 1] === '\n') end -= 1;
  return known(word.text.slice(0, end));
}

/** Commands that print one number and nothing else, by their words. */
const NUMBERS: readonly RegExp[] = [
  /^wc( -[clmw]| --(bytes|lines|chars|words))?$/,
  /^date \+%s$/,
  /^nproc( --all)?$/,
  /^id -[ug]$/,
  /^stat (-c|--format=?) ?%s \S+$/,
  /^git rev-list --count \S+$/,
];

/** `$(… | wc -l)`: digits, whatever the rest does. */
function printsNumber(script: ParsedScript): boolean {
  const statement = script.commands[0];
  if (script.commands.length !== 1 || statement === undefined || statement.background) return false;
  const { command } = statement;
  const last = command.type === 'Pipeline' && command.prefixes.length === 0 ? command.commands.at(-1) : command;
  if (
    last?.type !== 'Command' ||
    last.prefix.length > 0 ||
    !last.redirects.every(redirect => redirect.type === 'Redirect' && redirect.operator === '<')
  )
    return false;
  const words = [last.name, ...last.args].map(word => (word?.type === 'Word' && !word.parts ? word.text : '\0'));
  const text = words.join(' ');
  return NUMBERS.some(pattern => pattern.test(text));
}

/** Does a name of theirs mean something else on this path? */
const redefined = (flow: Flow): boolean =>
  ['wc', 'date', 'nproc', 'id', 'stat', 'git'].some(name => flow.state.functions.has(name) || flow.state.aliases.has(name)) ||
  flow.state.variables.has('PATH');

/** Walks a command substitution and says what it prints, where the text fixes that. */
export function substitutionValue(script: ParsedScript, flow: Flow): Word {
  const from = flow.findings.programs.length;
  flow.walkScript(script, separate(flow, { beside: true }));
  const value = printedByScript(script, flow);
  if (value) return trimEnd(value);
  if (printsNumber(script) && !redefined(flow)) return unknown('number');
  return unknown(flow.findings.programs.slice(from).some(usesNetwork) ? 'download' : 'substitution');
}
