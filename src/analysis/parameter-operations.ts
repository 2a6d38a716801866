import type { Word } from '../contract/analysis.js';
import { evaluateArithmeticText } from './arithmetic.js';
import { assignVariable } from './assignments.js';
import { type Flow, fork } from './flow.js';
import type { ParameterExpansionPart, WordNode } from './parse.js';
import { joinStates } from './state.js';
import { isKnown, known, leadOf, unknown } from './word.js';
import { valueIn } from './words.js';

/** One `${…}` on its path. */
export interface Expansion {
  readonly part: ParameterExpansionPart;
  readonly flow: Flow;
  readonly how: 'quoted' | 'unquoted';
  /** The variable that `:=` sets. */
  readonly assigns?: string | undefined;
}

type Operation = NonNullable<ParameterExpansionPart['operation']>;
type Of<T extends Operation['type']> = Extract<Operation, { type: T }>;

/** What the operation makes of the value. Its operands are walked in any case. */
export function operate(expansion: Expansion, value: Word): Word {
  const { part, flow } = expansion;
  const { operation } = part;
  if (!operation) return value;
  switch (operation.type) {
    case 'Default':
      return withDefault(expansion, operation, value);
    case 'Slice': {
      const offset = evaluateArithmeticText(valueIn(operation.offset, flow), flow);
      const count = operation.length ? evaluateArithmeticText(valueIn(operation.length, flow), flow) : undefined;
      return slice(value, offset, count);
    }
    case 'Remove':
      return remove(operation.operator, value, patternIn(operation.operand, flow));
    case 'Replace':
      return replace(value, {
        operator: operation.operator,
        pattern: valueIn(operation.pattern, flow),
        by: valueIn(operation.replacement, flow),
      });
    case 'CaseModification':
      if (operation.operand) {
        valueIn(operation.operand, flow);
        return unknown('variable');
      }
      return changeCase(operation.operator, value);
    case 'Transform':
      return transform(operation.operand.text, value, flow);
    case 'Names':
      return unknown('variable');
    case 'Unknown':
      flow.findings.reason({ code: 'unparsable', text: `has an expansion that is not understood: ${part.text.slice(0, 60)}` });
      return unknown('unparsed');
  }
}

