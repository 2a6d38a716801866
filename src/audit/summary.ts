import type { AuditRecord } from '../contract/audit.js';

/** What the log tells about one command. Fields are absent where the log does not say. */
export interface CommandSummary {
  readonly chain: string;
  readonly command: string;
  /** ISO 8601, UTC: when it was requested. */
  readonly time: string;
  readonly session?: string;
  /** What the asker calls itself. */
  readonly who?: string;
  /** As submitted; of a very long one the beginning. */
  readonly text: string;
  readonly ranInstead?: string;
  readonly decision?: string;
  /** Rules that had the strictest say. */
  readonly rules: readonly string[];
  /** What a policy in shadow would have decided, where that is something else. */
  readonly shadow?: string;
  readonly answer?: AnswerSummary;
  /** Absent: still open, or its process died. */
  readonly end?: EndSummary;
}

export interface AnswerSummary {
  /** `once`, `session`, `always`, `edited`, `denied`, `expired`, `cancelled`, `the approver failed` … */
  readonly what: string;
  readonly by?: string;
  readonly channel?: string;
  readonly afterMs?: number;
  readonly feedback?: string;
}

export interface EndSummary {
  readonly outcome: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly durationMs?: number;
}

type Data = Readonly<Record<string, unknown>>;
type Draft = { -readonly [K in keyof CommandSummary]: CommandSummary[K] } & { askedAt?: string };

/** Puts the records of chains together, command by command. */
export class Summaries {
  readonly #open = new Map<string, Draft>();

  /** Take the next record of a chain; the summary when it was the command's last. */
  take(record: AuditRecord): CommandSummary | undefined {
    if (record.command === undefined) return undefined;
    const data = (record.data ?? {}) as Data;
    const key = `${record.chain} ${record.command}`;
    const draft = this.#open.get(key) ?? draftOf(record, record.command);
    this.#open.set(key, draft);
    fold(draft, record, data);
    if (!draft.end) return undefined;
    this.#open.delete(key);
    return finished(draft);
  }

  /** The commands whose end is not in the log. */
  unfinished(): CommandSummary[] {
    return [...this.#open.values()].map(finished);
  }
}

function draftOf(record: AuditRecord, command: string): Draft {
  const { chain, time, session } = record;
  return { chain, command, time, text: '', rules: [], ...(session !== undefined && { session }) };
}

function finished({ askedAt: _, ...summary }: Draft): CommandSummary {
  return summary;
}

function fold(draft: Draft, record: AuditRecord, data: Data): void {
  switch (record.type) {
    case 'command.requested':
    case 'input.requested': {
      const { client, label } = (data['principal'] ?? {}) as Data;
      draft.who = String(client ?? label ?? 'unknown');
      draft.text = record.type === 'input.requested' ? `${data['bytes']} bytes typed` : textOf(data['text']);
      break;
    }
    case 'command.evaluated':
      draft.decision = String(data['decision']);
      draft.rules = strictestRules(data);
      break;
    case 'policy.shadowed':
      if (data['decision'] !== data['decided']) draft.shadow = String(data['decision']);
      else delete draft.shadow;
      break;
    case 'approval.requested':
      draft.askedAt = record.time;
      break;
    case 'approval.answered':
      draft.answer = answerOf(data, draft.askedAt, record.time);
      // An answer that refuses is the end where nothing follows: the process that asked is gone.
      if (draft.answer.what === 'expired' && String(data['reason']).startsWith('owner-restarted')) draft.end = endOf(data);
      break;
    case 'command.started': {
      const text = textOf(data['text']);
      if (draft.text !== '' && text !== draft.text) draft.ranInstead = text;
      break;
    }
    case 'input.started':
      draft.text = `typed: ${textOf(data['text'])}`;
      break;
    case 'command.finished':
    case 'command.refused':
    case 'input.written':
      draft.end = endOf(data);
      break;
    default:
  }
}

/** The log keeps only the beginning of a very long text. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const beginning = (value as { beginning?: unknown } | null)?.beginning;
  return typeof beginning === 'string' ? `${beginning}…` : '';
}

function strictestRules(data: Data): string[] {
  const matches = Array.isArray(data['matches']) ? (data['matches'] as Data[]) : [];
  const deciding = matches.filter(match => match['decision'] === data['decision']);
  return [...new Set(deciding.map(match => match['rule'] ?? match['source']).filter(rule => typeof rule === 'string'))];
}

function answerOf(data: Data, askedAt: string | undefined, time: string): AnswerSummary {
  const approver = data['approver'] as Data | undefined;
  return {
    what: whatWasAnswered(data),
    ...(askedAt !== undefined && { afterMs: Date.parse(time) - Date.parse(askedAt) }),
    ...(approver && { by: String(approver['label']) }),
    ...(typeof data['channel'] === 'string' && { channel: data['channel'] }),
    ...(typeof data['feedback'] === 'string' && { feedback: data['feedback'] }),
  };
}

/** What became of a question, by the refusal's code; by who refused for the codes that say no more. */
const REFUSED: Readonly<Record<string, string>> = {
  APPROVAL_DENIED: 'denied',
  APPROVER_FAILED: 'the approver failed',
  ANSWER_FOREIGN: 'answered for something else',
  REPEATED_REQUEST: 'denied before',
  PRINCIPAL_PAUSED: 'not asked: paused',
  QUEUE_FULL: 'not asked: too many wait',
  expiry: 'expired',
  nobody: 'nobody to ask',
  caller: 'cancelled',
};

function whatWasAnswered(data: Data): string {
  if (data['outcome'] === 'approved') return String((data['remember'] as Data | undefined)?.['scope'] ?? 'once');
  if (data['outcome'] === 'refused') return REFUSED[String(data['code'])] ?? REFUSED[String(data['by'])] ?? 'refused';
  return String(data['outcome']);
}

function endOf(data: Data): EndSummary {
  const { outcome, exitCode, signal, code, reason, durationMs } = data;
  return {
    outcome: String(outcome),
    ...(typeof exitCode === 'number' && { exitCode }),
    ...(typeof signal === 'string' && { signal }),
    ...(typeof code === 'string' && { code }),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof durationMs === 'number' && { durationMs }),
  };
}
