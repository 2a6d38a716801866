import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditFollower, AuditRecord, AuditType } from '../../contract/audit.js';
import { linesOf } from '../lines.js';
import { parseRecord } from '../record.js';

/** How many records a follower gets at once, at most. */
const BATCH = 256;

/** What the pump reads: a chain file that is being appended to. */
export interface Followed {
  readonly fd: number;
  readonly size: number;
  append(type: AuditType, data: unknown): void;
}

/**
 * Brings the records of one chain to one follower, in order, in batches. It reads them back from the file, so a slow
 * follower costs neither memory nor time of a command, and misses nothing. A throw is recorded as `follower.failed` and
 * forgotten: the batch is not sent again.
 */
export class FollowerPump {
  readonly #follower: AuditFollower;
  readonly #followed: Followed;
  #from: number;
  #running: Promise<void> | undefined;
  #reading: Promise<readonly AuditRecord[]> | undefined;
  #stopped = false;
  /** Failures go unrecorded once the chain has its last record. */
  #closing = false;

  constructor(follower: AuditFollower, followed: Followed) {
    this.#follower = follower;
    this.#followed = followed;
    this.#from = followed.size;
  }

  /** There is something new. Costs the caller nothing: the reading begins on a later turn of the event loop. */
  wake(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Everything recorded so far was delivered, or `limitMs` passed. */
  async drained(limitMs: number): Promise<void> {
    const end = this.#followed.size;
    const delivered = await within(limitMs, async () => {
      let before = -1;
      // What cannot be read on is the unfinished line of a chain that failed.
      while (this.#from < end && this.#from > before && !this.#stopped) {
        before = this.#from;
        this.wake();
        await this.#running;
      }
    });
    if (delivered) return;
    this.#stopped = true;
    this.#failed(`did not take its records within ${limitMs} ms; it gets no more of them`);
  }

  /** After the chain's last record. Resolves when the file is not read any more. */
  async close(limitMs: number): Promise<void> {
    this.#closing = true;
    await this.drained(limitMs);
    this.#stopped = true;
    await this.#reading?.catch(() => undefined);
    await within(limitMs, async () => this.#follower.close?.());
  }

  async #run(): Promise<void> {
    await nextTurn();
    while (this.#from < this.#followed.size && !this.#stopped) {
      const before = this.#from;
      try {
        this.#reading = this.#read();
        const batch = await this.#reading;
        this.#reading = undefined;
        if (batch.length > 0) await this.#deliver(batch);
      } catch (error) {
        this.#stopped = true;
        this.#failed(`the log could not be read back: ${(error as Error).message}`);
      }
      if (this.#from === before) return;
    }
  }

  async #read(): Promise<readonly AuditRecord[]> {
    const batch: AuditRecord[] = [];
    let count = 0;
    for await (const line of linesOf(this.#followed.fd, this.#from, this.#followed.size)) {
      if (!line.complete) break;
      this.#from = line.to;
      const record = parseRecord(line.bytes);
      if (record && !this.#isOwnFailure(record)) batch.push(record);
      count += 1;
      if (count === BATCH) break;
    }
    return batch;
  }

  async #deliver(batch: readonly AuditRecord[]): Promise<void> {
    try {
      await this.#follower.write(batch);
    } catch (error) {
      // Two followers that fail on each other's failures would never come to an end.
      if (batch.every(record => record.type === 'follower.failed')) return;
      this.#failed(error instanceof Error ? error.message : String(error), batch);
    }
  }

  #failed(message: string, batch: readonly AuditRecord[] = []): void {
    if (this.#closing) return;
    const from = batch[0]?.seq;
    this.#followed.append('follower.failed', { name: this.#follower.name, message, from, to: batch.at(-1)?.seq });
  }

  #isOwnFailure(record: AuditRecord): boolean {
    return record.type === 'follower.failed' && (record.data as { name?: unknown }).name === this.#follower.name;
  }
}

/** false: it took longer. What it throws counts as done. */
async function within(limitMs: number, work: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>(resolve => {
    timer = setTimeout(resolve, limitMs, false);
  });
  const done = work().then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
