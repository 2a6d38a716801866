import type { AuditRecord } from '../contract/audit.js';
import { sessionLabel } from '../contract/request.js';
import { visible } from '../contract/visible.js';
import type { AnswerSummary, CommandSummary } from './summary.js';

/** The columns of one line of `audit show`, in their order. */
export interface CommandColumns {
  /** ISO 8601, UTC; whoever prints chooses the clock. */
  readonly time: string;
  /** Its label: the id without the part that only keeps others from guessing it. */
  readonly session: string;
  readonly who: string;
  /** One line; control, bidi and zero-width characters made visible. */
  readonly text: string;
  /** `asked → once by ana (tty, 8 s)`, `denied (no-force-push)`, `allowed (look) · in shadow: ask`. */
  readonly decided: string;
  /** `exited 0`, `did not run`. */
  readonly ended: string;
  /** `41 s`, or nothing. */
  readonly took: string;
}

export function columnsOf(summary: CommandSummary): CommandColumns {
  const { end } = summary;
  return {
    time: summary.time,
    session: visible(sessionLabel(summary.session ?? '')),
    who: visible(summary.who ?? ''),
    text: visible(summary.ranInstead === undefined ? summary.text : `${summary.text} → ${summary.ranInstead}`),
    decided: `${decided(summary)}${summary.shadow === undefined ? '' : ` · in shadow: ${visible(summary.shadow)}`}`,
    ended: ended(summary),
    took: end?.durationMs === undefined ? '' : duration(end.durationMs),
  };
}

/** One line for one record, for `audit tail`. */
export function lineOf(record: AuditRecord): string {
  const data = (record.data ?? {}) as Readonly<Record<string, unknown>>;
  const details = ['text', 'decision', 'outcome', 'exitCode', 'code', 'reason', 'name', 'message']
    .map(key => data[key])
    .filter(value => typeof value === 'string' || typeof value === 'number');
  return [
    record.time,
    visible(record.session ?? '-'),
    record.command ?? '-',
    record.type,
    ...details.map(value => visible(String(value))),
  ].join('  ');
}

function decided({ decision, rules, answer }: CommandSummary): string {
  const why = rules.length > 0 ? ` (${rules.map(visible).join(', ')})` : '';
  if (answer) return `asked${answer.by === undefined ? why : ''} → ${answered(answer)}`;
  switch (decision) {
    case 'allow':
      return `allowed${why}`;
    case 'deny':
      return `denied${why}`;
    case 'ask':
      return `asked${why}`;
    default:
      return 'not judged';
  }
}

function answered({ what, by, channel, afterMs }: AnswerSummary): string {
  if (by === undefined) return what;
  const how = [channel, afterMs === undefined ? undefined : duration(afterMs)].filter(part => part !== undefined);
  return `${what} by ${visible(by)}${how.length > 0 ? ` (${how.map(part => visible(part)).join(', ')})` : ''}`;
}

function ended({ end }: CommandSummary): string {
  if (!end) return 'no end recorded';
  switch (end.outcome) {
    case 'refused':
      return 'did not run';
    case 'exited':
      return `exited ${end.exitCode ?? ''}`.trimEnd();
    case 'signaled':
      return `signaled ${end.signal ?? ''}`.trimEnd();
    default:
      return end.outcome;
  }
}

/** `340 ms`, `8 s`, `4 min`, `2 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
