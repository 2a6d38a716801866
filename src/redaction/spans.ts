import { mark } from './mark.js';

/** A secret's place in a text, in UTF-16 units. */
export interface Span {
  /** Where that begins which made it a secret: a name, a flag, a scheme. A stream must not be cut behind it. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** Adds what it finds to the list. Linear in the length of the text, whatever the text. */
export type Finder = (text: string, found: Span[]) => void;

/** In order and without overlap: overlapping secrets become one, of the kind that began first. */
export function merged(spans: readonly Span[]): Span[] {
  const ordered = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Span[] = [];
  for (const span of ordered) {
    const last = result.at(-1);
    if (last && span.start < last.end) {
      result[result.length - 1] = { ...last, from: Math.min(last.from, span.from), end: Math.max(last.end, span.end) };
    } else result.push(span);
  }
  return result;
}

/** The text with a mark in place of each span. `spans` are ordered and apart. */
export function withMarks(text: string, spans: readonly Span[]): string {
  // A digest costs microseconds, and a hostile text repeats one secret a hundred thousand times.
  const marks = new Map<string, string>();
  let result = '';
  let at = 0;
  for (const { kind, start, end } of spans) {
    const key = `${kind}:${text.slice(start, end)}`;
    let shown = marks.get(key);
    if (shown === undefined) {
      shown = mark(kind, text.slice(start, end));
      marks.set(key, shown);
    }
    result += text.slice(at, start) + shown;
    at = end;
  }
  return result + text.slice(at);
}
