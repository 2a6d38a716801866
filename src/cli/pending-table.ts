import { oneLine } from '../approval/display.js';
import { homePath } from '../approval/prompt/question-facts.js';
import { clip, padEnd, width } from '../approval/prompt/text-layout.js';
import type { GateConnection } from '../approval/socket-client.js';
import type { Question } from '../contract/question.js';
import { shownId } from '../contract/question.js';
import { sessionLabel } from '../contract/request.js';

/** A question and the gate it waits at. */
export interface Waiting {
  readonly gate: GateConnection;
  readonly question: Question;
}

const GAP = '  ';
const MOST_COMMAND = 120;
/** On a narrow terminal the row goes on in the next line, rather than say nothing of the command. */
const LEAST_COMMAND = 24;
const HEAD = ['ID', 'AGE', 'LEFT', 'WHO', 'SESSION', 'WHERE', 'RISK', 'COMMAND'];

/** Screen f. On a terminal of so many columns the command ends at its edge; elsewhere after 120 cells. */
export function pendingTable(waiting: readonly Waiting[], now: number, columns?: number): string[] {
  const rows = waiting.map(({ question }) => row(question, now));
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map(cells => width(cells[column]!))));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
  widths[widths.length - 1] = Math.max(LEAST_COMMAND, columns === undefined ? MOST_COMMAND : columns - before);
  const drawn = [HEAD, ...rows].map(cells =>
    cells
      .map((cell, column) => padEnd(clip(cell, widths[column]!), widths[column]!))
      .join(GAP)
      .trimEnd(),
  );
  return [...drawn, 'approve ID · deny ID "why" · pending --watch answers them here, one by one'];
}

function row(question: Question, now: number): string[] {
  const { request, state, evaluation, display, askedAt, expiresAt } = question;
  return [
    shownId(question),
    clock(now - Date.parse(askedAt)),
    clock(Date.parse(expiresAt) - now),
    clip(oneLine(request.principal.label), 24),
    clip(oneLine(sessionLabel(request.sessionId)), 24),
    clip(homePath(state.cwd, state.home), 40),
    evaluation.risk === 'high' ? 'HIGH' : evaluation.risk,
    display.text.replaceAll('\n', '⏎'),
  ];
}

/** `Nothing waits. Looked at 2 gates: …` */
export function nothingWaits(gates: readonly GateConnection[]): string {
  if (gates.length === 0) return 'Nothing waits. No gate of yours is running on this machine.';
  return `Nothing waits. Looked at ${gates.length} gate${gates.length === 1 ? '' : 's'}: ${gateNames(gates)}.`;
}

/** `serve (pid 812), mcp (pid 4021, claude-code)` */
export function gateNames(gates: readonly GateConnection[]): string {
  return gates
    .map(({ label, pid }) => {
      const [what, ...who] = oneLine(label).split(', ');
      return `${what} (${[`pid ${pid}`, ...who].join(', ')})`;
    })
    .join(', ');
}

/** What a program gets of a question. */
export function pendingLine({ gate, question }: Waiting): Record<string, unknown> {
  const { request, state, evaluation } = question;
  return {
    id: shownId(question),
    gate: { pid: gate.pid, label: gate.label },
    who: request.principal,
    session: request.sessionId,
    cwd: state.cwd,
    risk: evaluation.risk,
    command: request.text,
    askedAt: question.askedAt,
    expiresAt: question.expiresAt,
  };
}

function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
