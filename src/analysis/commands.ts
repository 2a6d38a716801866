import type { Word } from '../contract/analysis.js';
import { type AssignmentPlace, applyAssignments, evaluateAssignment, noteValue } from './assignments.js';
import { BUILTINS } from './builtins/index.js';
import { type Call, listProgram, reason } from './call.js';
import type { Findings } from './findings.js';
import { type Flow, fork, isBegun, markBegun, type Stdin, separate, spanOf } from './flow.js';
import { callFunction } from './functions.js';
import { invokeProgram } from './invoke.js';
import { noteSubstitutedNetwork } from './neighbours.js';
import type { Assignment, Command, ParsedScript, Redirection, WordNode } from './parse.js';
import { printedArgument, printedBy } from './printed.js';
import { applyRedirections, mayFail } from './redirections.js';
import { walkText } from './scripts.js';
import { mayRead, sharesInput, takesFromScript } from './shared-input.js';
import { either, joinStates, type Outcome, orUnrun, type ShellState, withVariable } from './state.js';
import { isKnown, known, leadOf, unknown } from './word.js';
import { fieldsOf } from './words.js';

/** `IFS= read -r line`: the prefix only says how this one line is split. */
const READS_FIELDS = new Set(['read', 'mapfile', 'readarray']);

const BEGUN: Stdin = { kind: 'unknown' };

/** A simple command: words, then redirections, then the environment prefix, then what the name means. */
export function runCommand(node: Command, flow: Flow): Outcome {
  const { findings } = flow;
  if (!findings.step()) return either(flow.state);
  const from = findings.programs.length;
  const argv: Word[] = node.name ? [...fieldsOf(node.name, flow)] : [];
  const printed = new Map<Word, Word>();
  for (const argument of node.args) {
    if (argument.type === 'Word') {
      const fields = fieldsOf(argument, flow);
      const text = printedArgument(argument, flow);
      if (isKnown(text) && fields[0]) printed.set(fields[0], text);
      argv.push(...fields);
    } else argv.push(assignmentWord(argument, flow, takesTexts(argv) ? { keys: 'texts' } : {}));
  }
  if (!findings.step(argv.length)) return either(flow.state);
  const assignments = node.prefix.filter((item): item is Assignment => item.type === 'Assignment');
  const before = flow.state;
  // Without a command the redirections see what is assigned beside them.
  if (argv.length === 0) applyAssignments(assignments, flow);
  feedSubstitutions(node, flow);
  const { stdin: given } = applyRedirections(node.redirects, flow);
  const stdin = isBegun(given) ? BEGUN : given;
  if (node.redirects.some(sharesInput)) markBegun(flow.stdin);
  const unrun = mayFail(node.redirects) ? (argv.length === 0 ? before : flow.state) : undefined;
  if (argv.length === 0) return orUnrun(either(flow.state), unrun);
  const env = prefixOf(assignments, flow);
  const reads = isKnown(argv[0]) && READS_FIELDS.has(argv[0].text);
  for (const [name, value] of env) if (!(reads && name === 'IFS')) findings.prefix(name, value);
  const call: Call = {
    argv,
    flow,
    span: spanOf(flow, node),
    stdin,
    printed,
    env,
    node,
    substituted: { from, to: findings.programs.length },
  };
  const outcome = dispatch(call, { aliases: node.name !== undefined && !node.name.parts && !node.name.text.includes('\\') });
  noteSubstitutedNetwork(findings.programs, call.substituted);
  noteFedNetwork(findings, call.substituted, node);
  if (mayRead(argv, flow)) {
    if (takesFromScript(given, node, flow))
      findings.reason(reason('reads-script', 'may read on in the script that the shell itself is reading', call.span));
    markBegun(given);
  }
  return orUnrun(outcome, unrun);
}

/** `echo text > >(sh)`: a second look at what is fed, now with the text. The first one has asked already. */
function feedSubstitutions(node: Command, flow: Flow): void {
  const scriptOf = (place: Redirection | Command['args'][number]): ParsedScript | undefined => {
    const word: WordNode | undefined = place.type === 'Word' ? place : place.type === 'Redirect' ? place.target : undefined;
    const part = word?.parts?.length === 1 ? word.parts[0] : undefined;
    return part?.type === 'ProcessSubstitution' && part.operator === '>' ? part.script : undefined;
  };
  const fed = [...node.args, ...node.redirects].flatMap(place => scriptOf(place) ?? []);
  if (fed.length === 0) return;
  const plain = {
    ...node,
    args: node.args.filter(word => !scriptOf(word)),
    redirects: node.redirects.filter(to => !scriptOf(to)),
  };
  const text = printedBy(plain, fork(flow), flow.stdin);
  if (!isKnown(text)) return;
  for (const script of fed) flow.walkScript(script, separate(flow, { beside: true, stdin: { kind: 'here', text } }));
}

