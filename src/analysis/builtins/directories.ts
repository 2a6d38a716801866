import type { Word } from '../../contract/analysis.js';
import { type Call, effect, reason } from '../call.js';
import type { DraftProgram } from '../findings.js';
import { lookup } from '../parameters.js';
import { resolvePath, resolveWord } from '../paths.js';
import type { Outcome, ShellState } from '../state.js';
import { displaced, isKnown, known, unknown } from '../word.js';
import { type Builtin, readOptions } from './contract.js';

/** bash keeps these two up to date, whatever the text has put in them. */
function forgetPlaces(state: ShellState): ShellState {
  if (!state.variables.has('PWD') && !state.variables.has('OLDPWD')) return state;
  const variables = new Map(state.variables);
  for (const name of ['PWD', 'OLDPWD']) variables.delete(name);
  return { ...state, variables };
}

/** Variables and parameters as they are worth in another directory. */
function forgetMatches(state: ShellState): ShellState {
  const variables = new Map(state.variables);
  for (const [name, variable] of variables) {
    const { value, elements } = variable;
    if ([value, ...(elements ?? [])].every(word => word === undefined || displaced(word) === word)) continue;
    variables.set(name, {
      ...variable,
      value: value && displaced(value),
      ...(elements && { elements: elements.map(displaced) }),
    });
  }
  return { ...state, variables, positional: state.positional?.map(displaced) };
}

/** A longer path can hardly be entered, and a thousand steps would make each of them longer. */
const MAX_PATH = 1024;

/** Goes to `target`, or stays where it is when it cannot. */
function enter(target: Word, call: Call, program: DraftProgram): Outcome {
  const { flow } = call;
  const before = forgetPlaces(flow.state);
  const moved = forgetMatches(before);
  if (!isKnown(target) || target.text === '-') {
    if (isKnown(target)) flow.findings.variables.add('OLDPWD');
    else
      for (const path of resolveWord(target, before.directories))
        program.effects.push(effect('read', path, 'enters a directory'));
    return { ok: { ...moved, directories: undefined }, fail: before };
  }
  const relative = !/^(\/|\.\.?(\/|$))/.test(target.text);
  if (relative && before.variables.has('CDPATH')) {
    program.opaque.push(reason('cdpath', 'a directory that CDPATH, set in this line, decides', call.span));
    return { ok: { ...moved, directories: undefined }, fail: before };
  }
  if (relative) flow.findings.variables.add('CDPATH');
  if (!before.directories && !target.text.startsWith('/')) return { ok: before, fail: before };
  const entered = [...new Set((before.directories ?? ['/']).map(directory => resolvePath(directory, target.text)))].sort();
  if (entered.some(directory => directory.length > MAX_PATH)) {
    program.effects.push(effect('read', unknown('variable'), 'enters a directory'));
    return { ok: { ...moved, directories: undefined }, fail: before };
  }
  for (const directory of entered) {
    program.effects.push(effect('read', known(directory), 'enters a directory'));
    if (!flow.elsewhere) flow.findings.crossed.add(directory);
  }
  return { ok: { ...moved, directories: entered }, fail: before };
}

export const cd: Builtin = (call, program) => {
  const { operands, understood } = readOptions(call.argv.slice(1), 'LPe@');
  if (!understood) return { ok: call.flow.state, fail: call.flow.state };
  if (operands.length > 1 && operands.every(isKnown)) return { ok: call.flow.state, fail: call.flow.state };
  const target = operands[0] ?? lookup('HOME', call.flow);
  // An empty operand stays where it is.
  return isKnown(target) && target.text === '' ? undefined : enter(target, call, program);
};

export const pushd: Builtin = (call, program) => {
  const { operands } = readOptions(call.argv.slice(1), 'n');
  const target = operands[0];
  if (target && isKnown(target) && !/^[+-]\d+$/.test(target.text)) return enter(target, call, program);
  return enter(unknown('variable'), call, program);
};

export const popd: Builtin = ({ flow }) => ({
  ok: { ...forgetMatches(forgetPlaces(flow.state)), directories: undefined },
  fail: flow.state,
});
