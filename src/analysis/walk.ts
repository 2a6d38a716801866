import { visitArithmetic } from './arithmetic.js';
import { assignVariable } from './assignments.js';
import { runCommand } from './commands.js';
import { type Flow, type Frame, fork, markBegun, type Stdin, separate, spanOf } from './flow.js';
import { foundNames } from './found-names.js';
import { defineFunction } from './functions.js';
import { walkCase, walkCountedLoop, walkFor, walkIf, walkSelect, walkWhile } from './loops.js';
import { noteNetwork } from './neighbours.js';
import type { CompoundList, FunctionBody, ParsedScript, Redirected, Statement } from './parse.js';
import { printedBy } from './printed.js';
import { applyRedirections, mayFail } from './redirections.js';
import { after, either, joinStates, type Outcome, orUnrun } from './state.js';
import { visitTest } from './tests.js';
import { isKnown, unknown } from './word.js';

type Node = Statement['command'] | FunctionBody;

/** Walks a parsed script on this path. Positions in decoded backticks mean nothing outside, so they keep their place. */
export function walkScript(script: ParsedScript, flow: Flow): void {
  if (script.source === undefined) {
    flow.state = after(walkStatements(script.commands, flow));
    return;
  }
  const inner = fork(flow, { source: script.source, span: spanOf(flow, script) });
  flow.state = after(walkStatements(script.commands, inner));
}

export const walkList = (list: CompoundList, flow: Flow): Outcome => walkStatements(list.commands, flow);

function walkStatements(statements: readonly Statement[], flow: Flow): Outcome {
  let outcome = either(flow.state);
  for (const statement of statements) {
    if (!flow.findings.step()) return either(flow.state);
    flow.state = after(outcome);
    if (statement.background) {
      // Both go on reading, and who comes first is not said.
      markBegun(flow.stdin);
      walkNode(statement.command, beside(flow, flow.stdin));
      outcome = either(flow.state);
    } else outcome = walkNode(statement.command, flow);
  }
  return outcome;
}

/** A process of its own beside this one: it starts with our state, and ours does not feel what it does. */
const beside = (flow: Flow, stdin: Stdin): Flow => separate(flow, { stdin, beside: true });

/** Walks one command. The path's state is what it began with; the outcome is what it leaves. */
export function walkNode(node: Node, flow: Flow): Outcome {
  switch (node.type) {
    case 'Command':
      return runCommand(node, flow);
    case 'AndOr':
      return walkAndOr(node, flow);
    case 'Pipeline':
      return walkPipeline(node, flow);
    case 'CompoundList':
      return walkList(node, flow);
    case 'BraceGroup':
      return walkList(node.body, flow);
    case 'Subshell': {
      walkList(node.body, separate(flow));
      return either(flow.state);
    }
    case 'Redirected':
      return walkRedirected(node, flow);
    case 'If':
      return walkIf(node, flow);
    case 'While':
      return walkWhile(node, flow);
    case 'For':
      return walkFor(node, flow);
    case 'Select':
      return walkSelect(node, flow);
    case 'ArithmeticFor':
      return walkCountedLoop(node, flow);
    case 'Case':
      return walkCase(node, flow);
    case 'Function':
      defineFunction(node, flow);
      return either(flow.state);
    case 'Coproc':
      walkNode(node.body, beside(flow, { kind: 'unknown' }));
      assignVariable(node.name?.text ?? 'COPROC', unknown('number'), flow);
      return either(flow.state);
    case 'TestCommand':
      visitTest(node.expression, flow);
      return either(flow.state);
    case 'ArithmeticCommand':
      if (node.expression) visitArithmetic(node.expression, flow);
      return either(flow.state);
  }
}

function walkAndOr(node: Extract<Node, { type: 'AndOr' }>, flow: Flow): Outcome {
  let outcome = walkNode(node.commands[0]!, flow);
  for (const [index, operator] of node.operators.entries()) {
    const next = node.commands[index + 1];
    if (!next || !flow.findings.step()) break;
    flow.state = operator === '&&' ? outcome.ok : outcome.fail;
    const then = walkNode(next, flow);
    outcome =
      operator === '&&'
        ? { ok: then.ok, fail: joinStates(outcome.fail, then.fail) }
        : { ok: joinStates(outcome.ok, then.ok), fail: then.fail };
  }
  return outcome;
}

function walkPipeline(node: Extract<Node, { type: 'Pipeline' }>, flow: Flow): Outcome {
  const negated = node.prefixes.filter(prefix => prefix.type === 'Negation').length % 2 === 1;
  if (node.commands.length <= 1) {
    const outcome = node.commands[0] ? walkNode(node.commands[0], flow) : either(flow.state);
    return negated ? { ok: outcome.fail, fail: outcome.ok } : outcome;
  }
  const stages: number[] = [];
  let { stdin } = flow;
  for (const [index, command] of node.commands.entries()) {
    const from = flow.findings.programs.length;
    stages.push(from);
    const printed = pipedFrom(command, flow, stdin);
    walkNode(command, beside(flow, stdin));
    stdin = (index === 0 ? namesFrom(node, from, flow) : undefined) ?? printed;
  }
  noteNetwork(flow.findings.programs, stages);
  return either(flow.state);
}

/** `from`: where the first stage's programs begin. */
function namesFrom(pipeline: Extract<Node, { type: 'Pipeline' }>, from: number, flow: Flow): Stdin | undefined {
  const [program, more] = flow.findings.programs.slice(from);
  return program && !more ? foundNames(pipeline, program.argv) : undefined;
}

/** `echo text |`, `| cat |`, `| tee f |`: what the next stage reads is in the text. */
function pipedFrom(command: Node, flow: Flow, stdin: Stdin): Stdin {
  const text = printedBy(command, fork(flow), stdin);
  return isKnown(text) ? { kind: 'here', text } : { kind: 'pipe' };
}

function walkRedirected(node: Redirected, flow: Flow): Outcome {
  const redirected = applyRedirections(node.redirects, flow);
  const unrun = mayFail(node.redirects) ? flow.state : undefined;
  return orUnrun(walkNode(node.command, fork(flow, redirected)), unrun);
}

/** Walks a loop's or function's body; what leaves it early is joined with what leaves it at its end. */
export function walkFramed(walk: (flow: Flow) => Outcome, flow: Flow, kind: 'loop' | 'call'): Outcome {
  const frame: Frame = { escaped: undefined, outer: kind === 'loop' ? flow.loop : undefined };
  const outcome = walk(fork(flow, { [kind]: frame }));
  if (!frame.escaped) return outcome;
  return { ok: joinStates(outcome.ok, frame.escaped), fail: joinStates(outcome.fail, frame.escaped) };
}
