import type { Approver } from '../contract/answer.js';
import type { Accepted, Question } from '../contract/question.js';
import { type GateConnection, listGates } from './socket-client.js';

export interface WatchOptions {
  /** Who answers here: the terminal, as a rule. */
  readonly approver: Approver;
  readonly directory?: string;
  /** Told which gates were found, whenever that changes. */
  readonly onGates?: (gates: readonly GateConnection[]) => void;
  /** Told what became of each answer given here. */
  readonly onAnswered?: (question: Question, accepted: Accepted) => void;
}

/** How often new gates are looked for, in ms. */
const LOOK_MS = 500;

/**
 * `pending --watch`: put every question of every gate of this machine to one approver, until `signal` aborts. What is
 * answered elsewhere meanwhile is taken away from it.
 */
export async function watchGates(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const watched = new Map<string, { readonly gate: GateConnection; stop(): void }>();
  const tell = () => options.onGates?.([...watched.values()].map(each => each.gate));
  while (!signal.aborted) {
    const fresh = await listGates(options.directory, new Set(watched.keys()));
    for (const gate of fresh) {
      const onGone = () => {
        watched.delete(gate.path);
        tell();
      };
      watched.set(gate.path, { gate, stop: await watchOne(gate, options, onGone) });
    }
    if (fresh.length > 0) tell();
    await pause(LOOK_MS, signal);
  }
  for (const { stop } of watched.values()) stop();
}

async function watchOne(gate: GateConnection, { approver, onAnswered }: WatchOptions, onGone: () => void): Promise<() => void> {
  const open = new Map<string, AbortController>();
  async function take(question: Question): Promise<void> {
    if (open.has(question.id)) return;
    const ended = new AbortController();
    open.set(question.id, ended);
    const answer = await approver.request(question, ended.signal).catch(() => undefined);
    if (!answer || answer.outcome === 'unavailable') return;
    const accepted = await gate.answer(answer).catch(() => undefined);
    if (accepted) onAnswered?.(question, accepted);
  }
  function end(id: string, sentence: string): void {
    open.get(id)?.abort(sentence);
    open.delete(id);
  }
  function endAll(sentence: string): void {
    for (const id of [...open.keys()]) end(id, sentence);
  }
  const listener = {
    asked: (question: Question) => void take(question),
    ended: end,
    gone() {
      endAll('the gate that asked is gone');
      onGone();
    },
  };
  await gate.watch(listener).catch(() => {});
  return () => {
    gate.close();
    endAll('watching was ended');
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
