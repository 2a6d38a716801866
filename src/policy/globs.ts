import { ShellgateError } from '../contract/error.js';

/** More alternatives than this in one pattern are a mistake, or an attempt to make the policy slow. */
const MAX_ALTERNATIVES = 256;

/** Text with `*` for any run of characters: the fixed pieces between the stars. One piece: no star, the text itself. */
export type Glob = readonly string[];

/** `\x` is the character x, `*` a star. Braces are expanded before. */
export function glob(pattern: string): Glob {
  const pieces = [''];
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === '*') {
      if (pieces.length === 1 || pieces.at(-1) !== '') pieces.push('');
    } else {
      const literal = char === '\\' && i + 1 < pattern.length ? pattern[++i]! : char;
      pieces[pieces.length - 1] += literal;
    }
  }
  return pieces;
}

/** Leftmost match of each piece in turn is enough for stars, so this never backtracks. */
export function globMatches(pieces: Glob, text: string): boolean {
  const first = pieces[0]!;
  if (pieces.length === 1) return text === first;
  const last = pieces.at(-1)!;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (let i = 1; i < pieces.length - 1; i++) {
    const found = text.indexOf(pieces[i]!, at);
    if (found === -1) return false;
    at = found + pieces[i]!.length;
  }
  return at <= end;
}

/** Could a text that begins with `lead` match? `yes`: whatever follows, it does. */
export function globCouldMatch(pieces: Glob, lead: string): 'yes' | 'maybe' | 'no' {
  const first = pieces[0]!;
  if (pieces.length === 2 && pieces[1] === '' && lead.startsWith(first)) return 'yes';
  const short = Math.min(lead.length, first.length);
  if (lead.slice(0, short) !== first.slice(0, short)) return 'no';
  return pieces.length > 1 || lead.length <= first.length ? 'maybe' : 'no';
}

/** `a{b,c}d` to `abd`, `acd`. Nested and repeated braces are expanded; `\{` is a brace; an unclosed one is an error. */
export function expandBraces(pattern: string): string[] {
  const open = findUnescaped(pattern, '{', 0);
  if (open === -1) return [pattern];
  const { close, commas } = readBraces(pattern, open);
  const cuts = [open, ...commas, close];
  const tails = expandBraces(pattern.slice(close + 1));
  const out: string[] = [];
  for (let i = 0; i + 1 < cuts.length; i++) {
    for (const middle of expandBraces(pattern.slice(cuts[i]! + 1, cuts[i + 1]))) {
      for (const tail of tails) out.push(pattern.slice(0, open) + middle + tail);
    }
    if (out.length > MAX_ALTERNATIVES) throw invalid(`"${pattern}" has more than ${MAX_ALTERNATIVES} alternatives`);
  }
  return out;
}

function readBraces(pattern: string, open: number): { close: number; commas: number[] } {
  const commas: number[] = [];
  let depth = 0;
  for (let i = open; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\\') i++;
    else if (char === '{') depth++;
    else if (char === ',' && depth === 1) commas.push(i);
    else if (char === '}' && --depth === 0) return { close: i, commas };
  }
  throw invalid(`"${pattern}" opens a brace at ${open + 1} that it does not close`);
}

export function findUnescaped(text: string, char: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === char) return i;
  }
  return -1;
}

export const invalid = (message: string): ShellgateError => new ShellgateError('POLICY_INVALID', message);
