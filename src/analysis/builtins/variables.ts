import type { Word } from '../../contract/analysis.js';
import { evaluateArithmeticText, referenceSubscript } from '../arithmetic.js';
import { assignVariable } from '../assignments.js';
import { type Call, effect, reason } from '../call.js';
import type { DraftProgram } from '../findings.js';
import type { Flow } from '../flow.js';
import { walkText } from '../scripts.js';
import { type ShellState, withVariable } from '../state.js';
import { concatWords, isKnown, known, leadOf, unknown } from '../word.js';
import { type Builtin, dead, readOptions, splitAssignment } from './contract.js';
import { prints } from './control.js';

interface Attributes {
  readonly exported: boolean | undefined;
  readonly integer: boolean;
  readonly nameref: boolean;
  readonly readonly: boolean;
  readonly local: boolean;
  /** `-a`, `-A`. */
  readonly array: boolean;
}

/** declare, typeset, local, export, readonly. */
export const declare: Builtin = (call, program) => {
  const name = isKnown(call.argv[0]) ? call.argv[0].text : '';
  const { given, operands, unclear, understood } = readOptions(call.argv.slice(1), '+aAfFgiIlnrtuxpc');
  const { flow } = call;
  // Outside of a function `local` only fails.
  if (name === 'local' && !flow.locals) return { ok: dead(flow.state), fail: flow.state };
  if (unclear || operands.some(word => !isKnown(word) && !/^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/.test(word.lead))) {
    flow.findings.reason(reason('evaluated-name', `gives ${name} a name or option that only shows when it runs`, call.span));
    program.effects.push(effect('environment', undefined, `${name} sets variables whose names are not known`));
  }
  if (given.has('f') || given.has('F')) {
    if (name === 'export' || given.has('x')) functionsEffect(operands, program);
    return undefined;
  }
  if (!understood) {
    // With an option that bash does not know, nothing at all is set.
    for (const word of operands) assignVariable(splitAssignment(word).name, unknown('variable'), flow);
    return undefined;
  }
  if (operands.length === 0) program.effects.push(effect('disclosure', undefined, 'prints variables of the session'));
  const attributes: Attributes = {
    exported:
      given.has('+x') || (name === 'export' && given.has('n')) ? false : name === 'export' || given.has('x') ? true : undefined,
    integer: given.has('i'),
    nameref: given.has('n') && name !== 'export',
    readonly: name === 'readonly' || given.has('r'),
    array: name !== 'export' && (given.has('a') || given.has('A')),
    local: (name === 'local' || name === 'declare' || name === 'typeset') && flow.locals !== undefined && !given.has('g'),
  };
  if ([...given.keys()].some(option => 'lucit'.includes(option))) {
    // An attribute that stays with the name and changes every value it gets.
    for (const word of operands)
      flow.state = withTransformed(flow.state, splitAssignment(word).name, given.has('i') ? 'integer' : 'case');
    program.effects.push(effect('state', operands[0], 'gives variables an attribute that changes their values'));
  }
  if (given.has('t')) program.effects.push(effect('state', undefined, 'traces functions'));
  for (const word of operands) declareOne(word, attributes, { call, program });
  return undefined;
};

const withTransformed = (state: ShellState, name: string, transformed: 'integer' | 'case'): ShellState =>
  withVariable(state, name, {
    value: unknown('variable'),
    exported: state.variables.get(name)?.exported ?? false,
    transformed,
  });

function functionsEffect(operands: readonly Word[], program: DraftProgram): void {
  for (const word of operands) program.effects.push(effect('environment', word, 'exports a function to what runs next'));
}

