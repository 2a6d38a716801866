const ESCAPE = '\u001b';

/** What a terminal sequence is made of, from its introducer on. One character class each, so every match is linear. */
const CSI = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/y;
const STRING_START = /\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f]/y;
const STRING_END = /\u0007|\u001b\\|\u009c|\u0018|\u001a/g;
const SHORT = /\u001b[ -/]*[0-~]/y;
/** `m` with plain parameters: colours and styles, nothing private. */
const SGR = /^(?:\u001b\[|\u009b)[\d;:]*m$/;
const PLAIN = /[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]+/y;

/** A sequence that is not over after so many characters is none. */
const LONGEST_SEQUENCE = 256;

export interface SgrFilter {
  write(text: string): string;
  /** What is left of an unfinished sequence is dropped. The filter can be used again. */
  end(): void;
}

/** `createSgrFilter` for a text that is whole. */
export function sgrOnly(text: string): string {
  return createSgrFilter().write(text);
}

/**
 * Terminal output made safe to show: text, tabs, line ends and colours (SGR) stay; cursor movement, titles, clipboard,
 * hyperlinks, queries and every other control sequence go, also when it comes in pieces. A bell and a backspace go too.
 */
export function createSgrFilter(): SgrFilter {
  let held = '';
  let inString = false;

  /** Where the string that began earlier ends; undefined: it goes on. */
  function skipString(text: string, from: number): number | undefined {
    STRING_END.lastIndex = from;
    const end = STRING_END.exec(text);
    inString = end === null;
    return end ? STRING_END.lastIndex : undefined;
  }

  function filter(text: string): string {
    let result = '';
    let at = 0;
    while (at < text.length) {
      if (inString) {
        const end = skipString(text, at);
        // An escape at the very end may be the first half of the terminator.
        if (end === undefined) {
          held = text.endsWith(ESCAPE) ? ESCAPE : '';
          return result;
        }
        at = end;
        continue;
      }
      const plain = matchAt(PLAIN, text, at);
      if (plain !== undefined) {
        result += plain;
        at += plain.length;
        continue;
      }
      if (matchAt(STRING_START, text, at) !== undefined) {
        at += text[at] === ESCAPE ? 2 : 1;
        inString = true;
        continue;
      }
      const sequence = matchAt(CSI, text, at) ?? shortSequence(text, at);
      if (sequence === undefined && isUnfinished(text, at)) {
        held = text.slice(at);
        return result;
      }
      if (sequence !== undefined && SGR.test(sequence)) result += sequence;
      at += sequence?.length ?? 1;
    }
    return result;
  }

  return {
    write(text) {
      const all = held + text;
      held = '';
      return filter(all);
    },
    end() {
      held = '';
      inString = false;
    },
  };
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** `ESC 7`, `ESC ( B`: everything that is neither a control sequence nor a string. */
function shortSequence(text: string, at: number): string | undefined {
  return text[at + 1] === '[' ? undefined : matchAt(SHORT, text, at);
}

/** May more text make a sequence of this? */
function isUnfinished(text: string, at: number): boolean {
  if (text.length - at > LONGEST_SEQUENCE) return false;
  return /^(?:\u001b(?:\[[0-?]*[ -/]*|[ -/]*)|\u009b[0-?]*[ -/]*)$/.test(text.slice(at));
}
