import { setTimeout as delay } from 'node:timers/promises';
import type { Execution, StreamName } from '../contract/execution.js';
import type { CommandResult } from '../contract/result.js';
import { textOf } from './model-text.js';
import { shortened } from './shortened.js';

interface Held {
  readonly execution: Execution;
  readonly streams: readonly StreamName[];
  /** How far each stream was read. */
  readonly read: Map<StreamName, number>;
  readonly began: number;
  result?: CommandResult;
}

export interface Reading {
  readonly waitMs: number;
  readonly maxTokens: number | undefined;
}

/** Finished commands that nobody came back for; more are forgotten, the oldest first. */
const FORGOTTEN_AFTER = 32;
const BYTES_PER_TOKEN = 4;
const READ_BYTES = 30_000;

/** Commands that may outlive the time their caller waits, by a number, as OpenAI's `exec_command` and `write_stdin` have it. */
export class HeldCommands {
  readonly #held = new Map<number, Held>();
  readonly #maxTimeoutMs: number;
  #count = 0;

  constructor(maxTimeoutMs: number) {
    this.#maxTimeoutMs = maxTimeoutMs;
  }

  add(execution: Execution, { tty }: { readonly tty: boolean }): number {
    const id = ++this.#count;
    const streams: readonly StreamName[] = tty ? ['terminal'] : ['stdout', 'stderr'];
    const one: Held = { execution, streams, read: new Map(), began: performance.now() };
    this.#held.set(id, one);
    void execution.result.then(result => {
      one.result = result;
      this.#forget();
    });
    return id;
  }

  cancel(id: number): void {
    this.#held.get(id)?.execution.cancel('Ctrl-C from the model');
  }

  /** The result where there is one within `waitMs`, and then it is gone; else what was printed since the last look. */
  async read(id: number, { waitMs, maxTokens }: Reading): Promise<string> {
    const one = this.#held.get(id);
    if (!one) return `No command ${id} runs here; it is over, or there was none.`;
    const result = one.result ?? (await within(waitMs, one.execution.result));
    const limit = maxTokens === undefined ? undefined : maxTokens * BYTES_PER_TOKEN;
    const time = `Wall time: ${((performance.now() - one.began) / 1_000).toFixed(1)} seconds`;
    if (!result) {
      return [time, `Process running with session ID ${id}`, 'Output:', shortened(await unread(one), limit)].join('\n');
    }
    this.#held.delete(id);
    return [time, 'Output:', shortened(textOf(result, this.#maxTimeoutMs), limit)].join('\n');
  }

  #forget(): void {
    const over = [...this.#held].filter(([, { result }]) => result !== undefined);
    for (const [id] of over.slice(0, Math.max(0, over.length - FORGOTTEN_AFTER))) this.#held.delete(id);
  }
}

async function within<T>(ms: number, result: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  return Promise.race([result, late]).finally(() => over.abort());
}

async function unread({ execution, streams, read }: Held): Promise<string> {
  const parts: string[] = [];
  for (const stream of streams) {
    const { bytes, next } = await execution.output(stream, read.get(stream) ?? 0, READ_BYTES);
    read.set(stream, next);
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    if (text !== '') parts.push(stream === 'stderr' ? `stderr: ${text}` : text);
  }
  return parts.join('\n');
}
