import { width, wordWrap } from '../approval/prompt/text-layout.js';
import { createScreenWriter, type ScreenWriter } from '../approval/screen-writer.js';
import type { Execution } from '../contract/execution.js';
import { createSgrFilter } from '../output/sgr-only.js';
import { type Sink, streamSink } from './follow.js';
import { seconds } from './messages.js';
import { harmless, say } from './output.js';

/** Where a gated shell shows things: a person's terminal, through its one writer, or plain pipes. */
export interface ScreenOutput {
  readonly interactive: boolean;
  readonly writer: ScreenWriter;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** A line for the person. Never on a piped stdout: that carries only output. */
  line(text: string): void;
  /** A line that shows how a quiet command is getting on; the returned function takes it away. */
  showProgress(execution: Execution): () => void;
}

/** After so long without output a running command gets a line that says so. */
const QUIET_MS = 2_000;
const ERASE_LINE = '\r\x1b[K';

export function createScreenOutput(interactive: boolean): ScreenOutput {
  const writer = createScreenWriter(process.stdout);
  if (!interactive) {
    return {
      interactive,
      writer,
      stdout: streamSink(process.stdout),
      stderr: streamSink(process.stderr),
      line: say,
      showProgress: () => () => {},
    };
  }
  let column = 0;
  let lastOutput = Date.now();
  let progressShown = false;
  const write = (text: string): Promise<void> => {
    const before = progressShown ? ERASE_LINE : '';
    progressShown = false;
    return writer.write(before + text);
  };
  const display = (): Sink => {
    const decoder = new TextDecoder();
    const filter = createSgrFilter();
    return bytes => {
      const text = filter.write(decoder.decode(bytes, { stream: true }));
      if (text === '') return;
      lastOutput = Date.now();
      column = text.endsWith('\n') ? 0 : 1;
      return write(text);
    };
  };
  return {
    interactive,
    writer,
    stdout: display(),
    stderr: display(),
    line(text) {
      void write(`${column === 0 ? '' : '\n'}${wrapped(harmless(text), process.stdout.columns)}\n`);
      column = 0;
    },
    showProgress(execution) {
      lastOutput = Date.now();
      const timer = setInterval(async () => {
        const status = await execution.status();
        if (status.phase !== 'running' || writer.held || column !== 0 || Date.now() - lastOutput < QUIET_MS) return;
        const { elapsedMs, stdoutBytes, stderrBytes, stdoutLines, timeoutMs } = status.progress;
        const deadline = timeoutMs === undefined ? '' : ` of ${seconds(timeoutMs)}`;
        const text = `running ${seconds(elapsedMs)}${deadline} · ${stdoutBytes + stderrBytes} bytes, ${stdoutLines} lines · Ctrl-C cancels it`;
        void writer.write(`${ERASE_LINE}\x1b[2m${text}\x1b[0m`);
        progressShown = true;
      }, 500);
      return () => {
        clearInterval(timer);
        if (progressShown) void writer.write(ERASE_LINE);
        progressShown = false;
      };
    },
  };
}

/** Continuation lines of a message stand under its words, as its second line does. */
const HANGING = ' '.repeat(11);

/** A sentence is broken at blanks; the terminal would break it anywhere. */
function wrapped(text: string, columns: number | undefined): string {
  if (columns === undefined || columns <= 2 * HANGING.length || width(text) <= columns) return text;
  const isMessage = text.startsWith('shellgate: ') || text.startsWith(HANGING);
  const indent = isMessage ? HANGING : '';
  const [first = '', ...rest] = wordWrap(text.trimStart(), columns - indent.length);
  return [text.startsWith(' ') ? indent + first : first, ...rest.map(line => indent + line)].join('\n');
}
