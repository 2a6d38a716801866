import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import { noteEmbedded } from '../languages/embedded-commands.js';
import { LANGUAGES } from '../languages/index.js';
import { noteVariables } from '../languages/program-variables.js';
import type { Invocation, Reading } from '../spec.js';
import { hostOf } from './hosts.js';
import { type Arguments, type Given, mayBecomeSeveral, readOptions } from './options.js';
import { isKnown, leadOf } from './paths.js';
import { ReadingBuilder } from './reading-builder.js';
import { startRest, startWord } from './starting.js';
import type { Action, Clause, Condition, OperandRule, Table, Test } from './table.js';

/** One invocation cut up by its table, sub-commands included. */
export interface Parsed {
  /** Base name of the program, then its sub-commands. */
  readonly path: readonly string[];
  /** The innermost table. */
  readonly table: Table;
  /** Those around it. */
  readonly outer: readonly Table[];
  /** Of the program and of its sub-commands, in order. */
  readonly options: readonly Given[];
  readonly operands: readonly Word[];
  readonly invocation: Invocation;
  readonly into: ReadingBuilder;
  has(...names: readonly string[]): boolean;
  /** Values of an option, in the order given. */
  values(...names: readonly string[]): readonly Word[];
}

/** What an invocation does, by the table of its program. Total: what the table does not say asks. */
export function evaluate(table: Table, invocation: Invocation): Reading {
  const name = posix.basename(leadOf(invocation.argv[0] ?? { text: '' }));
  const into = new ReadingBuilder(name, invocation.cwd, invocation.home);
  const parsed = cutUp({ table, words: invocation.argv.slice(1), path: [name], options: [], outer: [] }, { invocation, into });
  if (parsed) applyAll(parsed);
  noteVariables(into, into.done().variables, invocation);
  return into.done();
}

interface Step {
  readonly table: Table;
  readonly words: readonly Word[];
  readonly path: readonly string[];
  readonly options: readonly Given[];
  readonly outer: readonly Table[];
}

function cutUp(step: Step, context: { invocation: Invocation; into: ReadingBuilder }): Parsed | undefined {
  const { table } = step;
  const { into } = context;
  const read = readOptions(table, step.words, step.path.join(' '));
  const options = [...step.options, ...read.options];
  for (const given of read.options) applyCwd(given, into);
  for (const doubt of read.doubts) into.ask(doubt.code, doubt.text);
  for (const pattern of read.patterns) into.undashed(pattern);
  for (const option of read.unlisted) {
    if (table.otherOptions.does !== 'harmless')
      into.ask('unlisted-option', `${step.path.join(' ')} ${option}: ${reasonOf(table.otherOptions)}`);
  }
  into.variables(...table.variables);
  const [first] = read.operands;
  if (table.commands.size > 0 && first) {
    const sub = isKnown(first) ? table.commands.get(first.text) : undefined;
    if (sub && peel(step, read, into)) return undefined;
    if (sub)
      return cutUp(
        {
          table: sub,
          words: read.operands.slice(1),
          path: [...step.path, leadOf(first)],
          options,
          outer: [...step.outer, table],
        },
        context,
      );
    if (!isKnown(first) || table.otherCommands?.does !== 'harmless')
      into.ask(
        'unlisted-command',
        `${step.path.join(' ')} ${leadOf(first)}: ${reasonOf(table.otherCommands ?? { does: 'ask', text: 'a sub-command that is not described' })}`,
      );
  }
  return {
    path: step.path,
    table,
    outer: step.outer,
    options,
    operands: read.operands,
    ...context,
    has: (...wanted) => options.some(given => wanted.some(name => given.rule.names.includes(name))),
    values: (...wanted) =>
      options.filter(given => wanted.some(name => given.rule.names.includes(name))).flatMap(given => given.values),
  };
}

