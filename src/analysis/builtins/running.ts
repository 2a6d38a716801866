import type { Word } from '../../contract/analysis.js';
import { type Call, effect, reason } from '../call.js';
import { dispatch } from '../commands.js';
import type { DraftProgram } from '../findings.js';
import { fork, MAX_DEPTH } from '../flow.js';
import { invokeProgram } from '../invoke.js';
import { resolveWord } from '../paths.js';
import { walkText } from '../scripts.js';
import { atAnyTime, changesOf, type Outcome, widen } from '../state.js';
import { concatWords, isKnown, known, leadOf } from '../word.js';
import { type Builtin, readOptions, splitAssignment } from './contract.js';
import { BUILTINS } from './index.js';

export const evaluate: Builtin = (call, program) => {
  const words = call.argv.slice(isKnown(call.argv[1]) && call.argv[1].text === '--' ? 2 : 1);
  program.tags.add('shell-code');
  program.tags.add('wrapper');
  const text = concatWords(words, ' ');
  if (!isKnown(text) && text.opaque === 'download') program.tags.add('net-to-shell');
  if (!isKnown(text)) program.effects.push(effect('code', undefined, 'eval runs text that only shows when it runs'));
  walkText(text, call.flow, { via: 'eval', span: call.span });
};

const standardInput = (file: Word, { stdin }: Call): Word | undefined =>
  isKnown(file) && /^\/(dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/.test(file.text) && stdin.kind === 'here'
    ? stdin.text
    : undefined;

export const source: Builtin = (call, program) => {
  const file = call.argv[1];
  if (!file) return;
  program.tags.add('shell-code');
  // Further words would become its parameters.
  const text = call.argv.length === 2 ? (call.printed?.get(file) ?? standardInput(file, call)) : undefined;
  if (text) {
    walkText(text, call.flow, { via: 'source', span: call.span });
    return;
  }
  // A name without a slash is looked up in PATH first.
  const looked = isKnown(file) && !file.text.includes('/') ? known(`./${file.text}`) : file;
  if (looked !== file) call.flow.findings.variables.add('PATH');
  for (const path of resolveWord(looked, call.flow.state.directories)) {
    program.effects.push(effect('code', path, 'runs a file in this shell'), effect('read', path, 'runs a file in this shell'));
    if (isKnown(path)) program.hashes = [...program.hashes, path.text];
  }
  program.opaque.push(reason('sourced-file', `runs in this shell what is in ${leadOf(file) || 'a file'}`, call.span));
};

/** exec: with words it replaces the shell, without it moves the shell's own descriptors. */
export const exec: Builtin = (call, program) => {
  if (tooDeep(call)) return;
  const { operands, unclear } = readOptions(call.argv.slice(1), 'cla:');
  if (operands.length === 0) {
    program.effects.push(effect('state', undefined, "redirects the shell's own input or output"));
    return;
  }
  if (!call.flow.beside) program.effects.push(effect('state', undefined, 'replaces the shell'));
  if (unclear) program.opaque.push(reason('unclear-option', 'gives exec a word that may be an option', call.span));
  invokeProgram({
    ...call,
    argv: operands,
    flow: fork(call.flow, { via: [...call.flow.via, 'exec'], depth: call.flow.depth + 1 }),
    node: undefined,
  });
  // Where it fails an interactive shell goes on.
};

function tooDeep({ flow }: Call): boolean {
  if (flow.depth < MAX_DEPTH) return false;
  flow.findings.reason(reason('too-complex', 'nests more wrappers than are analysed'));
  return true;
}

export const command: Builtin = (call, program) => {
  const { given, operands, unclear } = readOptions(call.argv.slice(1), 'pVv');
  if (given.has('v') || given.has('V')) return;
  if (unclear) program.opaque.push(reason('unclear-option', 'gives command a word that may be an option', call.span));
  if (operands.length === 0 || tooDeep(call)) return;
  program.tags.add('wrapper');
  const outcome = dispatch(
    { ...call, argv: operands, flow: fork(call.flow, { via: [...call.flow.via, 'command'], depth: call.flow.depth + 1 }) },
    { functions: false },
  );
  return outcome;
};

export const builtin: Builtin = (call, program): Outcome | undefined => {
  const words = call.argv.slice(isKnown(call.argv[1]) && call.argv[1].text === '--' ? 2 : 1);
  const name = words[0];
  if (!name) return undefined;
  program.tags.add('wrapper');
  if (!isKnown(name)) {
    program.opaque.push(reason('unknown-program', 'which builtin runs only shows when it runs', call.span));
    return undefined;
  }
  if (!Object.hasOwn(BUILTINS, name.text) || tooDeep(call)) return undefined;
  return dispatch(
    { ...call, argv: words, flow: fork(call.flow, { via: [...call.flow.via, 'builtin'], depth: call.flow.depth + 1 }) },
    { functions: false },
  );
};

export const trap: Builtin = (call, program) => {
  const words = call.argv.slice(1);
  const first = words[0];
  if (!first || (isKnown(first) && /^-[lp]/.test(first.text))) return;
  const [action, ...signals] = isKnown(first) && first.text === '--' ? words.slice(1) : words;
  if (!action) return;
  program.effects.push(effect('state', undefined, `sets what happens on ${signals.map(leadOf).join(' ') || 'a signal'}`));
  if (isKnown(action) && (action.text === '-' || action.text === '' || signals.length === 0)) return;
  // It may run at any time from now on: what is known here may not hold then, and what it sets is no longer certain.
  const before = call.flow.state;
  const later = atAnyTime(before);
  const inner = fork(call.flow, { state: later });
  walkText(action, inner, { via: 'trap', span: call.span });
  const moves = isKnown(action) && !/\b(cd|pushd|popd)\b/.test(action.text) ? before.directories : undefined;
  call.flow.state = widen(before, { ...changesOf(inner.state, later, before), directories: moves });
};

export const alias: Builtin = (call, program) => {
  for (const word of call.argv.slice(1)) {
    const { name, value } = splitAssignment(word);
    if (value === undefined) continue;
    program.effects.push(effect('state', known(name), `makes ${name} an alias`));
    const aliases = new Map(call.flow.state.aliases);
    aliases.set(name, value);
    call.flow.state = { ...call.flow.state, aliases };
  }
  if (call.argv.slice(1).some(word => !isKnown(word)))
    program.effects.push(effect('state', undefined, 'defines an alias that is not known'));
};

export const unalias: Builtin = (_, program) => {
  program.effects.push(effect('state', undefined, 'removes aliases'));
};

export const hash: Builtin = (call, program) => {
  const { given, operands, unclear } = readOptions(call.argv.slice(1), 'lrp:dt');
  if (given.has('p') || unclear) {
    program.effects.push(effect('state', operands[0], 'decides which file a command name runs'));
    program.opaque.push(reason('renamed-program', 'makes a command name run another file', call.span));
    const path = given.get('p');
    if (path) namedByHash(path, call);
  }
};

/** From now on the name runs this file: it is listed, so that a deny rule sees it. */
function namedByHash(path: NonNullable<Call['argv'][number]>, call: Call): void {
  invokeProgram({ ...call, argv: [path], flow: fork(call.flow, { via: [...call.flow.via, 'hash -p'] }), node: undefined });
}

export const enable: Builtin = (call, program: DraftProgram) => {
  if (call.argv.length === 1 || (isKnown(call.argv[1]) && /^-[aps]+$/.test(call.argv[1].text) && call.argv.length === 2)) return;
  program.effects.push(effect('state', undefined, 'switches builtins on or off'));
  if (call.argv.some(word => leadOf(word).startsWith('-') && leadOf(word).includes('f'))) {
    program.effects.push(effect('code', undefined, 'loads a builtin from a file'));
  }
};
