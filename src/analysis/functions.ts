import { type Call, listProgram, reason } from './call.js';
import { type Flow, fork, MAX_DEPTH } from './flow.js';
import type { FunctionNode } from './parse.js';
import { atAnyTime, either, joinStates, type KnownFunction, type Outcome, type ShellState } from './state.js';
import { walkFramed, walkNode } from './walk.js';
import { isKnown, known } from './word.js';

export function defineFunction(node: FunctionNode, flow: Flow): void {
  const name = node.name.text;
  const definition: KnownFunction = { body: node.body, source: flow.source, span: flow.span };
  // Every function copies those before it.
  flow.findings.step(flow.state.functions.size >> 4);
  const functions = new Map(flow.state.functions);
  functions.set(name, [definition]);
  flow.findings.effect({ kind: 'state', target: known(name), detail: `defines the function ${name}` });
  flow.findings.defined.set(definition, flow);
  flow.state = { ...flow.state, functions };
}

/** Bodies that nothing called: they stay in the session, so what they would run is named, wherever and with whatever. */
export function walkUncalled(flow: Flow): void {
  for (const [definition, where] of flow.findings.defined) {
    if (flow.findings.called.has(definition)) continue;
    if (!flow.findings.step(where.state.variables.size >> 4)) return;
    flow.findings.called.add(definition);
    walkBody(
      definition,
      fork(where, {
        state: atAnyTime(where.state),
        source: definition.source,
        span: definition.span,
        loop: undefined,
        locals: new Set(),
      }),
    );
  }
}

const walkBody = (definition: KnownFunction, flow: Flow): Outcome =>
  walkFramed(inner => walkNode(definition.body, inner), flow, 'call');

/** Calls a function of the text. undefined: it is not certain to be one, so what else the name means counts too. */
export function callFunction(call: Call, bodies: readonly (KnownFunction | undefined)[]): Outcome {
  const { flow } = call;
  const name = isKnown(call.argv[0]) ? call.argv[0].text : '';
  if (flow.calling.includes(name) || flow.depth >= MAX_DEPTH) {
    noteRecursion(call, name);
    return either(flow.state);
  }
  let result: Outcome | undefined;
  for (const definition of bodies) {
    if (!definition) continue;
    flow.findings.called.add(definition);
    const outcome = callOne(call, definition, name);
    result = result ? { ok: joinStates(result.ok, outcome.ok), fail: joinStates(result.fail, outcome.fail) } : outcome;
  }
  return result ?? either(flow.state);
}

function callOne(call: Call, definition: KnownFunction, name: string): Outcome {
  const { flow } = call;
  const before = flow.state;
  const locals = new Set<string>();
  const inner = fork(flow, {
    state: { ...before, positional: call.argv.slice(1).every(isKnown) ? call.argv.slice(1) : undefined },
    source: definition.source,
    span: definition.span,
    calling: [...flow.calling, name],
    depth: flow.depth + 1,
    loop: undefined,
    stdin: call.stdin,
    locals,
  });
  const outcome = walkBody(definition, inner);
  const restore = (state: ShellState): ShellState => restoreLocals(state, before, locals);
  return { ok: restore(outcome.ok), fail: restore(outcome.fail) };
}

/** `local` ends with the call: the caller's variables and parameters are back. */
function restoreLocals(state: ShellState, before: ShellState, locals: ReadonlySet<string>): ShellState {
  if (locals.size === 0) return { ...state, positional: before.positional };
  const variables = new Map(state.variables);
  for (const name of locals) {
    const old = before.variables.get(name);
    if (old) variables.set(name, old);
    else variables.delete(name);
  }
  return { ...state, variables, positional: before.positional, splitting: locals.has('IFS') ? 'unknown' : state.splitting };
}

function noteRecursion(call: Call, name: string): void {
  const program = listProgram(call);
  program.specified = false;
  program.opaque.push(reason('recursion', `the function ${name} calls itself`, call.span));
  if (call.flow.beside) program.tags.add('fork-bomb');
}
