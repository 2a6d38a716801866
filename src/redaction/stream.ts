import { openKeyAt } from './private-keys.js';
import type { Span } from './spans.js';
import { withMarks } from './spans.js';

/** A line longer than this is given out in parts. */
const LONGEST_LINE = 16_384;
const LOOK_BACK = 4_096;

/** What goes on behind a secret that is longer than the window, up to the first character that ends a word. */
const REST_OF_WORD = /^[^\s"'`;&|<>()]*/;

/** The secret half of an AWS pair may come on the next line. */
const AWS_ID = /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}[\s:;,"'=|\\]{0,8}[A-Za-z0-9/+]{0,40}$/;

export interface StreamParts {
  find(text: string): Span[];
  after(text: string): string;
  /** Characters that must stay together across and within lines. */
  readonly longest: number;
  readonly longestAcrossLines: number;
}

/**
 * Redaction of text that comes in pieces. It gives out whole lines, and of a very long line all but the last 4,096
 * characters (or the longest known secret); what is held back comes with a later piece or with `end`.
 */
export function createRedactionStream(parts: StreamParts): { write(chunk: string): string; end(): string } {
  const window = Math.max(LOOK_BACK, parts.longest);
  let held = '';
  let swallowing = false;

  function cutOf(): number {
    const safe = parts.longestAcrossLines > 0 ? held.length - parts.longestAcrossLines : held.length;
    const line = safe > 0 ? held.lastIndexOf('\n', safe - 1) + 1 : 0;
    if (line > 0) return line;
    return held.length > LONGEST_LINE + window ? held.length - window : 0;
  }

  function give(wanted: number): string {
    const spans = parts.find(held);
    let cut = Math.min(wanted, openKeyAt(held) ?? wanted, AWS_ID.exec(held)?.index ?? wanted);
    for (const span of [...spans].reverse()) {
      if (span.from < cut && span.end >= cut && cut < held.length) cut = span.from;
    }
    if (cut === 0 && held.length > LONGEST_LINE + window) {
      // One secret fills the whole window: mark what is there and drop the rest of its word as it comes.
      const text = withMarks(held, spans);
      swallowing = spans.at(-1)?.end === held.length;
      held = '';
      return parts.after(text);
    }
    const text = withMarks(
      held.slice(0, cut),
      spans.filter(span => span.end <= cut),
    );
    held = held.slice(cut);
    return parts.after(text);
  }

  return {
    write(chunk) {
      let piece = chunk;
      if (swallowing) {
        piece = chunk.replace(REST_OF_WORD, '');
        swallowing = piece === '';
      }
      held += piece;
      const cut = cutOf();
      return cut > 0 ? give(cut) : '';
    },
    end() {
      swallowing = false;
      if (held === '') return '';
      const text = parts.after(withMarks(held, parts.find(held)));
      held = '';
      return text;
    },
  };
}
