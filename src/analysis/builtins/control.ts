import { referenceSubscript } from '../arithmetic.js';
import { assignVariable } from '../assignments.js';
import { effect, reason } from '../call.js';
import { escapeTo, fork, MAX_DEPTH } from '../flow.js';
import { invokeProgram } from '../invoke.js';
import { resolveWord } from '../paths.js';
import { isKnown, known, leadOf, unknown } from '../word.js';
import { type Builtin, dead, readOptions } from './contract.js';

/** Prints or looks at what the shell knows, and no more. */
export const plain: Builtin = () => undefined;

/** Prints its words: a pattern among them shows the names of a directory, as `ls` would. */
export const prints: Builtin = ({ argv, flow }, program) => {
  if (flow.elsewhere) return;
  for (const word of argv.slice(1)) {
    if (isKnown(word) || word.opaque !== 'glob' || !/^\/|(^|\/)\.\.\//.test(word.lead)) continue;
    for (const path of resolveWord(word, flow.state.directories))
      program.effects.push(effect('read', isKnown(path) ? known(path.text.replace(/\/\*\*$/, '') || '/') : path, 'names in it'));
  }
};

export const succeed: Builtin = ({ flow }) => ({ ok: flow.state, fail: dead(flow.state) });
export const fail: Builtin = ({ flow }) => ({ ok: dead(flow.state), fail: flow.state });

const gone: Builtin = ({ flow }) => ({ ok: dead(flow.state), fail: dead(flow.state) });
export const leave: Builtin = gone;

// Outside of a function, and `break` outside of a loop, they only complain, and the next command runs.
export const returnFrom: Builtin = (call, program) => {
  if (!call.flow.call) return undefined;
  escapeTo(call.flow.call, call.flow.state);
  return gone(call, program);
};

/** break and continue leave as many loops as they are told; how many is not told apart when it is not known. */
export const breakLoop: Builtin = (call, program) => {
  if (!call.flow.loop) return undefined;
  const [, count] = call.argv;
  const levels =
    count === undefined ? 1 : isKnown(count) && /^\d{1,4}$/.test(count.text) ? Number(count.text) : Number.POSITIVE_INFINITY;
  escapeTo(call.flow.loop, call.flow.state, levels);
  return gone(call, program);
};

/** `wait -p name`: the name's subscript is evaluated. */
export const wait: Builtin = ({ argv, flow }) => {
  const { given, unclear, understood } = readOptions(argv.slice(1), 'fnp:');
  const name = given.get('p');
  if (name) {
    referenceSubscript(name, flow);
    if (isKnown(name)) assignVariable(name.text.replace(/\[.*/s, ''), unknown(understood ? 'number' : 'variable'), flow);
  }
  if (unclear) flow.findings.reason(reason('unclear-option', 'gives wait a word that may be an option'));
};

export const jobs: Builtin = (call, program) => {
  const { argv, flow } = call;
  const runs = argv.findIndex(word => leadOf(word) === '-x');
  if (runs >= 0) {
    const words = argv.slice(runs + 1);
    if (words.length > 0 && flow.depth < MAX_DEPTH)
      invokeProgram({
        ...call,
        argv: words,
        flow: fork(flow, { via: [...flow.via, 'jobs -x'], depth: flow.depth + 1 }),
        node: undefined,
      });
    flow.findings.reason(reason('unclear-option', 'jobs -x runs a command'));
    program.effects.push(effect('exec', undefined, 'jobs -x runs a command'));
  }
};

export const job: Builtin = (_, program) => {
  program.effects.push(effect('process', undefined, 'moves or ends a job of this shell'));
};

export const kill: Builtin = ({ argv }, program) => {
  const first = leadOf(argv[1] ?? { text: '' });
  if (/^-(l|L|-list|-table)$/.test(first)) return;
  const onlyAsks = first === '-0' || (first === '-s' && leadOf(argv[2] ?? { text: '' }) === '0');
  // Signal 0 only asks whether the process exists.
  if (onlyAsks) return;
  program.effects.push(effect('process', argv.at(-1), 'signals a process'));
  program.tags.add('kill');
  if (argv.slice(2).some(word => isKnown(word) && word.text === '-1')) program.tags.add('power');
};
