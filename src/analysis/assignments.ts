import type { Word } from '../contract/analysis.js';
import { arithmeticNames, evaluateArithmeticText } from './arithmetic.js';
import { namesProgram, USUAL_HELPER, weightOf } from './environment.js';
import { type Flow, fork } from './flow.js';
import type { Assignment, WordNode } from './parse.js';
import { walkText } from './scripts.js';
import { type Variable, withVariable } from './state.js';
import { concatWords, isKnown, known, leadOf, unknown } from './word.js';
import { fieldsOf, valueIn } from './words.js';

/** What an assignment node gives, its substitutions walked. */
export interface AssignedValue {
  readonly name: string;
  readonly value: Word;
  readonly elements?: readonly Word[];
  readonly subscripted: boolean;
}

/** What an assignment stands in: `keys` are texts (`declare -A`) or, as anywhere else, arithmetic. */
export interface AssignmentPlace {
  readonly keys?: 'texts';
}

/** Evaluates the right side (and a subscript) without storing it. */
export function evaluateAssignment(node: Assignment, flow: Flow, place: AssignmentPlace = {}): AssignedValue {
  const { name } = node;
  if (node.index) evaluateArithmeticText(valueIn(node.index, flow), flow);
  if (node.value.type === 'ArrayValue') return arrayValue({ node, nodes: node.value.elements, place }, flow);
  const value = valueIn(node.value, flow);
  if (node.index && !node.append) {
    const elements = withElement(flow.state.variables.get(name), node.index.text, value);
    if (elements) return { name, value: elements[0]!, elements, subscripted: true };
  }
  const before = flow.state.variables.get(name)?.value;
  const appended = node.append ? (before ? concatWords([before, value], '') : unknown('variable')) : value;
  return { name, value: node.index ? unknown('variable') : appended, subscripted: node.index !== undefined };
}

/** `x[1]=value`, where the text set the rest. */
function withElement(variable: Variable | undefined, index: string, value: Word): readonly Word[] | undefined {
  const elements = variable?.elements ?? (variable?.value && !variable.transformed ? [variable.value] : undefined);
  const at = /^\d{1,3}$/.test(index) ? Number(index) : Number.NaN;
  if (!elements || elements.length === 0) return undefined;
  if (at === elements.length) return [...elements, value];
  return at < elements.length ? elements.with(at, value) : undefined;
}

interface ArrayAssignment {
  readonly node: Assignment;
  readonly nodes: readonly WordNode[];
  readonly place: AssignmentPlace;
}

function arrayValue({ node, nodes, place }: ArrayAssignment, flow: Flow): AssignedValue {
  const elements: Word[] = [];
  const before = node.append ? flow.state.variables.get(node.name)?.elements : undefined;
  let certain = !node.append || before !== undefined;
  for (const element of nodes) {
    const subscript = /^\[([\s\S]*?)\]\+?=/.exec(element.text);
    const fields = fieldsOf(element, flow);
    if (subscript) {
      certain = false;
      if (!/^\d*$/.test(subscript[1]!) && place.keys !== 'texts') arrayKey(subscript[1]!, element, flow);
    }
    if (fields.some(field => !isKnown(field) && field.opaque !== 'glob')) certain = certain && fields.every(isKnown);
    elements.push(...fields);
  }
  if (before) elements.unshift(...before);
  const value = elements[0] ?? known('');
  return certain && elements.every(isKnown)
    ? { name: node.name, value, elements, subscripted: false }
    : { name: node.name, value: unknown('variable'), subscripted: false };
}

/** `[key]=value`: the key is evaluated; one that holds an expansion was walked with its word already. */
function arrayKey(key: string, element: WordNode, flow: Flow): void {
  if (element.parts && /[$`]/.test(key)) {
    if (!/^\$\(\([^$`]*\)\)$/.test(key)) evaluateArithmeticText(unknown('variable'), flow);
    return;
  }
  // A key of an associative array is no expression; of an indexed one it is, and only the shell knows which this is.
  if (/^['"]?[\w .@%:/+-]*['"]?$/.test(key)) arithmeticNames(key, flow);
  else evaluateArithmeticText(known(key.replace(/^(['"])(.*)\1$/s, '$2')), flow);
}

/** Integers from the start: whatever is assigned to one of them is evaluated as arithmetic (`RANDOM='a[$(ls)]'`). */
const INTEGERS = new Set('BASHPID EPOCHSECONDS EUID HISTCMD LINENO OPTIND PPID RANDOM SECONDS SRANDOM UID'.split(' '));
/** Their values are expanded, or run, when bash prompts, traces, starts or looks for mail. */
const EXPANDED: ReadonlySet<string> = new Set(['PS0', 'PS1', 'PS2', 'PS4', 'MAILPATH', 'BASH_ENV', 'ENV']);
/** A value here makes a name run something else. */
const RENAMES: ReadonlySet<string> = new Set(['BASH_CMDS', 'BASH_ALIASES']);

/** What giving this variable a value runs or makes run later, whoever gives it. */
export function noteValue(name: string, value: Word | undefined, flow: Flow): void {
  if (value === undefined) return;
  if (INTEGERS.has(name) || flow.state.variables.get(name)?.transformed === 'integer') evaluateArithmeticText(value, flow);
  if (RENAMES.has(name))
    flow.findings.reason({ code: 'renamed-program', text: `makes a command name run something else (${name})` });
  const place = { via: name, span: flow.span ?? { start: 0, end: 0 } };
  const carried = namesProgram(name) && isKnown(value) ? value.text.replace(/^\|?-?/, '').trim() : '';
  if (carried !== '' && !USUAL_HELPER.test(carried)) walkText(known(carried), fork(flow), place);
  if (name === 'PROMPT_COMMAND') walkText(value, fork(flow), place);
  if (EXPANDED.has(name) && (!isKnown(value) || /\$[({]|`/.test(leadOf(value))))
    walkText(isKnown(value) ? known(`: "${value.text.replaceAll('"', '\\"')}"`) : value, fork(flow), place);
}

/** Sets a variable on this path and notes what setting it means. */
export function assignVariable(
  name: string,
  value: Word | undefined,
  flow: Flow,
  how: { readonly exported?: boolean; readonly elements?: readonly Word[] | undefined } = {},
): void {
  const before = flow.state.variables.get(name);
  const exported = how.exported ?? before?.exported ?? false;
  const weight = weightOf(name, value);
  if (weight === 'dangerous' || (weight === 'plain' && exported && !before?.exported)) {
    const detail = exported ? `exports ${name} to what runs next` : `sets ${name}`;
    flow.findings.effect({ kind: 'environment', target: known(name), detail });
  }
  // Every variable copies those before it.
  flow.findings.step(flow.state.variables.size >> 4);
  for (const given of how.elements ?? [value]) noteValue(name, given, flow);
  flow.state = withVariable(flow.state, name, { value, exported, ...(how.elements && { elements: how.elements }) });
}

/** Assignments that stand alone: they change the shell itself. */
export function applyAssignments(nodes: readonly Assignment[], flow: Flow): void {
  for (const node of nodes) {
    const { name, value, elements } = evaluateAssignment(node, flow);
    assignVariable(name, value, flow, { elements });
  }
}
