import type { CommandResult } from '../contract/result.js';
import type { Call, Calls, Carried } from './calls.js';

/** What a tool call can return with. */
export type Arrival =
  | { readonly kind: 'finished'; readonly result: CommandResult }
  /** Held by the question of `holder` for longer than the caller waits. */
  | { readonly kind: 'pending'; readonly holder: Call }
  | { readonly kind: 'background' }
  /** It runs on its terminal and has shown nothing new for a while: perhaps it waits for keys. */
  | { readonly kind: 'quiet' }
  /** A question that this reply must carry to the client's person. */
  | { readonly kind: 'carry'; readonly carried: Carried }
  | { readonly kind: 'late' };

export interface Patience {
  /** For a person's answer, in ms. */
  readonly answerMs: number;
  /** For anything at all, in ms. Default: no limit. */
  readonly totalMs?: number;
  /** How long a command on its terminal may be quiet, in ms. Default: for ever. */
  readonly quietMs?: number;
  /** Where a command in the background counts as arrived. Default `background`. */
  readonly until?: 'background' | 'end';
}

/** How soon a start in the background is noticed. */
const LOOK_MS = 25;
const QUIET_LOOK_MS = 250;

/** A command that was asked to run in the background is there as soon as it runs. */
const STARTED: ReadonlySet<string> = new Set(['running', 'background']);

/** Wait until there is something to say about a call. Never rejects. */
export async function arrival(calls: Calls, call: Call, patience: Patience): Promise<Arrival> {
  const began = performance.now();
  const leaves = call.background && patience.until !== 'end';
  let heldSince: number | undefined;
  let shown = { bytes: -1, at: began };
  for (;;) {
    const seen = calls.version;
    if (call.result) return { kind: 'finished', result: call.result };
    if (call.carried && !call.carried.sent) return { kind: 'carry', carried: call.carried };
    const now = performance.now();
    const holder = calls.holding(call);
    heldSince = holder ? (heldSince ?? now) : undefined;
    const answerLeft = heldSince === undefined ? Number.POSITIVE_INFINITY : heldSince + patience.answerMs - now;
    if (holder && answerLeft <= 0) return { kind: 'pending', holder };
    if (patience.quietMs !== undefined) {
      const status = await call.execution.status();
      const bytes = status.phase === 'running' ? status.progress.stdoutBytes : -1;
      if (bytes < 0 || bytes !== shown.bytes) shown = { bytes, at: now };
      else if (now - shown.at >= patience.quietMs) return { kind: 'quiet' };
    }
    if (leaves && STARTED.has((await call.execution.status()).phase)) return { kind: 'background' };
    const left = Math.min(answerLeft, began + (patience.totalMs ?? Number.POSITIVE_INFINITY) - now);
    if (left <= 0) return { kind: 'late' };
    const look = leaves && !holder ? LOOK_MS : patience.quietMs === undefined ? left : Math.min(left, QUIET_LOOK_MS);
    await calls.changed(seen, Number.isFinite(look) ? Math.max(1, look) : undefined);
  }
}
