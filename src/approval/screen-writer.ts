/** Where a screen's text goes; a tty.WriteStream is one. */
export interface ScreenOutput {
  write(text: string): unknown;
}

/** The screen while one question has it. The question draws on the terminal itself, and leaves it at a line's start. */
export interface HeldScreen {
  /** What has to be written before the first drawing: a reset of all modes, and a new line where one was begun. */
  readonly preface: string;
  /** Give the screen back; what others wrote meanwhile follows. */
  release(): void;
}

/**
 * The one way to a person's terminal. While a question has the screen, what everybody else writes is held, so that
 * nothing can be drawn into, over or right after a question.
 */
export interface ScreenWriter {
  /** Written now, or when the screen is free. Resolves then: a reader that awaits it holds back its source. */
  write(text: string): Promise<void>;
  /** Wait for the screen, in order of asking. */
  take(): Promise<HeldScreen>;
  readonly held: boolean;
}

/** A writer that nobody awaits may still fill the memory while a person thinks: the middle of what is held is dropped. */
const MOST_HELD = 256 * 1024;

/**
 * Undo what a program may have left behind, without moving the cursor: an unfinished sequence, colours, scroll region,
 * margins, character set, alternate screen, insert mode, mouse, focus, paste and keyboard modes, a hidden cursor.
 */
export const RESET_MODES = [
  '\x18\x1b\\', // CAN and ST end whatever was begun
  '\x1b7\x1b[?69l\x1b[r\x1b8', // margins and scroll region, which move the cursor
  '\x1b[0m\x1b(B\x1b)B\x0f', // SGR, character sets
  '\x1b[?47l\x1b[?1047l', // alternate screen; not 1049, which would restore a cursor
  '\x1b[4l\x1b[?7h\x1b[?5l\x1b[?2026l\x1b[?25h', // insert, wrap, reverse, synchronised updates, cursor
  '\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l', // mouse
  '\x1b[?1004l\x1b[?2004l', // focus, bracketed paste
  '\x1b[?1l\x1b>\x1b[>4;0m\x1b[=0u', // cursor keys, keypad, modifyOtherKeys, kitty keyboard
].join('');

export function createScreenWriter(output: ScreenOutput): ScreenWriter {
  const waiting: (() => void)[] = [];
  let held: { pieces: string[]; size: number; dropped: number; told: (() => void)[] } | undefined;
  let atLineStart = true;

  function put(text: string): void {
    if (text === '') return;
    output.write(text);
    atLineStart = text.endsWith('\n');
  }

  function hold(into: NonNullable<typeof held>, text: string): void {
    if (into.size + text.length <= MOST_HELD) {
      into.pieces.push(text);
      into.size += text.length;
    } else {
      into.dropped += text.length;
    }
  }

  function release(): void {
    const { pieces, dropped, told } = held!;
    held = undefined;
    const next = waiting.shift();
    // What was held comes before the next question, so that it is seen in its place.
    put(pieces.join(''));
    if (dropped > 0) put(`\n[... ${dropped} characters of output not shown while a question was open ...]\n`);
    for (const tell of told) tell();
    next?.();
  }

  function take(): HeldScreen {
    held = { pieces: [], size: 0, dropped: 0, told: [] };
    const preface = `${RESET_MODES}${atLineStart ? '' : '\r\n'}`;
    atLineStart = true;
    let mine = true;
    return {
      preface,
      release() {
        if (mine) release();
        mine = false;
      },
    };
  }

  return {
    get held() {
      return held !== undefined;
    },
    write(text) {
      if (!held) {
        put(text);
        return Promise.resolve();
      }
      const into = held;
      hold(into, text);
      return new Promise(resolve => into.told.push(resolve));
    },
    take: () => (held ? new Promise(resolve => waiting.push(() => resolve(take()))) : Promise.resolve(take())),
  };
}
