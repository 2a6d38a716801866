import { PassThrough, Writable } from 'node:stream';
import { createPrompt, useEffect, useKeypress, useState } from '@inquirer/core';
import { createStandIns } from './stand-ins.js';
import type { Tty } from './tty.js';

export type EntryEnd =
  | { readonly outcome: 'entered'; readonly text: string }
  | { readonly outcome: 'escape' | 'interrupt' | 'eof' | 'closed' }
  /** The terminal has another size: draw everything anew and go on with this text. */
  | { readonly outcome: 'resized'; readonly text: string };

export interface LineEntry {
  readonly end: Promise<EntryEnd>;
  /** What was read from the terminal. */
  read(bytes: Uint8Array): void;
  /** End it from outside. */
  stop(how: 'closed' | 'resized'): void;
}

const [INTERRUPT, EOF, LINE_FEED, RETURN, ESCAPE] = [0x03, 0x04, 0x0a, 0x0d, 0x1b];
/** A key that ends the entry counts alone: nothing within this time before it (a paste), nothing within the other after it. */
const BEFORE_MS = 60;
const AFTER_MS = 30;

/**
 * One editable line below a question: a sentence, the command, a rule. What is pasted goes into the line, line feeds
 * included; only a key pressed alone ends it. Editing is @inquirer/core's, on keys that were looked at before.
 */
export function lineEntry(tty: Tty, label: string, initial: string): LineEntry {
  const standIns = createStandIns(initial);
  const input = new PassThrough();
  const prompting = new AbortController();
  let text = standIns.hide(initial);
  let lastRead = 0;
  let ending: NodeJS.Timeout | undefined;
  let how: EntryEnd['outcome'] = 'closed';
  let paste = (_pasted: string) => {};

  function finish(outcome: EntryEnd['outcome']): void {
    clearTimeout(ending);
    how = outcome;
    prompting.abort();
  }

  const config = {
    label,
    initial: text,
    draw: standIns.draw,
    onChange(line: string) {
      text = line;
    },
    onReady(write: (pasted: string) => void) {
      paste = write;
    },
  };
  // It never settles by itself: what ends it is decided here, and then it clears its line.
  const end = prompt(config, { input, output: screenOf(tty), signal: prompting.signal, clearPromptOnDone: true })
    .catch(() => {})
    .then((): EntryEnd => {
      input.destroy();
      return how === 'entered' || how === 'resized' ? { outcome: how, text: standIns.reveal(text) } : { outcome: how };
    });

  return {
    end,
    stop: finish,
    read(bytes) {
      const now = performance.now();
      const alone = bytes.length === 1 && now - lastRead > BEFORE_MS && ending === undefined;
      lastRead = now;
      const outcome = alone ? ENDS.get(bytes[0]!) : undefined;
      if (outcome) {
        ending = setTimeout(() => finish(outcome), AFTER_MS);
        return;
      }
      clearTimeout(ending);
      ending = undefined;
      const { keys, pasted } = standIns.fromKeys(bytes);
      if (keys !== '') input.write(keys);
      if (pasted === '') return;
      // Not through `input`: readline appends several characters of one read to the line's end, wherever the cursor is.
      paste(pasted);
      input.emit('keypress', '', {});
    },
  };
}

const ENDS = new Map<number, EntryEnd['outcome'] & ('entered' | 'escape' | 'interrupt' | 'eof')>([
  [RETURN, 'entered'],
  [LINE_FEED, 'entered'],
  [ESCAPE, 'escape'],
  [INTERRUPT, 'interrupt'],
  [EOF, 'eof'],
]);

interface PromptConfig {
  label: string;
  initial: string;
  draw(line: string): string;
  onChange(line: string): void;
  onReady(paste: (pasted: string) => void): void;
}

const prompt = createPrompt<void, PromptConfig>(config => {
  const [line, setLine] = useState('');
  useEffect(readline => {
    config.onReady(pasted => readline.write(pasted));
    readline.write(config.initial);
    setLine(config.initial);
  }, []);
  useKeypress((_key, readline) => {
    setLine(readline.line);
    config.onChange(readline.line);
  });
  return `${config.label}${config.draw(line)}`;
});

function screenOf(tty: Tty): Writable & { columns: number } {
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      tty.write(String(chunk));
      done();
    },
  });
  return Object.assign(output, { columns: tty.columns });
}
