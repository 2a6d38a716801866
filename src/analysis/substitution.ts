import type { Word } from '../contract/analysis.js';
import { type Flow, fork, separate } from './flow.js';
import type { Command, ParsedScript } from './parse.js';
import { concatWords, isKnown, known, unknown } from './word.js';
import { documentText, fieldsOf } from './words.js';

/** Without its last newlines, as a substitution drops them. By hand: a regular expression is quadratic here. */
function trimEnd(word: Word): Word {
  if (!isKnown(word)) return word;
  let end = word.text.length;
  while (end > 0 && word.text[end - 1] === '\n') end -= 1;
  return known(word.text.slice(0, end));
}

/** The only command of a script, when it is a simple one. */
function onlyCommand(script: ParsedScript): Command | undefined {
  const statement = script.commands[0];
  if (script.commands.length !== 1 || statement?.background || statement?.command.type !== 'Command') return undefined;
  return statement.command;
}

/** `$(cat <<'EOF' … EOF)`, `$(echo words)`, `$(pwd)`: what they print is in the text. */
export function printedText(command: Command, flow: Flow): Word | undefined {
  if (command.prefix.length > 0 || command.name?.parts) return undefined;
  const name = command.name?.text ?? '';
  if (flow.state.functions.has(name) || flow.state.aliases.has(name)) return undefined;
  const redirect = command.redirects[0];
  if (name === 'cat' && command.args.length === 0 && command.redirects.length === 1 && redirect?.type === 'HereDoc') {
    const body = redirect.delimiter?.quoted ? known(tabsCut(redirect.body.text, redirect.operator)) : undefined;
    return (
      body ??
      (redirect.body.parts
        ? unknown('substitution')
        : documentText(undefined, tabsCut(redirect.body.text, redirect.operator), flow))
    );
  }
  if (command.redirects.length > 0) return undefined;
  if (name === 'pwd' && command.args.length === 0) {
    return flow.state.directories?.length === 1 ? known(flow.state.directories[0]!) : undefined;
  }
  if (name !== 'echo') return undefined;
  if (!command.args.every(argument => argument.type === 'Word' && !argument.parts)) return undefined;
  const words = command.args.flatMap(argument => (argument.type === 'Word' ? fieldsOf(argument, flow) : []));
  const text = concatWords(words, ' ');
  return isKnown(text) && !/^-|\\/.test(text.text) ? text : undefined;
}

export const tabsCut = (text: string, operator: '<<' | '<<-'): string => (operator === '<<-' ? text.replace(/^\t+/gm, '') : text);

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
  flow.walkScript(script, separate(flow, { beside: true }));
  const command = onlyCommand(script);
  const value = command && script.source === undefined ? printedText(command, fork(flow)) : undefined;
  if (value) return trimEnd(value);
  return unknown(printsNumber(script) && !redefined(flow) ? 'number' : 'substitution');
}
