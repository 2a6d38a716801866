import type { Word } from '../contract/analysis.js';
import { visitArithmetic } from './arithmetic.js';
import { assignVariable } from './assignments.js';
import { type Flow, type Frame, fork, markBegun } from './flow.js';
import type { CompoundCommand } from './parse.js';
import { after, either, joinStates, type Outcome, type ShellState, widen } from './state.js';
import { walkFramed, walkList } from './walk.js';
import { joinWords, unknown } from './word.js';
import { fieldsOf, valueIn } from './words.js';

type Node<T extends CompoundCommand['type']> = Extract<CompoundCommand, { type: T }>;

/** A loop over known words is walked once for each, up to so many of them (fewer inside another loop). */
const UNROLL = 16;
const UNROLL_INSIDE = 4;
/** Rounds until a loop's state must have settled; then what still changes is unknown. */
const ROUNDS = 3;

export function walkIf(node: Node<'If'>, flow: Flow): Outcome {
  const clause = walkList(node.clause, flow);
  flow.state = clause.ok;
  let outcome = walkList(node.then, flow);
  let otherwise = clause.fail;
  for (const branch of node.elif) {
    flow.state = otherwise;
    const test = walkList(branch.clause, flow);
    flow.state = test.ok;
    outcome = joinOutcomes(outcome, walkList(branch.then, flow));
    otherwise = test.fail;
  }
  if (!node.else) return { ok: joinStates(outcome.ok, otherwise), fail: outcome.fail };
  flow.state = otherwise;
  return joinOutcomes(outcome, walkList(node.else, flow));
}

const joinOutcomes = (a: Outcome, b: Outcome): Outcome => ({ ok: joinStates(a.ok, b.ok), fail: joinStates(a.fail, b.fail) });

/** Walks `round` until the state it starts with covers the state it ends with. Returns where the loop is left. */
function settle(flow: Flow, round: (flow: Flow) => { exit: ShellState; again: ShellState }): Outcome {
  let start = flow.state;
  for (let count = 0; ; count += 1) {
    flow.state = start;
    let exit = start;
    const outcome = walkFramed(
      inner => {
        const states = round(inner);
        exit = states.exit;
        return either(states.again);
      },
      flow,
      'loop',
    );
    const again = after(outcome);
    const next = joinStates(start, again);
    if (next === start || !flow.findings.step()) return either(joinStates(exit, again));
    start = count >= ROUNDS - 1 ? widen(start, next) : next;
    if (count > ROUNDS + 2) return either(joinStates(joinStates(exit, again), start));
  }
}

export function walkWhile(node: Node<'While'>, flow: Flow): Outcome {
  return settle(flow, inner => {
    const clause = walkList(node.clause, inner);
    inner.state = node.kind === 'while' ? clause.ok : clause.fail;
    const again = after(walkList(node.body, inner));
    return { exit: node.kind === 'while' ? clause.fail : clause.ok, again };
  });
}

export function walkCountedLoop(node: Node<'ArithmeticFor'>, flow: Flow): Outcome {
  if (node.initialize) visitArithmetic(node.initialize, flow);
  return settle(flow, inner => {
    if (node.test) visitArithmetic(node.test, inner);
    const exit = inner.state;
    inner.state = after(walkList(node.body, inner));
    if (node.update) visitArithmetic(node.update, inner);
    return { exit, again: inner.state };
  });
}

export function walkFor(node: Node<'For'>, flow: Flow): Outcome {
  const words = node.wordlist ? node.wordlist.flatMap(word => fieldsOf(word, flow)) : flow.state.positional;
  const limit = flow.loop ? UNROLL_INSIDE : UNROLL;
  if (words && words.length <= limit && words.every(word => 'text' in word || word.pattern !== undefined))
    return unrolled(node, words, flow);
  const value = words && words.length > 0 ? words.reduce(joinWords) : unknown('positional');
  return rounds(node, value, flow);
}

/** Any number of rounds, in each of which the loop's variable holds one word that `value` stands for. */
function rounds(node: Node<'For'>, value: Word, flow: Flow): Outcome {
  return settle(flow, inner => {
    const exit = inner.state;
    assignVariable(node.name.text, single(value), inner);
    return { exit, again: after(walkList(node.body, inner)) };
  });
}

/** The loop's variable holds one word at a time. */
const single = (word: Word): Word => ('text' in word ? word : { ...word, single: true });

function unrolled(node: Node<'For'>, words: readonly Word[], flow: Flow): Outcome {
  // A `break` leaves the loop in any round, with the word of that round.
  let broken: ShellState | undefined;
  for (const word of words) {
    const frame: Frame = { escaped: undefined, outer: flow.loop };
    const inner = fork(flow, { loop: frame });
    let end: ShellState;
    if ('text' in word) {
      assignVariable(node.name.text, word, inner);
      end = after(walkList(node.body, inner));
    } else {
      end = after(rounds(node, word, flow));
      broken = broken ? joinStates(broken, end) : end;
    }
    const { escaped } = frame;
    if (escaped) broken = broken ? joinStates(broken, escaped) : escaped;
    flow.state = escaped ? joinStates(end, escaped) : end;
  }
  return either(broken ? joinStates(flow.state, broken) : flow.state);
}

export function walkSelect(node: Node<'Select'>, flow: Flow): Outcome {
  for (const word of node.wordlist ?? []) fieldsOf(word, flow);
  markBegun(flow.stdin);
  return settle(flow, inner => {
    const exit = inner.state;
    assignVariable(node.name.text, unknown('variable'), inner);
    assignVariable('REPLY', unknown('variable'), inner);
    return { exit, again: after(walkList(node.body, inner)) };
  });
}

export function walkCase(node: Node<'Case'>, flow: Flow): Outcome {
  valueIn(node.word, flow);
  let falling: ShellState | undefined;
  let outcome: Outcome | undefined;
  for (const item of node.items) {
    for (const pattern of item.pattern) valueIn(pattern, flow);
    const start = flow.state;
    if (falling) flow.state = joinStates(start, falling);
    const body = walkList(item.body, flow);
    outcome = outcome ? joinOutcomes(outcome, body) : body;
    falling = item.terminator === ';&' || item.terminator === ';;&' ? after(body) : undefined;
    flow.state = item.terminator === ';;&' ? joinStates(start, after(body)) : start;
  }
  // No pattern may match.
  return outcome ? joinOutcomes(outcome, either(flow.state)) : either(flow.state);
}
