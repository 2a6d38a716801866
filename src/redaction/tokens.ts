import type { Finder } from './spans.js';

/**
 * Credentials that can be told by their own shape. Every branch begins with a literal and repeats one character class, and
 * nothing follows the repetition that could fail, so each character is looked at a bounded number of times.
 */
const TOKEN = new RegExp(
  [
    'gh[pousr]_[A-Za-z0-9]{20,}',
    'github_pat_\\w{20,}',
    'glpat-[\\w-]{16,}',
    'npm_[A-Za-z0-9]{30,}',
    'AIza[\\w-]{30,}',
    'xox[abeoprs]-[A-Za-z0-9-]{10,}',
    'xapp-[A-Za-z0-9-]{10,}',
    '(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,}',
    '(?<![A-Za-z0-9])sk-(?=[\\w-]{0,40}[0-9])[\\w-]{20,}',
    '(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{16,}',
    '(?<![A-Za-z0-9])(?:hf|gsk|pplx|r8|dop_v1|doo_v1|shpat|shpss|pypi|whsec|glsa|dckr_pat|fo1|figd|lin_api)[_-][\\w-]{24,}',
    '(?<![A-Za-z0-9])SG\\.[\\w-]{16,}\\.?[\\w-]*',
    '(?<![A-Za-z0-9])ya29\\.[\\w-]{20,}',
    '(?<![A-Za-z0-9])AGE-SECRET-KEY-1[A-Z0-9]{50,}',
  ].join('|'),
  'g',
);

/** JSON Web Token. The look-behind lets no attempt start inside an earlier one. */
const JWT = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g;

/** The secret half of an AWS pair has no shape of its own; next to the id it has a place. */
const AWS_PAIR = /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}[\s:;,"'=|\\]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/g;

const BEARER = /\bbearer[ \t]{1,8}(?=[A-Za-z._~+/=-]{0,64}[0-9])([\w.~+/=-]{16,})/gi;

export const findTokens: Finder = (text, found) => {
  for (const match of text.matchAll(TOKEN)) push(found, match.index, match[0].length, 'token');
  if (text.includes('eyJ')) for (const match of text.matchAll(JWT)) push(found, match.index, match[0].length, 'jwt');
  for (const match of text.matchAll(AWS_PAIR)) {
    const end = match.index + match[0].length;
    found.push({ from: match.index, start: end - match[1]!.length, end, kind: 'aws-secret' });
  }
  for (const match of text.matchAll(BEARER)) {
    const end = match.index + match[0].length;
    found.push({ from: match.index, start: end - match[1]!.length, end, kind: 'authorization' });
  }
};

function push(found: Parameters<Finder>[1], start: number, length: number, kind: string): void {
  found.push({ from: start, start, end: start + length, kind });
}

/** Does the text contain a credential that can be told by its shape? */
export function holdsToken(text: string): boolean {
  const found: Parameters<Finder>[1] = [];
  findTokens(text, found);
  return found.length > 0;
}
