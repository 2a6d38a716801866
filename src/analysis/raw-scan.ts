import type { Span } from '../contract/analysis.js';
import { listProgram, reason } from './call.js';
import { cpuMs } from './clock.js';
import type { Flow } from './flow.js';
import { known } from './word.js';

/** Words after which another command begins, in one shell or another. */
const PREFIXES = new Set(
  (
    'if then else elif while until do time nocorrect noglob exec command builtin sudo doas env nohup start call iex icm ' +
    'invoke-expression invoke-command start-process try finally catch trap begin process end - . & ! /c /k -c -command ' +
    'create repeat'
  ).split(' '),
);
/** So many different findings are enough to show; the rest of the text is still searched within the time. */
const MAX_PROGRAMS = 200;
const MAX_CPU_MS = 40;
/** Longest piece between separators that is looked at, and words kept of one finding. */
const MAX_SEGMENT = 4096;
const MAX_WORDS = 40;
const MAX_STARTS = 8;

/** Quotes, escapes and carets of any shell taken away: only used to name what might run. */
const bare = (token: string): string => token.replace(/["'`^\\]/g, '').replace(/^\$(?=\w+$)/, '');

/**
 * Names what might run in text whose grammar is not known or not valid. It guesses, so each finding is opaque; it is
 * there for deny rules, which must not be avoided by a broken quote.
 */
export function rawPrograms(text: string, flow: Flow, span: Span): void {
  let until: number | undefined;
  let segments = 0;
  const seen = new Set<string>();
  const scanned = new Set<string>();
  for (const match of text.replaceAll(']]', ';').matchAll(/[^;|&\n\r(){}]+/g)) {
    segments += 1;
    if (seen.size >= MAX_PROGRAMS) return;
    if (segments % 256 === 0) {
      const now = cpuMs();
      until ??= now + MAX_CPU_MS;
      if (now > until) return;
    }
    const segment = match[0].slice(0, MAX_SEGMENT);
    if (scanned.has(segment)) continue;
    scanned.add(segment);
    const tokens = segment.split(/[\s<>$]+/).filter(Boolean);
    for (const start of starts(tokens).slice(0, MAX_STARTS)) {
      const argv = tokens
        .slice(start, start + MAX_WORDS)
        .map(bare)
        .filter(token => token !== '');
      const key = argv.join(' ');
      if (argv.length === 0 || seen.has(key)) continue;
      seen.add(key);
      listRaw(argv, flow, span);
    }
  }
}

function listRaw(argv: readonly string[], flow: Flow, span: Span): void {
  const program = listProgram({
    argv: argv.map(known),
    flow,
    span,
    stdin: flow.stdin,
    env: new Map(),
    substituted: { from: 0, to: 0 },
  });
  program.specified = false;
  program.tags.add('raw-scan');
  program.opaque.push(reason('raw-scan', 'was found in text that could not be parsed'));
}

/** Where commands may begin in one segment: at its start and behind words that take a command. */
function starts(tokens: readonly string[]): number[] {
  const found: number[] = [];
  let next = true;
  for (const [index, token] of tokens.entries()) {
    const word = bare(token).toLowerCase();
    if (next && /^\w+=/.test(token)) continue;
    if (next) found.push(index);
    next = PREFIXES.has(word) || PREFIXES.has(token.toLowerCase()) || (next && /^-|^\d+$|^\/[a-z]/i.test(token));
  }
  return found;
}
