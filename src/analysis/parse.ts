import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type {
  ArithmeticExpression,
  Assignment,
  Command,
  CompoundCommand,
  CompoundList,
  Coproc,
  Function as FunctionNode,
  ParameterExpansionPart,
  ParsedScript,
  Redirected,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word as WordNode,
  WordPart,
} from 'unbash';
import { forEachChild, parse as unbash } from 'unbash';
import type { Reason } from '../contract/analysis.js';

export type {
  ArithmeticExpression,
  Assignment,
  Command,
  CompoundCommand,
  CompoundList,
  Coproc,
  FunctionNode,
  ParameterExpansionPart,
  ParsedScript,
  Redirected,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  WordNode,
  WordPart,
};
export type FunctionBody = FunctionNode['body'];

export interface Parsed {
  readonly script: ParsedScript | undefined;
  /** Why the tree cannot be relied on; empty when it can. */
  readonly reasons: readonly Reason[];
}

/** Up to this product of length and nesting the parser's worst case stays below about 20 ms on a slow core. */
const INLINE_COST = 400_000;
/** How long the worker may take; a text that takes longer stays unparsed. */
const PROBE_MS = 130;
/** A parse that took the worker longer than this is not repeated on the main thread. */
const REPEAT_MS = 25;

/** Deepest nesting of brackets, number of here-documents or of `$[`, whichever is worse: what makes the parser slow. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let documents = 0;
  let arithmetic = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x28 || code === 0x7b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x29 || code === 0x7d) depth = Math.max(0, depth - 1);
    else if (code === 0x5b && text.charCodeAt(at - 1) === 0x24) arithmetic += 1;
    else if (code === 0x3c && text.charCodeAt(at + 1) === 0x3c) documents += 1;
  }
  return Math.max(deepest, documents / 4, arithmetic);
}

const isCheap = (text: string): boolean => text.length < 2048 || text.length * (1 + nesting(text)) <= INLINE_COST;

// The tree is lazy: only visiting every node shows what parsing it costs.
const PROBE = `
const { workerData, parentPort } = require('node:worker_threads');
import(workerData.parser).then(({ parse, forEachChild }) => {
  parentPort.postMessage('ready');
  const start = performance.now();
  const pending = [parse(workerData.text)];
  while (pending.length > 0) forEachChild(pending.pop(), child => pending.push(child));
  parentPort.postMessage(performance.now() - start);
});`;

/** Parses in a thread of its own, only to learn how long it takes. undefined: too long, or it failed. */
async function probe(text: string, signal: AbortSignal): Promise<number | undefined> {
  const parser = pathToFileURL(createRequire(import.meta.url).resolve('unbash')).href;
  const worker = new Worker(PROBE, { eval: true, workerData: { parser, text }, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  worker.unref();
  const ready = new Promise<void>(resolve => {
    for (const event of ['message', 'error', 'exit'] as const) worker.once(event, () => resolve());
  });
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    return await new Promise<number | undefined>(resolve => {
      worker.on('message', (message: unknown) => typeof message === 'number' && resolve(message));
      worker.on('error', () => resolve(undefined));
      worker.once('exit', () => resolve(undefined));
      timer = setTimeout(resolve, PROBE_MS, undefined);
      stop = () => resolve(undefined);
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
    });
  } finally {
    clearTimeout(timer);
    if (stop) signal.removeEventListener('abort', stop);
    // A thread that is ended while it loads its modules leaves their descriptors open. Nobody waits for it.
    void ready.then(() => worker.terminate());
  }
}

/** Every error of the tree, those of nested scripts included. Visits each node once. */
function errorsIn(script: ParsedScript): Reason[] {
  const reasons: Reason[] = [];
  const pending: { node: SyntaxNode; own: boolean }[] = [{ node: script, own: true }];
  while (pending.length > 0) {
    const { node, own } = pending.pop()!;
    let inside = own;
    if (node.type === 'Script') {
      // Positions in an escaped-backtick script index its own decoded source.
      inside = own && node.source === undefined;
      for (const error of node.errors ?? []) {
        const span = inside ? { span: { start: error.pos, end: error.pos } } : {};
        reasons.push({ code: 'unparsable', text: `is no valid command line: ${error.message}`, ...span });
      }
    }
    if (node.type === 'HereDoc' && isHereDocumentHole(node.body.text, node.delimiter?.quoted === true)) {
      reasons.push({
        code: 'here-document-hole',
        text: 'has a here-document whose expansion holds a quote and a substitution, which parsers read differently',
        span: { start: node.pos, end: node.end },
      });
    }
    if (node.type === 'HereDoc' && node.closing === undefined) reasons.push(openDocument(node));
    if (node.type === 'Assignment' && node.value.type === 'Word' && node.value.text.startsWith('(')) reasons.push(glued(node));
    let edge = -1;
    forEachChild(node, child => {
      const isWord = child.type === 'Word' || child.type === 'Assignment';
      if (isWord && child.pos === edge) reasons.push(glued(child));
      edge = isWord ? child.end : -1;
      pending.push({ node: child, own: inside });
    });
  }
  return reasons;
}

/** Where it ends depends on what stands behind the substitution that it is in, or on the end of the text. */
const openDocument = ({ pos, end }: SyntaxNode): Reason => ({
  code: 'open-here-document',
  text: 'has a here-document that does not end where it should',
  span: { start: pos, end },
});

/** `a<(b)` is one word to bash and two to the parser. */
const glued = ({ pos, end }: SyntaxNode): Reason => ({
  code: 'glued-words',
  text: 'has a process substitution or a list within a word',
  span: { start: pos, end },
});

/** An expansion that is more than a name: it has an operand, in which quotes may stand. */
const OPERAND = /\$\{(?![#!]?\w+\}|[@*#?$!-]\})/;

/**
 * `${x:-'$(cmd)'}` in an unquoted here-document: bash runs cmd, the parser takes the quotes for quotes. An operand, a
 * quote and a substitution anywhere are enough: telling which belongs to which is just what goes wrong.
 */
const isHereDocumentHole = (body: string, quoted: boolean): boolean =>
  !quoted && OPERAND.test(body) && /['"\\]/.test(body) && /\$\(|`/.test(body);

/** Parses now. For text that is known to be cheap: nested scripts, aliases, arguments of `eval`. */
export function parseNow(text: string): Parsed {
  if (!isCheap(text)) return { script: undefined, reasons: [TOO_COMPLEX] };
  return parseHere(text);
}

function parseHere(text: string): Parsed {
  try {
    const script = unbash(text);
    return { script, reasons: errorsIn(script) };
  } catch (error) {
    return { script: undefined, reasons: [{ code: 'unparsable', text: `cannot be parsed: ${String(error)}` }] };
  }
}

export const TOO_COMPLEX: Reason = { code: 'too-complex', text: 'is too long or too deeply nested to be analysed in time' };

/** Parses the submitted text. Long or deeply nested text is tried in a thread first, so that nothing here blocks. */
export async function parse(text: string, signal: AbortSignal): Promise<Parsed> {
  if (isCheap(text)) return parseHere(text);
  const took = await probe(text, signal);
  return took === undefined || took > REPEAT_MS ? { script: undefined, reasons: [TOO_COMPLEX] } : parseHere(text);
}
