import type { Word } from '../contract/analysis.js';
import type { Flow, Stdin } from './flow.js';
import { fork, isBegun, MAX_DEPTH } from './flow.js';
import type { Command, FunctionBody, ParsedScript, Redirection, Statement, WordNode } from './parse.js';
import type { KnownFunction } from './state.js';
import { isKnown, known, unknown } from './word.js';
import { documentText, fieldsOf, valueIn } from './words.js';

type Node = Statement['command'] | FunctionBody;
type HereDocument = Extract<Redirection, { type: 'HereDoc' }>;

/** Evaluating these a second time would run through what they hold again, and what holds that again. */
const SUBSTITUTES = /\$\(|`|[<>]\(/;

/**
 * What a command writes to its output, newlines included: `echo`, `printf`, `pwd`, `cat` of a here-document or of known
 * input, `tee`, and groups of them. Undefined wherever the text does not fix it.
 */
export function printedBy(node: Node, flow: Flow, stdin?: Stdin): Word | undefined {
  switch (node.type) {
    case 'Command':
      return printedByCommand(node, flow, stdin);
    case 'BraceGroup':
    case 'Subshell':
      return printedByAll(node.body.commands, flow);
    case 'CompoundList':
      return printedByAll(node.commands, flow);
    default:
      return undefined;
  }
}

function printedByAll(statements: readonly Statement[], flow: Flow): Word | undefined {
  let text = '';
  for (const { command, background } of statements) {
    const printed = background ? undefined : printedBy(command, flow);
    if (!isKnown(printed)) return undefined;
    text += printed.text;
  }
  return known(text);
}

/** The script of `<(…)`, where that is all of the word and what it prints is fixed. */
export function printedArgument(node: WordNode, flow: Flow): Word | undefined {
  const only = node.parts?.length === 1 ? node.parts[0] : undefined;
  if (only?.type !== 'ProcessSubstitution' || only.operator !== '<' || !only.script) return undefined;
  return printedByScript(only.script, flow);
}

export function printedByScript(script: ParsedScript, flow: Flow): Word | undefined {
  return script.source === undefined ? printedByAll(script.commands, fork(flow)) : undefined;
}

function printedByCommand(command: Command, flow: Flow, stdin: Stdin | undefined): Word | undefined {
  if (command.prefix.length > 0 || command.name?.parts) return undefined;
  const name = command.name?.text ?? '';
  if (flow.state.aliases.has(name)) return undefined;
  const bodies = flow.state.functions.get(name);
  if (bodies) return command.args.length + command.redirects.length > 0 ? undefined : printedByFunction(bodies, flow);
  if (name === 'tee' && command.redirects.length === 1) return copied(command.redirects, flow, stdin);
  if (name === 'head' || name === 'tail' || name === 'sort') return filtered(command, stdin);
  if (name === 'cat' && command.args.every(({ type, text }) => type === 'Word' && text === '-'))
    return copied(command.redirects, flow, stdin);
  if (command.redirects.length > 0) return undefined;
  if (name === 'tee') return stdin?.kind === 'here' && !isBegun(stdin) ? stdin.text : undefined;
  if (name === 'pwd' && command.args.length === 0) {
    return flow.state.directories?.length === 1 ? known(`${flow.state.directories[0]!}\n`) : undefined;
  }
  if (name !== 'echo' && name !== 'printf') return undefined;
  const words: Word[] = [];
  for (const argument of command.args) {
    if (argument.type !== 'Word' || SUBSTITUTES.test(argument.text)) return undefined;
    words.push(...fieldsOf(argument, flow));
  }
  if (!words.every(isKnown)) return undefined;
  const texts = words.map(word => (word as { text: string }).text);
  return name === 'echo' ? echoed(texts, flow) : formatted(texts, flow);
}

/** `| head -5`, `| tail -n 1`, `| sort`: the lines of known input that are left. */
function filtered({ name, args, redirects }: Command, stdin: Stdin | undefined): Word | undefined {
  const text = stdin?.kind === 'here' && !isBegun(stdin) ? stdin.text : undefined;
  if (!isKnown(text) || redirects.length > 0) return undefined;
  const words = args.map(argument => (argument.type === 'Word' && !argument.parts ? argument.text : '\0')).join(' ');
  const lines = text.text.replace(/\n$/, '').split('\n');
  // In which order sort puts several is for the locale to say.
  if (name?.text === 'sort') return words === '' && lines.length === 1 ? text : undefined;
  const count = words === '' ? 10 : Number(/^-(?:n ?)?(\d{1,4})$/.exec(words)?.[1] ?? Number.NaN);
  if (Number.isNaN(count)) return undefined;
  const left = name?.text === 'head' ? lines.slice(0, count) : count === 0 ? [] : lines.slice(-count);
  return known(left.map(line => `${line}\n`).join(''));
}

/** A function that is certain to be this one, called without arguments. */
function printedByFunction([only, other]: readonly (KnownFunction | undefined)[], flow: Flow): Word | undefined {
  if (!only || other || flow.depth >= MAX_DEPTH || !flow.findings.step()) return undefined;
  // A body that calls itself comes to its end here.
  return printedBy(only.body, fork(flow, { depth: flow.depth + 1, state: { ...flow.state, positional: [] } }));
}

/** `cat` without files. */
function copied(redirects: readonly Redirection[], flow: Flow, stdin: Stdin | undefined): Word | undefined {
  const [redirect, more] = redirects;
  if (more) return undefined;
  if (!redirect) return stdin?.kind === 'here' && !isBegun(stdin) ? stdin.text : undefined;
  if (redirect.type === 'HereString' && redirect.target && !SUBSTITUTES.test(redirect.target.text)) {
    const value = valueIn(redirect.target, flow);
    return isKnown(value) ? known(`${value.text}\n`) : undefined;
  }
  return redirect.type === 'HereDoc' ? documentBody(redirect, flow) : undefined;
}

function documentBody(document: HereDocument, flow: Flow): Word {
  const text = tabsCut(document.body.text, document.operator);
  if (document.delimiter?.quoted) return known(text);
  return document.body.parts ? unknown('substitution') : documentText(undefined, text, flow);
}

export const tabsCut = (text: string, operator: '<<' | '<<-'): string => (operator === '<<-' ? text.replace(/^\t+/gm, '') : text);

/** Which options `echo` knows and whether it reads escapes differs from shell to shell. */
function echoed(words: readonly string[], flow: Flow): Word | undefined {
  const options = flow.depth === 0 ? words.findIndex(word => !/^-[neE]+$/.test(word)) : 0;
  const rest = words.slice(options < 0 ? words.length : options);
  const letters = words.slice(0, words.length - rest.length).join('');
  const bare = letters.includes('n');
  const text = rest.join(' ');
  if (/^-/.test(text)) return undefined;
  const plain = /e[^E]*$/.test(letters) ? unescaped(text) : text.includes('\\') ? undefined : text;
  return plain === undefined ? undefined : known(bare ? plain : `${plain}\n`);
}

/** The escapes that a newline, a tab and the like are written with; undefined: there are others. */
function unescaped(text: string): string | undefined {
  if (/\\[^nt\\r]|\\$/.test(text)) return undefined;
  return text.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\', r: '\r', '"': '"' };

/** `printf`, as far as it is simple: `%s`, `%%`, escapes of one letter, of octal and, in bash, of hexadecimal digits. */
export function formatted([format, ...words]: readonly string[], flow: Flow): Word | undefined {
  if (format === undefined || format.startsWith('-') || (flow.depth > 0 && format.includes('\\x'))) return undefined;
  const rest = [...words];
  let text = '';
  do {
    const before = rest.length;
    const piece = formatOnce(format, rest);
    if (piece === undefined) return undefined;
    text += piece;
    if (rest.length === before) break;
  } while (rest.length > 0);
  return known(text);
}

/** The format once; takes its arguments from the front of `rest`. */
function formatOnce(format: string, rest: string[]): string | undefined {
  let failed = false;
  const text = format.replace(/\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.|$)|%(.|$)/gs, (_, letters?: string, directive?: string) => {
    if (directive === 's' || (directive === 'b' && !rest[0]?.includes('\\'))) return rest.shift() ?? '';
    if (directive === '%') return '%';
    const code = letters === undefined ? Number.NaN : codeOf(letters);
    if (code > 0 && code < 128) return String.fromCharCode(code);
    const letter = letters !== undefined && Object.hasOwn(ESCAPES, letters) ? ESCAPES[letters] : undefined;
    failed ||= letter === undefined;
    return letter ?? '';
  });
  return failed ? undefined : text;
}

function codeOf(letters: string): number {
  if (/^[0-7]+$/.test(letters)) return Number.parseInt(letters, 8);
  return /^x./.test(letters) ? Number.parseInt(letters.slice(1), 16) : Number.NaN;
}
