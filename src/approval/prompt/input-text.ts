import { sessionLabel } from '../../contract/request.js';
import { oneLine } from '../display.js';
import { clip, flow, hardWrap } from './text-layout.js';

/** What somebody wants to type into a program that runs. */
export interface TypedInput {
  readonly who: string;
  /** Program and pid it goes to. */
  readonly program: string;
  readonly pid: number;
  readonly sessionId: string;
  /** What the program waits at: the end of its last line. */
  readonly waitsAt: string;
  /** The very characters; a line feed is the Enter key. */
  readonly text: string;
}

/** Screen e: keys for a running program. The shell does not see them, so nothing can judge them. */
export function renderTypedInput(input: TypedInput, columns: number): string[] {
  const cells = Math.max(39, columns - 1);
  const head = [
    `${oneLine(input.who)} wants to type into ${oneLine(input.program)} (pid ${input.pid})`,
    `session ${clip(oneLine(sessionLabel(input.sessionId)), 16)} · it waits at "${clip(oneLine(input.waitsAt), 40)}"`,
  ];
  const text = hardWrap(oneLine(input.text), cells - 4).map((line, i) => `│ ${i === 0 ? '⌨ ' : '  '}${line}`);
  return [
    ...flow(head, '   ', cells - 2).map((line, i) => `${i === 0 ? '┌' : '│'} ${line}`),
    ...text,
    '│ not a shell: shellgate cannot judge this',
    ...keys(['y send', 't take the keyboard', 'n no + why', 'Enter = no'], cells),
  ];
}

/** Screen e: a program asks for a password. `typed` is its length, the only thing of it that is ever shown. */
export function renderPassword(
  asking: { readonly program: string; readonly pid: number; readonly typed: number },
  columns: number,
): string[] {
  const cells = Math.max(39, columns - 1);
  const head = [
    `${oneLine(asking.program)} (pid ${asking.pid}) asks for a password`,
    'typed by you; no model sees it, no log keeps it',
  ];
  return [
    ...flow(head, '   ', cells - 2).map((line, i) => `${i === 0 ? '┌' : '│'} ${line}`),
    ...keys([`password: ${'·'.repeat(Math.min(asking.typed, 20))}`, 'Enter send', 'Esc cancel the command'], cells),
  ];
}

function keys(items: readonly string[], cells: number): string[] {
  return flow(items, '   ', cells - 2).map((line, i, all) => `${i === all.length - 1 ? '└' : '│'} ${line}`);
}