/** `curl … > >(sh)`: what its words and redirections start is fed by the command. */
function noteFedNetwork(
  { programs }: Findings,
  { from, to }: { readonly from: number; readonly to: number },
  node: Command,
): void {
  const isFed = [...node.args, ...node.redirects].some(word =>
    />\(/.test(('target' in word ? word.target?.text : undefined) ?? ('text' in word ? word.text : '')),
  );
  if (isFed) noteSubstitutedNetwork([...programs.slice(to), ...programs.slice(from, to)], { from: 0, to: programs.length - to });
}

/** The environment prefix; each assignment sees the ones before it. */
function prefixOf(assignments: readonly Assignment[], flow: Flow): ReadonlyMap<string, Word> {
  const env = new Map<string, Word>();
  if (assignments.length === 0) return env;
  const before = flow.state;
  for (const assignment of assignments) {
    const { name, value } = evaluateAssignment(assignment, flow);
    env.set(name, value);
    noteValue(name, value, flow);
    flow.state = withVariable(flow.state, name, { value, exported: true });
  }
  flow.state = withoutPrefix(flow.state, flow.state, { env, before });
  return env;
}

/** `declare -A m=([key]=…)`: the keys are no arithmetic. */
const takesTexts = (argv: readonly Word[]): boolean =>
  isKnown(argv[0]) &&
  /^(declare|typeset|local|readonly)$/.test(argv[0].text) &&
  argv.slice(1).some(word => isKnown(word) && /^-[a-zA-Z]*A/.test(word.text));

function assignmentWord(node: Assignment, flow: Flow, place: AssignmentPlace): Word {
  const { name, value: written } = evaluateAssignment(node, flow, place);
  // Braces first: `export x=a{b,c}` is `export x=ab x=ac`. A plain assignment has none.
  const value = 'text' in node.value && hasBraces(node.value.text) ? unknown('variable') : written;
  const prefix = `${name}${node.index ? `[${node.index.text}]` : ''}${node.append ? '+=' : '='}`;
  return isKnown(value) ? known(prefix + value.text) : { opaque: value.opaque, lead: prefix + leadOf(value), single: true };
}

const hasBraces = (text: string): boolean => /\{\S*(,|\.\.)/.test(text.replace(/'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]/g, ''));

/** Finds what a name means, in bash's order: alias, function, builtin, program. */
export function dispatch(call: Call, may: { readonly aliases?: boolean; readonly functions?: boolean } = {}): Outcome {
  const { flow } = call;
  const name = isKnown(call.argv[0]) ? call.argv[0].text : undefined;
  if (name === undefined || name.includes('/')) {
    invokeProgram(call);
    return either(flow.state);
  }
  const alias = may.aliases ? flow.state.aliases.get(name) : undefined;
  if (alias) {
    flow.findings.reason(reason('alias', `${name} may be the alias that this text defines`, call.span));
    walkText(alias, fork(flow), { via: `alias ${name}`, span: call.span });
  }
  const bodies = may.functions === false ? undefined : flow.state.functions.get(name);
  const { env } = call;
  if (env.size === 0) return runInShell(call, name, bodies);
  const seen = withPrefix(flow.state, env);
  const outcome = runInShell({ ...call, flow: fork(flow, { state: seen }) }, name, bodies);
  const around = { env, before: flow.state };
  return { ok: withoutPrefix(outcome.ok, seen, around), fail: withoutPrefix(outcome.fail, seen, around) };
}

type Bodies = ReturnType<ShellState['functions']['get']>;

function runInShell(call: Call, name: string, bodies: Bodies): Outcome {
  if (!bodies) return runNamed(call, name);
  const outcome = callFunction(call, bodies);
  if (!bodies.includes(undefined)) return outcome;
  const other = runNamed(call, name);
  return { ok: joinStates(outcome.ok, other.ok), fail: joinStates(outcome.fail, other.fail) };
}

/** What runs inside of the shell sees the prefix as exported variables … */
function withPrefix(state: ShellState, env: ReadonlyMap<string, Word>): ShellState {
  let seen = state;
  for (const [name, value] of env) seen = withVariable(seen, name, { value, exported: true });
  return seen;
}

/** … which are gone behind it. One that was touched meanwhile may be kept: `x=value export x` sets it for good. */
function withoutPrefix(state: ShellState, seen: ShellState, { env, before }: Around): ShellState {
  const variables = new Map(state.variables);
  for (const name of env.keys()) {
    const now = variables.get(name);
    const old = before.variables.get(name);
    if (now !== seen.variables.get(name)) {
      variables.set(name, { value: unknown('variable'), exported: (now?.exported || old?.exported) ?? false });
    } else if (old) variables.set(name, old);
    else variables.delete(name);
  }
  const kept = env.has('IFS') && state.variables.get('IFS') === seen.variables.get('IFS');
  return { ...state, variables, splitting: kept && state.splitting === 'unknown' ? before.splitting : state.splitting };
}

interface Around {
  readonly env: ReadonlyMap<string, Word>;
  readonly before: ShellState;
}

function runNamed(call: Call, name: string): Outcome {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (!builtin) {
    invokeProgram(call);
    return either(call.flow.state);
  }
  if (!call.flow.elsewhere) call.flow.findings.names.add(name);
  const program = listProgram(call);
  return builtin(call, program) ?? either(call.flow.state);
}
