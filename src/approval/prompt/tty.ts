import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { isatty, ReadStream, WriteStream } from 'node:tty';
import { hasProc, terminalPath } from '../../platform.js';

/** The person's terminal, opened for one question: keys as they come, its size, and the screen. */
export interface Tty {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** One call for each read: a key that was pressed alone comes as one byte. */
  onRead(listener: (bytes: Uint8Array) => void): void;
  onResize(listener: () => void): void;
  /** The terminal is gone. */
  onClosed(listener: () => void): void;
  close(): void;
}

/** Why there is no terminal to ask on, or nothing when there is one. */
export function terminalProblem(path: string): string | undefined {
  // Its terminal is the session's, and whoever drives the session would answer.
  if (process.env['SHELLGATE_COMMAND']) return 'this process runs inside a gated command';
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return 'no terminal';
  }
  try {
    if (!isatty(fd)) return `${path} is not a terminal`;
    return path === terminalPath && inBackground() ? 'the process runs in the background of its terminal' : undefined;
  } finally {
    closeSync(fd);
  }
}

/** A background job that touches its terminal is stopped by the kernel; it cannot ask. */
function inBackground(): boolean {
  if (!hasProc) return false;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return foreground !== '-1' && foreground !== group;
}

/** Open the terminal in raw mode: every key comes at once, none is echoed, Ctrl-C is a byte. Throws when it is gone. */
export function openTty(path: string): Tty {
  const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const input = new ReadStream(fd);
  const output = new WriteStream(fd);
  const closed: (() => void)[] = [];
  let gone = false;
  const lose = () => {
    if (gone) return;
    gone = true;
    for (const listener of closed) listener();
  };
  for (const stream of [input, output]) stream.on('error', lose);
  input.on('end', lose);
  input.on('close', lose);
  input.setRawMode(true);
  const resizes: (() => void)[] = [];
  let size = { columns: output.columns, rows: output.rows };
  const resized = () => {
    size = sizeOf(path) ?? size;
    for (const listener of resizes) listener();
  };
  process.on('SIGWINCH', resized);
  return {
    get columns() {
      return size.columns || 80;
    },
    get rows() {
      return size.rows || 24;
    },
    write: text => void output.write(text),
    onRead: listener => void input.on('data', listener),
    onResize: listener => void resizes.push(listener),
    onClosed: listener => void (gone ? listener() : closed.push(listener)),
    close() {
      gone = true;
      process.removeListener('SIGWINCH', resized);
      if (!input.destroyed) input.setRawMode(false);
      input.destroy();
      output.destroy();
      closeSync(fd); // a stream opens the terminal again for itself and leaves the given descriptor alone
    },
  };
}

/** A stream learns its size when it is made; of a later change only process.stdout is told. */
function sizeOf(path: string): { columns: number; rows: number } | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_WRONLY | constants.O_NOCTTY);
    const probe = new WriteStream(fd);
    const { columns, rows } = probe;
    probe.destroy();
    return { columns, rows };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