function declareOne(word: Word, attributes: Attributes, { call, program }: { call: Call; program: DraftProgram }): void {
  const { flow } = call;
  const { name: full, value, append } = splitAssignment(word);
  referenceSubscript(known(full), flow);
  const name = full.replace(/\[[\s\S]*/, '');
  if (!/^[A-Za-z_]\w*$/.test(name)) return;
  if (attributes.local) flow.locals?.add(name);
  if (attributes.readonly)
    program.effects.push(effect('state', known(name), `makes ${name} read-only for the rest of the session`));
  if (attributes.nameref) nameref(name, value, call);
  const before = flow.state.variables.get(name);
  if (value === undefined) {
    if (attributes.exported !== undefined || attributes.local || attributes.readonly) {
      const kept = before ? before.value : attributes.local ? undefined : unknown('variable');
      assignVariable(name, kept, flow, attributes.exported === undefined ? {} : { exported: attributes.exported });
    }
    return;
  }
  if (leadOf(value).startsWith('(') && !isArrayNode(call, full)) {
    // A quoted `x=(…)` is read again as an array, with everything that expands in it.
    const array = isKnown(value) ? known(`${name}=${value.text}`) : { ...value, lead: `${name}=${value.lead}` };
    walkText(array, flow, { span: call.span });
    return;
  }
  if (!isKnown(value) && value.lead === '' && mayBeArray(name, { attributes, call }) && !isArrayNode(call, full))
    flow.findings.reason(
      reason('evaluated-value', `may read the value of ${name} as an array, and such a value can run commands`, call.span),
    );
  const elements = assigned(call, full);
  const stored = append ? (before?.value ? concatWords([before.value, value], '') : unknown('variable')) : value;
  const result = attributes.integer ? evaluateArithmeticText(value, flow) : full === name ? stored : unknown('variable');
  assignVariable(name, elements ? (elements[0] ?? known('')) : result, flow, {
    ...(attributes.exported !== undefined && { exported: attributes.exported }),
    ...(elements && { elements }),
  });
}

/** Was `x=(…)` written without quotes, so that its elements were evaluated already? */
const isArrayNode = (call: Call, name: string): boolean =>
  call.node?.args.some(
    argument =>
      argument.type === 'Assignment' && argument.value.type === 'ArrayValue' && argument.name === name.replace(/\[[\s\S]*/, ''),
  ) ?? false;

/** Whether it is an array: what the command says, what the text did before, and outside of functions what the session did. */
function mayBeArray(name: string, { attributes, call }: { attributes: Attributes; call: Call }): boolean {
  if (attributes.array || call.flow.state.variables.get(name)?.elements) return true;
  const declares = isKnown(call.argv[0]) && /^(declare|typeset)$/.test(call.argv[0].text);
  return declares && !attributes.local;
}

/** Elements of `declare x=(…)`; what the words themselves do was walked when they were evaluated. */
function assigned(call: Call, name: string): readonly Word[] | undefined {
  const node = call.node?.args.find(argument => argument.type === 'Assignment' && argument.name === name);
  if (node?.type !== 'Assignment' || node.value.type !== 'ArrayValue') return undefined;
  const words = node.value.elements.map(element =>
    element.parts || /[\\{~*?[\]]/.test(element.text) ? unknown('variable') : known(element.text),
  );
  return words.every(isKnown) ? words : [unknown('variable')];
}

function nameref(name: string, value: Word | undefined, call: Call): void {
  call.flow.findings.reason(reason('nameref', `makes ${name} another name for a variable`, call.span));
  if (value) referenceSubscript(value, call.flow);
}

export const unset: Builtin = ({ argv, flow, span }, program) => {
  const { given, operands, understood } = readOptions(argv.slice(1), 'fvn');
  for (const word of operands) {
    referenceSubscript(word, flow);
    if (!isKnown(word)) continue;
    const name = word.text.replace(/\[[\s\S]*/, '');
    if (given.has('f')) {
      const functions = new Map(flow.state.functions);
      if (functions.delete(name)) flow.state = { ...flow.state, functions };
      program.effects.push(effect('state', known(name), `removes the function ${name}`));
    } else if (word.text === name && understood) assignVariable(name, undefined, flow);
    else assignVariable(name, unknown('variable'), flow);
  }
  if (operands.some(word => !isKnown(word)))
    program.effects.push(effect('environment', undefined, 'removes variables whose names are not known'));
  if (given.has('n')) flow.findings.reason(reason('nameref', 'removes a name reference', span));
};

/** Options of `set` that change how commands fail or what is printed, not what they mean. */
const HARMLESS_SET = /^[-+][euxvfCnb]+$/;
const KNOWN_SET = /^[-+][abefhikmnoprstuvxBCEHPT]+$/;
const HARMLESS_LONG = new Set(
  'errexit nounset xtrace verbose noglob noclobber pipefail errtrace functrace notify noexec ignoreeof'.split(' '),
);

export const set: Builtin = (call, program) => {
  const { argv, flow } = call;
  const words = argv.slice(1);
  if (words.length === 0) program.effects.push(effect('disclosure', undefined, 'prints variables of the session'));
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at]!;
    if (!isKnown(word)) {
      if (word.lead === '' || /^[-+]/.test(word.lead))
        program.effects.push(effect('state', undefined, 'sets an option that is not known'));
      break;
    }
    if (word.text === '--' || word.text === '-') {
      at += 1;
      break;
    }
    if (!/^[-+]/.test(word.text)) break;
    // With an option that bash does not know, nothing at all is set.
    if (!KNOWN_SET.test(word.text)) {
      flow.state = { ...flow.state, positional: undefined };
      return;
    }
    at += setOption(word.text, words[at + 1], program);
  }
  prints({ ...call, argv: [argv[0]!, ...words.slice(at)] }, program);
  if (at < words.length || words.some(word => isKnown(word) && word.text === '--')) setPositional(words.slice(at), flow);
};

/** Returns how many further words it took. */
function setOption(text: string, next: Word | undefined, program: DraftProgram): number {
  if (!text.includes('o')) {
    if (!HARMLESS_SET.test(text))
      program.effects.push(effect('state', known(text), 'changes how the shell reads or runs commands'));
    return 0;
  }
  const letters = text.replace('o', '');
  if (letters.length > 1 && !HARMLESS_SET.test(letters))
    program.effects.push(effect('state', known(text), 'changes how the shell reads or runs commands'));
  if (!next) return 0;
  if (!isKnown(next) || !HARMLESS_LONG.has(next.text))
    program.effects.push(effect('state', next, 'changes how the shell reads or runs commands'));
  return 1;
}

function setPositional(words: readonly Word[], flow: Flow): void {
  flow.state = { ...flow.state, positional: words.every(isKnown) ? words : undefined };
}

export const shift: Builtin = ({ argv, flow }) => {
  const count = argv[1] === undefined ? 1 : isKnown(argv[1]) && /^\d+$/.test(argv[1].text) ? Number(argv[1].text) : undefined;
  const { positional } = flow.state;
  const shifted =
    positional && count !== undefined ? (count <= positional.length ? positional.slice(count) : positional) : undefined;
  flow.state = { ...flow.state, positional: shifted };
};

export const letBuiltin: Builtin = ({ argv, flow }) => {
  for (const word of argv.slice(1)) evaluateArithmeticText(word, flow);
};
