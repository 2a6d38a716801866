import { posix } from 'node:path';
import type { Effect, Word } from '../contract/analysis.js';
import { standalone } from './builtins/index.js';
import { type Call, listProgram, plannedNames, reason } from './call.js';
import type { DraftProgram } from './findings.js';
import { fork, MAX_DEPTH, type Stdin } from './flow.js';
import { walkShell } from './scripts.js';
import type { CommandSpec, Invocation, Nested, Reading } from './spec.js';
import { type ShellState, withVariable } from './state.js';
import { displaced, isKnown, leadOf, unknown } from './word.js';

/** Directories whose programs are taken for what their name says; anything else with a slash is a stranger. */
const SYSTEM_DIRECTORY = /^\/(usr\/)?(local\/)?s?bin$|^\/opt\/homebrew\/bin$|^\/lib(64)?$/;

/** A program outside of the shell: looked up in the specs, its wrapped commands walked in their turn. */
export function invokeProgram(call: Call): void {
  const { flow } = call;
  const name = call.argv[0]!;
  if (!flow.findings.step(call.argv.length)) return;
  if (!isKnown(name)) {
    invokeUnknown(call, name);
    return;
  }
  for (const planned of plannedNames(name, flow)) invokeKnown(call, name.text, planned);
}

function invokeUnknown(call: Call, name: { readonly opaque: string; readonly lead: string }): void {
  const program = listProgram(call);
  program.specified = false;
  program.opaque.push(reason('unknown-program', `which program runs only shows when it runs (${name.opaque})`, call.span));
  // Its arguments may still be another command's words: `$SUDO rm -rf x`.
  const rest = call.argv.slice(1);
  if (name.lead === '' && isKnown(rest[0]) && !rest[0].text.startsWith('-') && call.flow.depth < MAX_DEPTH) {
    invokeProgram({ ...call, argv: rest, flow: fork(call.flow, { via: [...call.flow.via, '$…'], depth: call.flow.depth + 1 }) });
  }
}

function invokeKnown(call: Call, typed: string, planned: Word): void {
  const { flow } = call;
  const program = listProgram(call, planned);
  const path = isKnown(planned) && planned.text.startsWith('/') ? planned.text : undefined;
  if (typed === '') program.opaque.push(reason('empty-name', 'starts a program whose name is empty', call.span));
  if (path === undefined && !typed.includes('/')) {
    if (!flow.elsewhere) flow.findings.names.add(typed);
    if (flow.state.variables.has('PATH') || call.env.has('PATH')) {
      program.opaque.push(reason('path-changed', 'is looked up in a PATH that this line sets', call.span));
    }
  } else pathReasons(program, path);
  const base = posix.basename(typed);
  const spec = specOf(call, base, program);
  const ownSpec = standalone(base);
  program.specified =
    (spec !== undefined || ownSpec !== undefined) && (path === undefined || SYSTEM_DIRECTORY.test(posix.dirname(path)));
  if (typed.includes('/') && path === undefined) program.specified = false;
  if (!spec) {
    ownSpec?.(call, program);
    return;
  }
  let reading: Reading;
  try {
    reading = spec.read(invocationOf(call));
  } catch (error) {
    specFailed(program, error);
    return;
  }
  take(reading, program, call);
  for (const nested of reading.nested) invokeNested(nested, call);
}

function specFailed(program: DraftProgram, error: unknown): void {
  program.specified = false;
  program.opaque.push(
    reason('spec-failed', `could not be analysed: ${error instanceof Error ? error.message : String(error)}`, program.span),
  );
}

/** A table that does not load fails for its own programs only. */
function specOf({ flow }: Call, base: string, program: DraftProgram): CommandSpec | undefined {
  try {
    return flow.specs(base);
  } catch (error) {
    specFailed(program, error);
    return undefined;
  }
}

