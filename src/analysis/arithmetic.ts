import type { Word } from '../contract/analysis.js';
import { assignVariable } from './assignments.js';
import { type Flow, fork, MAX_DEPTH } from './flow.js';
import { type ArithmeticExpression, parseNow } from './parse.js';
import { joinStates, perhapsChanged, type Variable } from './state.js';
import { substitutionValue } from './substitution.js';
import { isKnown, known, leadOf, unknown } from './word.js';
import { valueIn } from './words.js';

const NAME = /^[A-Za-z_]\w*$/;
const INTEGER = /^[+-]?(?:0|[1-9]\d*)$/;
const ASSIGNS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '<<=', '>>=', '&=', '^=', '|=']);

/** Visits an arithmetic expression as the commands and assignments it holds. Known integers come back as themselves. */
export function visitArithmetic(expression: ArithmeticExpression, flow: Flow): Word {
  const before = flow.state;
  const value = visit(expression, flow);
  if (flow.state !== before && mayStop(expression)) flow.state = perhapsChanged(before, flow.state);
  return value;
}

/** Can an error end it half way? What stands behind the error was then not assigned. */
function mayStop(expression: ArithmeticExpression): boolean {
  switch (expression.type) {
    case 'ArithmeticBinary': {
      const { operator, left, right } = expression;
      if (ASSIGNS.has(operator) && !isPlace(left)) return true;
      const divides = /^(?:\/|%|\*\*)/.test(operator);
      return (divides && !isDivisor(right)) || mayStop(left) || mayStop(right);
    }
    case 'ArithmeticUnary':
      return (/\+\+|--/.test(expression.operator) && !isPlace(expression.operand)) || mayStop(expression.operand);
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].some(mayStop);
    case 'ArithmeticGroup':
      return mayStop(expression.expression);
    default:
      return false;
  }
}

const isPlace = (expression: ArithmeticExpression): boolean =>
  expression.type === 'ArithmeticWord' && /^[A-Za-z_]/.test(expression.value);
const isDivisor = (expression: ArithmeticExpression): boolean =>
  expression.type === 'ArithmeticWord' && /^[1-9]\d*$/.test(expression.value);

function visit(expression: ArithmeticExpression, flow: Flow): Word {
  if (!flow.findings.step()) return unknown('number');
  switch (expression.type) {
    case 'ArithmeticBinary': {
      if (expression.operator === '&&' || expression.operator === '||') {
        visit(expression.left, flow);
        perhaps(expression.right, flow);
        return unknown('number');
      }
      const assigns = ASSIGNS.has(expression.operator);
      const left = assigns && expression.operator === '=' ? target(expression.left, flow) : visit(expression.left, flow);
      const right = visit(expression.right, flow);
      const result = assigns && expression.operator === '=' ? right : compute(expression.operator.replace(/=$/, ''), left, right);
      if (assigns) assign(expression.left, result, flow);
      return result;
    }
    case 'ArithmeticUnary': {
      const operand = visit(expression.operand, flow);
      if (expression.operator === '++' || expression.operator === '--') assign(expression.operand, unknown('number'), flow);
      return expression.operator === '-' && isKnown(operand) && INTEGER.test(operand.text)
        ? known(String(-Number(operand.text)))
        : unknown('number');
    }
    case 'ArithmeticTernary':
      visit(expression.test, flow);
      perhaps(expression.consequent, flow);
      perhaps(expression.alternate, flow);
      return unknown('number');
    case 'ArithmeticGroup':
      return visit(expression.expression, flow);
    case 'ArithmeticCommandExpansion':
      if (expression.script) untrusted(substitutionValue(expression.script, flow), flow);
      return unknown('number');
    case 'ArithmeticWord':
      return operand(expression, flow);
  }
}

/** A part that is evaluated or not: what it assigns may have happened. */
function perhaps(expression: ArithmeticExpression, flow: Flow): void {
  const branch = fork(flow);
  visit(expression, branch);
  flow.state = joinStates(flow.state, branch.state);
}

type ArithmeticWord = Extract<ArithmeticExpression, { type: 'ArithmeticWord' }>;

/** The left side of `=`: its subscript is evaluated, its value is not. */
function target(expression: ArithmeticExpression, flow: Flow): Word {
  if (expression.type === 'ArithmeticWord' && NAME.test(expression.value)) return unknown('number');
  return visit(expression, flow);
}