/** `git -C sub --no-pager status` is `git status` started in `sub`, so that a rule for the one covers the other. */
function peel(step: Step, read: Arguments, into: ReadingBuilder): boolean {
  const { peels } = step.table;
  const given = read.options.map(option => option.name);
  if (given.length === 0 || read.doubts.length > 0 || read.unlisted.length > 0 || !given.every(name => peels.has(name)))
    return false;
  into.start({
    argv: [{ text: step.path[0]! }, ...read.operands],
    via: `${step.path[0]} ${given.join(' ')}`,
    unknownArguments: false,
    cwd: into.directories,
  });
  return true;
}

const reasonOf = (action: Action): string => (action.does === 'ask' ? action.text : 'not described');

function applyCwd(given: Given, into: ReadingBuilder): void {
  for (const { action } of given.rule.clauses) {
    if (action.does === 'cwd' && given.values[0]) into.enter(given.values[0], action.also ? 'also' : 'instead');
  }
}

function applyAll(parsed: Parsed): void {
  const { table } = parsed;
  for (const given of parsed.options) {
    // Behind `python -c CODE` stand the arguments of the code.
    const values = given.rule.arity === 'rest' ? given.values.slice(0, 1) : given.values;
    const words = values.length > 0 ? values : [undefined];
    for (const word of words) applyClauses(given.rule.clauses, { parsed, word, role: 'option', name: given.name });
  }
  for (const { always } of [...parsed.outer, table]) applyClauses(always, { parsed, word: undefined, role: 'always', name: '' });
  const end = table.command ? table.command.from - 1 : parsed.operands.length;
  const operands = parsed.operands.slice(0, end);
  if (operands.length === 0 && !parsed.operands[end])
    applyClauses(table.bare, { parsed, word: undefined, role: 'always', name: '' });
  for (const [index, word] of operands.entries()) {
    const rule = ruleFor({ index, count: operands.length }, word, parsed);
    if (rule) applyClauses(rule.clauses, { parsed, word, role: 'operand', name: '' });
  }
  const moving = operands.findIndex(mayBecomeSeveral);
  // From a word on that becomes none or several, every later one may stand in any of the places behind it.
  for (const word of moving < 0 ? [] : operands.slice(moving))
    for (const rule of table.operands)
      if (rule.place === 'last' || (typeof rule.place === 'number' && rule.place > moving))
        applyClauses(rule.clauses, { parsed, word, role: 'operand', name: '' });
  if (table.command) startRest(parsed, table.command);
  if (table.language) {
    const language = LANGUAGES[table.language];
    if (!language) throw new Error(`no language "${table.language}"`);
    language(parsed);
  }
  noteEmbedded(parsed);
}

interface Applied {
  readonly parsed: Parsed;
  readonly word: Word | undefined;
  readonly role: 'option' | 'operand' | 'always';
  readonly name: string;
}

function applyClauses(clauses: readonly Clause[], applied: Applied): void {
  for (const clause of clauses) {
    const verdict = holds(clause.when, applied);
    if (verdict !== 'no') apply(clause.action, applied);
    if (verdict !== 'yes' && clause.otherwise) apply(clause.otherwise, applied);
  }
}

/** The rule of an operand's exact place first, then of the last, then of each; one whose conditions all fail is passed over. */
function ruleFor(at: { index: number; count: number }, word: Word, parsed: Parsed): OperandRule | undefined {
  const applies = (rule: OperandRule): boolean =>
    rule.clauses.some(clause => clause.otherwise || holds(clause.when, { parsed, word, role: 'operand', name: '' }) !== 'no');
  const { operands } = parsed.table;
  return (
    operands.find(rule => rule.place === at.index + 1 && applies(rule)) ??
    operands.find(rule => rule.place === 'last' && at.count > 1 && at.index === at.count - 1 && applies(rule)) ??
    operands.find(rule => rule.place === 'each' && applies(rule))
  );
}

type Verdict = 'yes' | 'no' | 'maybe';