function pathReasons(program: DraftProgram, path: string | undefined): void {
  if (path === undefined) {
    program.opaque.push(reason('unknown-directory', 'is a path in a directory that only shows when it runs', program.span));
    return;
  }
  if (/^\/(proc|dev|sys)\//.test(path)) program.opaque.push(reason('special-path', `${path} may be any program`, program.span));
  if (!SYSTEM_DIRECTORY.test(posix.dirname(path))) program.hashes = [path];
}

function invocationOf(call: Call): Invocation {
  const env = new Map<string, Word>();
  for (const [name, variable] of call.flow.state.variables)
    if (variable.exported && variable.value) env.set(name, variable.value);
  for (const [name, value] of call.env) env.set(name, value);
  const { argv, printed, stdin } = call;
  return { argv, cwd: call.flow.state.directories, home: call.flow.home, env, stdin, ...(printed && { printed }) };
}

function take(reading: Reading, program: DraftProgram, call: Call): void {
  const { flow } = call;
  if (!flow.findings.stepEffects(reading.effects.length)) {
    program.specified = false;
    return;
  }
  // Elsewhere its paths are not ours; that it runs there at all is an effect of what sent it.
  const isFile = ({ kind }: Effect) => kind === 'read' || kind === 'write';
  // A pipe to a command that is listed itself is no file.
  const isPipe = ({ target }: Effect) => target !== undefined && !isKnown(target) && target.opaque === 'process-substitution';
  program.effects.push(...reading.effects.filter(effect => !isFile(effect) || !(flow.elsewhere || isPipe(effect))));
  for (const tag of reading.tags) program.tags.add(tag);
  program.opaque.push(...reading.opaque.map(given => (given.span ? given : { ...given, span: call.span })));
  if (flow.elsewhere) return;
  if (reading.nested.length > 0 && reading.effects.length === 0 && reading.opaque.length === 0) program.tags.add('wrapper');
  program.hashes = [...program.hashes, ...reading.hashes];
  program.folders = [...program.folders, ...reading.folders];
  program.undashed = [...program.undashed, ...reading.undashed];
  for (const name of reading.variables) flow.findings.variables.add(name);
  if (call.argv.some(word => leadOf(word).includes('..')))
    for (const directory of reading.entered ?? []) flow.findings.crossed.add(directory);
  for (const word of call.argv) flow.findings.climbs(flow.state.directories, word);
}

function nestedState(nested: Nested, call: Call): ShellState {
  let { state } = call.flow;
  for (const [name, value] of call.env) state = withVariable(state, name, { value, exported: true });
  if (!('argv' in nested)) return state;
  if ('cwd' in nested) state = { ...state, directories: nested.cwd };
  for (const [name, value] of nested.env ?? []) state = withVariable(state, name, { value, exported: true });
  return state;
}

function invokeNested(nested: Nested, call: Call): void {
  const { flow } = call;
  if (flow.depth >= MAX_DEPTH) {
    flow.findings.reason(reason('too-complex', 'nests more wrappers than are analysed'));
    return;
  }
  // What a wrapper has begun to read is no longer whole for what it starts.
  const stdin: Stdin = call.stdin.names === undefined ? call.stdin : { kind: call.stdin.kind };
  const inner = fork(flow, {
    state: nestedState(nested, call),
    depth: flow.depth + 1,
    elsewhere: flow.elsewhere || nested.elsewhere === true,
    span: call.span,
    stdin,
  });
  if ('script' in nested) {
    walkShell(nested, inner, { via: nested.via, span: call.span });
    return;
  }
  const lacksUnknown = nested.unknownArguments && nested.argv.every(isKnown);
  const isMoved = 'cwd' in nested && nested.cwd?.join('\0') !== flow.state.directories?.join('\0');
  const words = isMoved ? nested.argv.map(displaced) : nested.argv;
  const argv = lacksUnknown ? [...words, unknown('arguments')] : words;
  if (argv.length === 0) return;
  noteEnvironment(nested, inner);
  invokeProgram({ ...call, argv, stdin, flow: fork(inner, { via: [...flow.via, nested.via] }), env: new Map(), node: undefined });
}

function noteEnvironment(nested: Nested, flow: Call['flow']): void {
  if (!('argv' in nested) || flow.elsewhere) return;
  for (const [name, value] of nested.env ?? []) flow.findings.prefix(name, value);
}
