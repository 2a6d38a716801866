import { oneLine } from '../approval/display.js';
import { homePath } from '../approval/prompt/question-facts.js';
import type { GateConnection } from '../approval/socket-client.js';
import type { Question } from '../contract/question.js';
import { shownId } from '../contract/question.js';
import { sessionLabel } from '../contract/request.js';

/** A question and the gate it waits at. */
export interface Waiting {
  readonly gate: GateConnection;
  readonly question: Question;
}

const HEAD = ['ID', 'AGE', 'LEFT', 'WHO', 'SESSION', 'WHERE', 'RISK', 'COMMAND'];

/** Screen f. */
export function pendingTable(waiting: readonly Waiting[], now: number): string[] {
  const rows = waiting.map(({ question }) => row(question, now));
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map(cells => cells[column]!.length)));
  const drawn = [HEAD, ...rows].map(cells =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
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
    short(oneLine(request.principal.label), 24),
    oneLine(sessionLabel(request.sessionId)),
    short(homePath(state.cwd, state.home), 40),
    evaluation.risk === 'high' ? 'HIGH' : evaluation.risk,
    short(display.text.replaceAll('\n', '⏎'), 120),
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

const short = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
