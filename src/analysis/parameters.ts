import type { Word } from '../contract/analysis.js';
import { evaluateArithmeticText, referenceSubscript } from './arithmetic.js';
import { type Chunk, opaque, quoted, valueChunk } from './chunks.js';
import type { Flow } from './flow.js';
import { type Expansion, operate } from './parameter-operations.js';
import type { ParameterExpansionPart, WordNode } from './parse.js';
import { isKnown, known, unknown } from './word.js';
import { valueIn } from './words.js';

type How = Expansion['how'];

/** `$1`, `$#`, `$?` … undefined: an ordinary name. */
export function specialParameter(name: string, flow: Flow): Word | undefined {
  if (/^[?$!]$/.test(name)) return unknown('number');
  if (name === '#') return flow.state.positional ? known(String(flow.state.positional.length)) : unknown('number');
  if (name === '0' && flow.zero) return flow.zero;
  if (name === '-' || name === '0' || name === '_') return unknown('variable');
  if (!/^\d+$/.test(name)) return undefined;
  if (!flow.state.positional) return unknown('positional');
  return flow.state.positional[Number(name) - 1] ?? known('');
}

/** What bash computes at each look, whatever was assigned. */
const COMPUTED = new Set(
  'BASH_REMATCH RANDOM SECONDS LINENO EPOCHSECONDS EPOCHREALTIME SRANDOM BASHPID UID EUID PPID FUNCNAME GROUPS BASH_COMMAND BASH_ARGV0 BASH_SUBSHELL HISTCMD DIRSTACK PIPESTATUS'.split(
    ' ',
  ),
);

/** A variable's value: what the text gave it, else what the session is known to hold. Unset counts as empty. */
export function lookup(name: string, flow: Flow): Word {
  const variable = flow.state.variables.get(name);
  if (variable && !COMPUTED.has(name)) return variable.value ?? known('');
  switch (name) {
    case 'HOME':
      flow.findings.variables.add('HOME');
      return flow.elsewhere ? unknown('variable') : known(flow.home);
    case 'PWD':
      return flow.state.directories?.length === 1 && !flow.elsewhere ? known(flow.state.directories[0]!) : unknown('variable');
    case 'IFS':
      flow.findings.variables.add('IFS');
      return known(' \t\n');
    case 'UID':
    case 'EUID':
    case 'PPID':
    case 'RANDOM':
    case 'SECONDS':
    case 'LINENO':
    case 'SHLVL':
    case 'BASHPID':
    case 'EPOCHSECONDS':
    case 'SRANDOM':
      return unknown('number');
    default:
      return unknown('variable');
  }
}

/** Every element, where the text set the array whole. */
function elements(part: ParameterExpansionPart, flow: Flow, how: How): readonly Chunk[] {
  const variable = flow.state.variables.get(part.parameter);
  const words = variable?.elements;
  const cut = words && sliced(words, part, flow);
  if (!cut) return [opaque('variable', 'unquoted')];
  return joined(cut, part, { flow, how });
}

/** `${a[@]:1:2}`; with any other operation its elements are not followed. */
function sliced(words: readonly Word[], { operation }: ParameterExpansionPart, flow: Flow): readonly Word[] | undefined {
  if (!operation) return words;
  if (operation.type !== 'Slice') return undefined;
  const literal = (node: WordNode | undefined): number | undefined => {
    const value = node && valueIn(node, flow);
    return isKnown(value) && /^ *\d{1,4}$/.test(value.text) ? Number(value.text) : undefined;
  };
  const from = literal(operation.offset);
  const count = literal(operation.length);
  if (from === undefined || (operation.length && count === undefined)) return undefined;
  return words.slice(from, count === undefined ? undefined : from + count);
}

function joined(
  words: readonly Word[],
  part: ParameterExpansionPart,
  { flow, how }: { readonly flow: Flow; readonly how: How },
): readonly Chunk[] {
  if (words.length === 0) return [{ kind: 'nothing' }];
  if (flow.state.splitting === 'unknown' && part.index?.text === '*') return [opaque('variable', how)];
  const isOne = how === 'quoted' && part.index?.text === '*' && words.length > 1;
  if (isOne) lookup('IFS', flow);
  const separator: Chunk = isOne ? quoted(' ') : { kind: 'break' };
  return words.flatMap((word, index) => (index > 0 ? [separator, valueChunk(word, how)] : [valueChunk(word, how)]));
}

function element(part: ParameterExpansionPart, index: WordNode, flow: Flow): Word {
  const at = evaluateArithmeticText(valueIn(index, flow), flow);
  const variable = flow.state.variables.get(part.parameter);
  if (!variable?.elements || !isKnown(at)) return unknown('variable');
  return variable.elements.at(Number(at.text)) ?? unknown('variable');
}

/** `${!x}`: the value names the parameter; a subscript in it is evaluated. */
function indirect(name: Word, flow: Flow): Word {
  if (!isKnown(name)) {
    flow.findings.reason({ code: 'indirection', text: 'uses the value of a variable as the name of another (`${!…}`)' });
    return unknown('variable');
  }
  referenceSubscript(name, flow);
  // Rules that speak of secrets look for `$NAME` in the text; this is the way around it.
  if (/token|secret|passw|passphrase|api_?key|access_?key|private_?key|credential/i.test(name.text))
    flow.findings.reason({ code: 'indirection', text: `shows ${name.text} by way of another variable (\`\${!…}\`)` });
  return /^[A-Za-z_]\w*$/.test(name.text) ? lookup(name.text, flow) : unknown('variable');
}

const isName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);
const isAll = (part: ParameterExpansionPart): boolean => part.index?.text === '@' || part.index?.text === '*';

function parameterValue(part: ParameterExpansionPart, flow: Flow): Word {
  if (part.index) return element(part, part.index, flow);
  return specialParameter(part.parameter, flow) ?? lookup(part.parameter, flow);
}

/** `${…}` as chunks: its value where the text fixes it, its operands walked for what they do. */
export function expandParameter(part: ParameterExpansionPart, flow: Flow, how: How): readonly Chunk[] {
  if (!flow.findings.step()) return [opaque('unparsed', how)];
  const expansion: Expansion = { part, flow, how };
  const name = part.parameter;
  if (part.prefix === '#') return [valueChunk(length(part, flow), how)];
  if (part.prefix === '!') return indirectChunks(expansion);
  if (isAll(part)) return operandsOnly(expansion, elements(part, flow, how));
  if (name === '@' || name === '*') return operandsOnly(expansion, [opaque('positional', 'unquoted')]);
  const assigns = isName(name) ? name : undefined;
  return [valueChunk(operate({ ...expansion, assigns }, parameterValue(part, flow)), how)];
}

function length(part: ParameterExpansionPart, flow: Flow): Word {
  if (part.index && !isAll(part)) element(part, part.index, flow);
  const whole = part.index || part.operation || !isName(part.parameter) ? undefined : lookup(part.parameter, flow);
  return isKnown(whole) ? known(String([...whole.text].length)) : unknown('number');
}

function indirectChunks(expansion: Expansion): readonly Chunk[] {
  const { part, flow, how } = expansion;
  if (isAll(part) || part.operation?.type === 'Names') return operandsOnly(expansion, [opaque('variable', 'unquoted')]);
  return [valueChunk(operate(expansion, indirect(parameterValue(part, flow), flow)), how)];
}

/** Walks the operands for what they do. */
function operandsOnly(expansion: Expansion, chunks: readonly Chunk[]): readonly Chunk[] {
  operate(expansion, unknown('variable'));
  return chunks;
}