function holds(conditions: readonly Condition[], applied: Applied): Verdict {
  let verdict: Verdict = 'yes';
  for (const { any, negated } of conditions) {
    const tests = any.map(test => holdsTest(test, applied));
    const found: Verdict = tests.includes('yes') ? 'yes' : tests.includes('maybe') ? 'maybe' : 'no';
    const result: Verdict = found === 'maybe' ? 'maybe' : (found === 'yes') !== negated ? 'yes' : 'no';
    if (result === 'no') return 'no';
    if (result === 'maybe') verdict = 'maybe';
  }
  return verdict;
}

function holdsTest(test: Test, { parsed, word }: Applied): Verdict {
  if ('option' in test) return parsed.has(test.option) ? 'yes' : 'no';
  if ('operands' in test) {
    const { length } = parsed.operands;
    if (parsed.operands.some(mayBecomeSeveral)) return 'maybe';
    return (test.operands === '>' ? length > test.count : length === test.count) ? 'yes' : 'no';
  }
  if (!word) return 'no';
  return isKnown(word) ? (matches(test.value, word.text) ? 'yes' : 'no') : 'maybe';
}

/** `*` stands for anything. */
function matches(pattern: string, text: string): boolean {
  let expression = expressions.get(pattern);
  if (!expression) {
    const parts = pattern.split('*').map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    expression = new RegExp(`^${parts.join('.*')}$`, 's');
    expressions.set(pattern, expression);
  }
  return expression.test(text);
}

/** Made once for each value that a table tests. */
const expressions = new Map<string, RegExp>();

function apply(action: Action, applied: Applied): void {
  const { parsed, word } = applied;
  const { into } = parsed;
  switch (action.does) {
    case 'harmless':
    case 'language':
    case 'cwd':
      return;
    case 'read':
    case 'write': {
      const path = action.path === undefined ? word : { text: atHome(action.path, into.home) };
      if (!path || isStream(path, { does: action.does, role: applied.role })) return;
      into[action.does](path, { tree: action.tree, ...(applied.name && { detail: applied.name }) });
      return;
    }
    case 'network':
      into.network(action.host ? { text: action.host } : word && hostOf(word), applied.name || undefined);
      return;
    case 'data':
      sendData(applied);
      return;
    case 'exec':
      if (word) startWord(action, word, { into, via: [...parsed.path, ...(applied.name ? [applied.name] : [])].join(' ') });
      return;
    case 'effect':
      into.effect(action.kind, action.detail, action.target ? { text: action.target } : word);
      return;
    case 'ask':
      into.ask('described-ask', `${parsed.path.join(' ')}${applied.name ? ` ${applied.name}` : ''}: ${action.text}`);
      return;
    case 'tag':
      into.tag(action.tag);
      return;
    case 'hash':
      into.rely(atHome(action.path, into.home), action.up ? { above: true } : {});
  }
}

/** A table names files of the user with `~/`. */
const atHome = (path: string, home: string): string => (path.startsWith('~/') ? `${home}${path.slice(1)}` : path);

/** `-` is a stream, except for a program that writes to operands. */
const isStream = (word: Word, use: { does: 'read' | 'write'; role: string }): boolean =>
  isKnown(word) && (word.text === '' || (word.text === '-' && !(use.does === 'write' && use.role === 'operand')));

function sendData({ parsed, word, name }: Applied): void {
  if (!word) return;
  parsed.into.tag('upload');
  if (!isKnown(word) && word.lead === '')
    parsed.into.ask('opaque-data', `${parsed.path[0]} ${name}: the data is not known and may name a file`);
  const file = /^@(.*)$/s.exec(leadOf(word));
  if (!file || file[1] === '-') return;
  parsed.into.read(isKnown(word) ? { text: file[1]! } : { opaque: word.opaque, lead: file[1]! }, {
    detail: `sent by ${name}`,
  });
  parsed.into.effect('disclosure', `${name} sends a file`, word);
}
