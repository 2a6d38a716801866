/**
 * Takes out of a program's output, as it is shown live, all that could act on the person's terminal: every control
 * character and escape sequence but line feed, carriage return, tab, backspace and SGR (colours). It sees the text in
 * pieces; a sequence across their edge is found as well. One per stream.
 */
export function colourOnly(): (piece: string) => string {
  let state: State = 'text';
  let sequence = '';
  return piece => {
    let kept = '';
    for (const character of piece) {
      const code = character.codePointAt(0)!;
      if (state === 'string') {
        // OSC, DCS and the like: to ST or BEL; an ESC may begin the ST, or another sequence that ends it.
        if (code === BEL || code === ST || code === CAN || code === SUB) state = 'text';
        else if (code === ESC) state = 'escape';
      } else if (code === ESC) {
        state = 'escape';
      } else if (code === CSI) {
        [state, sequence] = ['csi', ''];
      } else if (STRING_STARTS.has(code)) {
        state = 'string';
      } else if (code === CAN || code === SUB) {
        state = 'text';
      } else if (state === 'escape') {
        [state, sequence] = [afterEscape(character), ''];
      } else if (state === 'csi') {
        sequence += character;
        if (code >= 0x40 || sequence.length > LONGEST_SEQUENCE) {
          if (SGR.test(sequence)) kept += `\x1b[${sequence}`;
          state = 'text';
        }
      } else if (KEPT_CONTROLS.has(code) || (code >= 0x20 && code < 0x7f) || code >= 0xa0) {
        kept += character;
      }
    }
    return kept;
  };
}

type State = 'text' | 'escape' | 'csi' | 'string';
const [ESC, BEL, CAN, SUB, CSI, ST] = [0x1b, 0x07, 0x18, 0x1a, 0x9b, 0x9c];
/** DCS, SOS, OSC, PM, APC as single C1 characters. */
const STRING_STARTS = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);
const KEPT_CONTROLS = new Set([0x08, 0x09, 0x0a, 0x0d]);
const SGR = /^[0-9;:]*m$/;
const LONGEST_SEQUENCE = 64;

function afterEscape(character: string): State {
  if (character === '[') return 'csi';
  if (/^[P\]X^_]$/.test(character)) return 'string';
  // Intermediate bytes (charset designations) are followed by their final byte.
  return character >= ' ' && character <= '/' ? 'escape' : 'text';
}
