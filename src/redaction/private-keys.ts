import type { Finder } from './spans.js';

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Sticky, and apart from the other: `matchAll` would start at its `lastIndex`. */
const BEGIN_HERE = new RegExp(BEGIN, 'y');

/**
 * One line of the body behind any form of line end: real, escaped once or more, or the space that an unquoted expansion
 * leaves. Only what can be part of a key belongs to it, so that a command line cannot hide behind a lone BEGIN.
 */
const LINE =
  /(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]{0,32}(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): [^\r\n\\]{0,200}|[A-Za-z0-9+/=]{0,4096})|[ ][A-Za-z0-9+/=]{16,4096}|[ ][A-Za-z0-9+/=]{1,80}(?=[ ]-----END)/y;
const END = /(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n|[ ])?[ \t]{0,32}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;

const SHORTEST_BODY = 40;
/** With its name, and what stands around it. */
const LONGEST_HEADER = 300;

/** Private keys in PEM form, with or without their end. */
export const findPrivateKeys: Finder = (text, found) => {
  if (!text.includes('-----BEGIN ')) return;
  for (const match of text.matchAll(BEGIN)) {
    const bodyStart = match.index + match[0].length;
    const bodyEnd = endOfBody(text, bodyStart);
    END.lastIndex = bodyEnd;
    const ended = END.test(text);
    if (!ended && bodyEnd - bodyStart < SHORTEST_BODY) continue;
    found.push({ from: match.index, start: match.index, end: ended ? END.lastIndex : bodyEnd, kind: 'private-key' });
  }
};

/** Where a private key begins that may go on behind the end of the text. */
export function openKeyAt(text: string): number | undefined {
  const begin = text.lastIndexOf('-----BEGIN ');
  if (begin === -1) return undefined;
  BEGIN_HERE.lastIndex = begin;
  const match = BEGIN_HERE.exec(text);
  if (!match) return undefined;
  // A line that is not over may become one of the body, a header or the end; one that is over has been looked at.
  const rest = text.slice(endOfBody(text, begin + match[0].length));
  return rest.length <= LONGEST_HEADER && !rest.includes('\n') ? begin : undefined;
}

function endOfBody(text: string, start: number): number {
  let end = start;
  for (LINE.lastIndex = end; LINE.test(text) && LINE.lastIndex > end; LINE.lastIndex = end) end = LINE.lastIndex;
  return end;
}
