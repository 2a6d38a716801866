import { isMark } from './mark.js';
import type { Finder } from './spans.js';

/** `Cookie: `, `Set-Cookie: `, `"cookie": "`, `--cookie '`: what stands before the pairs. */
const HEADER = /(?<![\w-])(?:(set-)?cookie["'\\]{0,4}[ \t]{0,4}:[ \t]{0,4}|--cookie[ \t=]{1,4})\\{0,8}["']?/gi;
const PAIR = /[ \t]{0,8}[^\s=;,"'`\\]{1,256}=([^\s;"'`\\]{0,4096});?/y;

const SHORTEST = 3;
const isReference = (value: string): boolean => /^\$(?:\w+|\{\w+\})$/.test(value);

/** The values of cookies: whoever has one is whoever it was given to. Of `Set-Cookie` the first pair; the others are about it. */
export const findCookies: Finder = (text, found) => {
  HEADER.lastIndex = 0;
  for (let header = HEADER.exec(text); header; header = HEADER.exec(text)) {
    let end = HEADER.lastIndex;
    for (let goesOn = true; goesOn; ) {
      PAIR.lastIndex = end;
      const pair = PAIR.exec(text);
      if (!pair) break;
      end = PAIR.lastIndex;
      goesOn = pair[0].endsWith(';') && header[1] === undefined;
      const value = pair[1]!;
      const start = pair.index + pair[0].indexOf('=') + 1;
      if (value.length >= SHORTEST && !isMark(value) && !isReference(value))
        found.push({ from: header.index, start, end: start + value.length, kind: 'value' });
    }
    // What was read is spent: no text is read again for each header in it.
    HEADER.lastIndex = end;
  }
};