/** A pattern with quotes in it or from a variable is only followed where it holds no special character. */
function patternIn(operand: WordNode, flow: Flow): Word {
  const value = valueIn(operand, flow);
  return isKnown(value) && isPattern(value.text) && /["'\\$`]/.test(operand.text) ? unknown('variable') : value;
}

/** Does the parameter count as set (`:`: and not empty)? undefined: only the session knows. */
function isPresent({ part, flow }: Expansion, operator: string, value: Word): boolean | undefined {
  if (!isKnown(value)) return value.lead !== '' ? true : undefined;
  if (operator.startsWith(':')) return value.text !== '';
  const inText = flow.state.variables.get(part.parameter);
  return inText ? inText.value !== undefined : true;
}

function withDefault(expansion: Expansion, operation: Of<'Default'>, value: Word): Word {
  const { flow, assigns, part } = expansion;
  const present = isPresent(expansion, operation.operator, value);
  const kind = operation.operator.replace(':', '');
  const taken = present === undefined ? undefined : kind === '+' ? present : !present;
  // What the operand sets counts only where it is evaluated.
  const branch = fork(flow);
  const operand = operandValue(expansion, operation, branch);
  if (taken === undefined) flow.state = joinStates(flow.state, branch.state);
  else if (taken) flow.state = branch.state;
  if (kind === '?') return value;
  if (kind === '=' && assigns !== undefined && taken !== false)
    setDefault(assigns, taken && !part.index ? operand : unknown('variable'), flow);
  if (taken === undefined) return unknown('variable');
  return taken ? operand : kind === '+' ? known('') : value;
}

function setDefault(name: string, value: Word, flow: Flow): void {
  assignVariable(name, value, flow);
  flow.findings.effect({ kind: 'environment', target: known(name), detail: `\${${name}:=…} sets ${name}` });
}

/** The operand as a value. Where its own quotes decide how the result splits, it is not followed. */
function operandValue({ how }: Expansion, { operand }: Of<'Default'>, flow: Flow): Word {
  const value = valueIn(operand, flow);
  if (!isKnown(value)) return how === 'unquoted' && /['"\\]/.test(operand.text) ? unknown('variable') : value;
  if (how === 'quoted') return operand.text.includes('\\') ? unknown('variable') : value;
  return /['"\\]/.test(operand.text) && (value.text === '' || /[\s*?[]/.test(value.text)) ? unknown('variable') : value;
}

function slice(value: Word, offset: Word, length: Word | undefined): Word {
  if (!isKnown(value) || !isKnown(offset) || (length && !isKnown(length))) return unknown('variable');
  const from = Number(offset.text);
  const count = length ? Number((length as { text: string }).text) : undefined;
  const characters = [...value.text];
  if (!Number.isSafeInteger(from) || (count !== undefined && !Number.isSafeInteger(count))) return unknown('variable');
  const start = from < 0 ? characters.length + from : from;
  if (start < 0 || start > characters.length) return known('');
  const end = count === undefined ? characters.length : count < 0 ? characters.length + count : start + count;
  return end < start ? unknown('variable') : known(characters.slice(start, end).join(''));
}

const isPattern = (text: string): boolean => /[*?[\]\\+@!()]/.test(text);

/** More than this is not worth the tries. */
const MAX_TRIED = 128;

function remove(operator: '#' | '##' | '%' | '%%', value: Word, pattern: Word): Word {
  if (!isKnown(value) || !isKnown(pattern)) return unknown('variable');
  const { text } = value;
  if (isPattern(pattern.text)) return removeMatch(operator, text, pattern.text);
  if (operator.startsWith('#')) return known(text.startsWith(pattern.text) ? text.slice(pattern.text.length) : text);
  return known(text.endsWith(pattern.text) ? text.slice(0, text.length - pattern.text.length) : text);
}

/** Patterns of stars and question marks: the shortest or the longest piece that one matches is cut off. */
function removeMatch(operator: '#' | '##' | '%' | '%%', text: string, pattern: string): Word {
  if (
    /[[\]\\+@!()]/.test(pattern) ||
    text.length > MAX_TRIED ||
    pattern.split('*').length > 3 ||
    /[^\x20-\x7e]/.test(text + pattern)
  )
    return unknown('variable');
  const matched = new RegExp(
    `^${pattern
      .replace(/[.^${}|/]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.')}$`,
    's',
  );
  const front = operator.startsWith('#');
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  for (const length of lengths) {
    const piece = front ? text.slice(0, length) : text.slice(text.length - length);
    if (matched.test(piece)) return known(front ? text.slice(length) : text.slice(0, text.length - length));
  }
  return known(text);
}

interface Replacement {
  readonly operator: Of<'Replace'>['operator'];
  readonly pattern: Word;
  readonly by: Word;
}

function replace(value: Word, { operator, pattern, by }: Replacement): Word {
  if (!isKnown(value) || !isKnown(pattern) || !isKnown(by)) return unknown('variable');
  const isPlain = pattern.text !== '' && !isPattern(pattern.text) && !/[&\\]/.test(by.text);
  if (!isPlain) return unknown('variable');
  const { text } = value;
  if (operator === '/#') return known(text.startsWith(pattern.text) ? by.text + text.slice(pattern.text.length) : text);
  if (operator === '/%')
    return known(text.endsWith(pattern.text) ? text.slice(0, text.length - pattern.text.length) + by.text : text);
  const replaced = () => by.text;
  return known(operator === '//' ? value.text.replaceAll(pattern.text, replaced) : value.text.replace(pattern.text, replaced));
}

function changeCase(operator: Of<'CaseModification'>['operator'], value: Word): Word {
  if (!isKnown(value) || /[^\x20-\x7e]/.test(value.text)) return unknown('variable');
  const { text } = value;
  if (operator === '^^') return known(text.toUpperCase());
  if (operator === ',,') return known(text.toLowerCase());
  const first = operator === '^' ? text.slice(0, 1).toUpperCase() : text.slice(0, 1).toLowerCase();
  return known(first + text.slice(1));
}

const CASES: Readonly<Record<string, '^^' | ',,' | '^'>> = { U: '^^', L: ',,', u: '^' };

/** `${x@P}` expands the value as a prompt, commands included. */
function transform(operator: string, value: Word, flow: Flow): Word {
  if (operator !== 'P') {
    const change = Object.hasOwn(CASES, operator) ? CASES[operator]! : undefined;
    return change ? changeCase(change, value) : unknown('variable', '');
  }
  if (!isKnown(value) || /[$`\\!]/.test(leadOf(value))) {
    flow.findings.reason({ code: 'prompt-expansion', text: 'runs what a variable holds (`${…@P}`)' });
    return unknown('variable');
  }
  return value;
}
