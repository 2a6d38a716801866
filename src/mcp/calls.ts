import { ShellgateError } from '../contract/error.js';
import type { Execution } from '../contract/execution.js';
import type { Session } from '../contract/gate.js';
import type { Question } from '../contract/question.js';
import type { CommandResult } from '../contract/result.js';

/** What a client's person said to a question, as it came over the wire: nothing of it is checked. */
export interface Said {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: unknown;
}

/** Puts one question to the client's person. May reject; the signal ends it. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Said>;

/** One command of this client, from `run_shell` until it is forgotten. */
export interface Call {
  /** `c91`: what the model calls it. */
  readonly name: string;
  readonly session: Session;
  readonly text: string;
  readonly background: boolean;
  readonly tty: boolean;
  readonly deadlineMs: number;
  readonly execution: Execution;
  result: CommandResult | undefined;
  /** The question it waits for now. */
  question: Question | undefined;
  /** Every question it has had, as `k7qd-3f9a`. */
  readonly requests: Set<string>;
  /** Set while its client can be asked. */
  ask: Ask | undefined;
  /** A question that the next reply must carry to the client, and where its answer goes. */
  carried: Carried | undefined;
}

export interface Carried {
  readonly question: Question;
  sent: boolean;
  hear(said: Said): void;
}

/** Finished commands whose result is kept. */
const KEPT = 100;

/** The commands of one client by name, in the order they were asked for. */
export class Calls {
  readonly #calls = new Map<string, Call>();
  readonly #listeners = new Set<() => void>();
  #count = 0;
  #version = 0;

  add(start: Pick<Call, 'session' | 'text' | 'background' | 'tty' | 'deadlineMs' | 'execution'>): Call {
    const call: Call = {
      ...start,
      name: `c${++this.#count}`,
      result: undefined,
      question: undefined,
      requests: new Set(),
      ask: undefined,
      carried: undefined,
    };
    this.#calls.set(call.name, call);
    void call.execution.result.then(result => {
      call.result = result;
      this.#forgetOldest();
      this.notify();
    });
    return call;
  }

  /** By `c91` or `k7qd-3f9a`. Errors: `UNKNOWN_COMMAND`. */
  find({ command, request }: { readonly command?: string | undefined; readonly request?: string | undefined }): Call {
    const found = command === undefined ? this.#byRequest(request ?? '') : this.#calls.get(command);
    if (found) return found;
    const what = command ?? request ?? '';
    throw new ShellgateError('UNKNOWN_COMMAND', `no command ${what} is known here; name one that run_shell returned`);
  }

  byExecution(id: string): Call | undefined {
    return [...this.#calls.values()].find(call => call.execution.id === id);
  }

  /** The unfinished call whose question holds this call's session: an earlier one, or itself. */
  holding(call: Call): Call | undefined {
    if (call.result) return undefined;
    for (const each of this.#calls.values()) {
      if (each.session === call.session && !each.result && each.question) return each;
      if (each === call) return undefined;
    }
    return undefined;
  }

  /** Unfinished calls of a session. */
  under(session: Session): Call[] {
    return [...this.#calls.values()].filter(call => call.session === session && !call.result);
  }

  /** Counts changes of any call. */
  get version(): number {
    return this.#version;
  }

  /** Say that some call has changed. */
  notify(): void {
    this.#version += 1;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Resolves when there is a later version than the one seen, or after `ms`. */
  changed(seen: number, ms?: number): Promise<void> {
    if (seen !== this.#version) return Promise.resolve();
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      this.#listeners.add(done);
    });
  }

  #byRequest(request: string): Call | undefined {
    return [...this.#calls.values()].find(call => call.requests.has(request));
  }

  #forgetOldest(): void {
    const finished = [...this.#calls.values()].filter(call => call.result);
    for (const call of finished.slice(0, Math.max(0, finished.length - KEPT))) this.#calls.delete(call.name);
  }
}
