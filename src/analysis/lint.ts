import type { Reason } from '../contract/analysis.js';

/** Above this many UTF-16 units the text itself is a reason to ask. */
export const LONG_TEXT = 64 * 1024;

interface Finding {
  readonly code: string;
  readonly text: string;
  readonly pattern: RegExp;
}

// Each of these makes what a person sees differ from what bash reads.
const FINDINGS: readonly Finding[] = [
  {
    code: 'control-character',
    text: 'contains control characters, which a terminal does not show as they are',
    pattern: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u,
  },
  {
    code: 'bidi-character',
    text: 'contains characters that change the reading direction',
    pattern: /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u,
  },
  {
    code: 'invisible-character',
    text: 'contains characters that cannot be seen',
    // An emoji may carry a joiner or a variation selector.
    pattern:
      /\u034f|[\u00ad\u115f\u1160\u17b4\u17b5\u200b\u200c\u2028\u2029\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\u180b-\u180f]|[\ufe00-\ufe0e]|(?<!\p{Extended_Pictographic})\ufe0f|(?<!\p{Extended_Pictographic}\ufe0f?)\u200d/u,
  },
  {
    code: 'unusual-space',
    text: 'contains spaces that bash does not treat as spaces',
    pattern: /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/u,
  },
  { code: 'broken-text', text: 'contains a broken character (half of a surrogate pair)', pattern: /\p{Surrogate}/u },
];

// A word that mixes Latin with look-alikes from other scripts, or a command name made of nothing but look-alikes.
const CONFUSABLE = /[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\uff01-\uff5e]/u;
const WORDS = /[^\s;&|()<>"'`$={}]+/gu;

function confusable(text: string): Reason | undefined {
  if (!CONFUSABLE.test(text)) return undefined;
  for (const match of text.matchAll(WORDS)) {
    const word = match[0];
    if (CONFUSABLE.test(word) && (/[a-zA-Z]/.test(word) || /[\uff01-\uff5e]/u.test(word))) {
      return {
        code: 'confusable',
        text: `mixes letters of different scripts that look alike in ${JSON.stringify(word.slice(0, 40))}`,
        span: { start: match.index, end: match.index + word.length },
      };
    }
  }
  return undefined;
}

/** Blanks enough to push what follows out of sight. */
const PADDING = [' '.repeat(200), '\t'.repeat(40), '\n'.repeat(60)];

/**
 * bash joins such lines before it looks for expansions and operators; no parser sees what then begins there. Nor does it
 * see a process substitution behind a digit, or the word behind `<&-`.
 */
const TORN = /\d[<>]\(|[<>]&-[^\s;&|()<>]|\$(?:\w+|\{[^}\s$]*)?\\\n|[<>&|;(](?:\\\n)+[<>&|;()]/;

/** What makes the text itself a reason to ask, before any grammar. Linear in its length. */
export function lint(whole: string): readonly Reason[] {
  const reasons: Reason[] = [];
  if (whole.length > LONG_TEXT) reasons.push({ code: 'long-text', text: `is ${whole.length} characters long` });
  const text = whole.slice(0, LONG_TEXT);
  const padding = PADDING.map(blanks => text.indexOf(blanks)).find(at => at >= 0);
  if (padding !== undefined) {
    reasons.push({
      code: 'padding',
      text: 'contains a long run of blank characters',
      span: { start: padding, end: padding + 1 },
    });
  }
  const open = text.lastIndexOf('$[');
  const torn = open >= 0 && !text.includes(']', open) ? open : text.search(TORN);
  if (torn >= 0) {
    reasons.push({
      code: 'torn-line',
      text: 'breaks a line, or a word, inside of an expansion or an operator',
      span: { start: torn, end: torn + 1 },
    });
  }
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return reasons;
  for (const { code, text: sentence, pattern } of FINDINGS) {
    const at = text.search(pattern);
    if (at >= 0) reasons.push({ code, text: sentence, span: { start: at, end: at + 1 } });
  }
  const mixed = confusable(text);
  if (mixed) reasons.push(mixed);
  return reasons;
}