function operand(word: ArithmeticWord, flow: Flow): Word {
  const text = word.value.trim();
  if (INTEGER.test(text)) return known(text);
  if (NAME.test(text) && !word.parts) return arithmeticVariable(text, flow);
  // Anything else is text that bash expands first and evaluates then: `a[i]`, `$x`, `${x}y`, `16#ff`.
  const subscript = /^([A-Za-z_]\w*)\[([\s\S]*)\]$/.exec(text);
  if (subscript && !word.parts) {
    evaluateArithmeticText(known(subscript[2]!), flow);
    return arithmeticElement(subscript[1]!, flow);
  }
  if (word.parts) {
    const node = { type: 'Word', text: word.value, value: word.value, pos: word.pos, end: word.end, parts: word.parts } as const;
    const only = word.parts[0];
    if (word.parts.length === 1 && only?.type === 'SimpleExpansion' && NAME.test(only.text.slice(1))) {
      return arithmeticVariable(only.text.slice(1), flow);
    }
    const value = valueIn(node, flow);
    return isKnown(value) ? evaluateArithmeticText(value, flow) : untrusted(value, flow);
  }
  if (!/^[\w#@.'"]*$/.test(text)) evaluateLater(flow);
  return unknown('number');
}

/** A value that the text does not fix, evaluated as arithmetic: digits are harmless, anything else may be a command. */
function untrusted(value: Word, flow: Flow): Word {
  if (isKnown(value)) return evaluateArithmeticText(value, flow);
  if (value.opaque === 'number') return value;
  evaluateLater(flow);
  return unknown('number');
}

function evaluateLater(flow: Flow): void {
  flow.findings.reason({
    code: 'evaluated-value',
    text: 'evaluates as arithmetic a value that only shows when it runs, and such a value can run commands',
  });
}

/** A variable whose value is evaluated as arithmetic. What the session holds there is a question for the facts. */
export function arithmeticVariable(name: string, flow: Flow): Word {
  const inText = flow.state.variables.get(name);
  if (inText) return inText.value === undefined ? known('0') : untrusted(inText.value, flow);
  flow.findings.variables.add(name);
  flow.findings.numeric.add(name);
  return unknown('number');
}

/** An element is evaluated like a variable; which one it is only shows when it runs, so each of them counts. */
function arithmeticElement(name: string, flow: Flow): Word {
  const inText = flow.state.variables.get(name);
  if (!inText) return arithmeticVariable(name, flow);
  for (const element of inText.elements ?? (inText.value ? [inText.value] : [])) untrusted(element, flow);
  return unknown('number');
}

/** Text that is no expression: bash evaluates the names in it until it comes to where it is wrong. */
export function arithmeticNames(text: string, flow: Flow): void {
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) if (flow.findings.step()) arithmeticVariable(name, flow);
}

function assign(to: ArithmeticExpression, value: Word, flow: Flow): void {
  if (to.type !== 'ArithmeticWord') return;
  const name = /^[A-Za-z_]\w*/.exec(to.value)?.[0];
  if (name === undefined) return;
  const before = flow.state.variables.get(name);
  const stored = name === to.value ? value : unknown(isNumber(value) && before && holdsNumbers(before) ? 'number' : 'variable');
  assignVariable(name, stored, flow);
}

const isNumber = (word: Word): boolean => (isKnown(word) ? INTEGER.test(word.text) : word.opaque === 'number');
const holdsNumbers = ({ value, elements }: Variable): boolean =>
  (elements ?? (value ? [value] : [])).every(isNumber) && (elements !== undefined || value === undefined || isNumber(value));

function compute(operator: string, left: Word, right: Word): Word {
  if (!isKnown(left) || !isKnown(right) || !INTEGER.test(left.text) || !INTEGER.test(right.text)) return unknown('number');
  const [a, b] = [Number(left.text), Number(right.text)];
  const value = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : Number.NaN;
  return Number.isSafeInteger(value) ? known(String(value)) : unknown('number');
}

/** Text that bash evaluates as arithmetic when it runs: `let`, `declare -i`, `[[ -eq ]]`, a subscript. */
export function evaluateArithmeticText(value: Word, flow: Flow): Word {
  if (!isKnown(value)) {
    if (value.opaque === 'number') return value;
    if (leadOf(value) === '' && value.opaque === 'glob') return unknown('number');
    evaluateLater(flow);
    return unknown('number');
  }
  const text = value.text.trim();
  if (text === '') return known('0');
  if (INTEGER.test(text)) return known(text);
  if (NAME.test(text)) return arithmeticVariable(text, flow);
  if (flow.depth >= MAX_DEPTH) {
    evaluateLater(flow);
    return unknown('number');
  }
  const { script, reasons } = parseNow(`((${text}))`);
  const command = script?.commands[0]?.command;
  if (reasons.length > 0 || script?.commands.length !== 1 || command?.type !== 'ArithmeticCommand' || !command.expression) {
    if (/^[\w #.+\-*/%]*$/.test(text)) arithmeticNames(text, flow);
    else evaluateLater(flow);
    return unknown('number');
  }
  const inner = fork(flow, { depth: flow.depth + 1, source: `((${text}))`, span: flow.span ?? { start: 0, end: 0 } });
  const result = visitArithmetic(command.expression, inner);
  flow.state = inner.state;
  return result;
}

/** A text used as a variable's name (`-v`, `printf -v`, `read`, `unset`): its subscript is expanded and evaluated. */
export function referenceSubscript(reference: Word, flow: Flow): void {
  const text = leadOf(reference);
  if (!isKnown(reference)) {
    if (reference.opaque === 'number') return;
    flow.findings.reason({ code: 'evaluated-name', text: 'uses as the name of a variable a value that only shows when it runs' });
    return;
  }
  const open = text.indexOf('[');
  if (open < 0) return;
  const inside = text.slice(open + 1, text.endsWith(']') ? -1 : undefined);
  if (inside === '@' || inside === '*') return;
  // A key of an associative array is expanded too; read as arithmetic both are covered, what is neither is opaque.
  evaluateArithmeticText(known(inside), flow);
}
