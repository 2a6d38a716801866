import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, unlinkSync, writeFileSync } from 'node:fs';
import type { AuditHead, AuditType } from '../contract/audit.js';
import type { Refusal } from '../contract/result.js';
import { type Disk, realDisk } from './disk.js';
import { MAX_LINE, NO_RECORD, seal } from './record.js';

/** Wall clock in ms and monotonic clock in ns. */
export interface Clock {
  now(): number;
  monotonicNs(): bigint;
}
export const realClock: Clock = { now: Date.now, monotonicNs: process.hrtime.bigint };

/** Room that is kept free for the last records of a chain whose disk is full, in bytes. */
const RESERVE = 64 * 1024;

/** An opened chain file and the place to go on from. Owned by the chain that is made of it. */
export interface ChainFile {
  readonly fd: number;
  readonly path: string;
  readonly chain: string;
  readonly size: number;
  readonly seq: number;
  readonly hash: string;
}

/** `session` and `command` of a record. */
export interface About {
  readonly session?: string;
  readonly command?: string;
}

/**
 * The one writer of one chain file. Every record is written at once, so a killed process loses none; `durable` makes
 * them safe from a power cut as well. The first failure is kept and told by every later `durable`.
 */
export class Chain {
  readonly #file: ChainFile;
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #reserve: string;
  #size: number;
  #seq: number;
  #hash: string;
  #synced: number;
  #failure: Refusal | undefined;
  /** Nothing is written any more, not even into the reserve. */
  #broken = false;
  #closed = false;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** Throws as `fs` does when there is no room for the reserve. */
  constructor(file: ChainFile, disk: Disk = realDisk, clock: Clock = realClock) {
    this.#file = file;
    this.#disk = disk;
    this.#clock = clock;
    this.#size = file.size;
    this.#synced = file.size;
    this.#seq = file.seq;
    this.#hash = file.seq === 0 ? NO_RECORD : file.hash;
    this.#reserve = `${file.path.slice(0, -'.jsonl'.length)}.reserve`;
    this.#freeReserve(); // a dead owner's
    try {
      writeFileSync(this.#reserve, Buffer.alloc(RESERVE, ' '), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      this.#freeReserve();
      throw error;
    }
  }

  /** Bytes written; after a failure they may end in an unfinished record. */
  get size(): number {
    return this.#size;
  }

  get fd(): number {
    return this.#file.fd;
  }

  get path(): string {
    return this.#file.path;
  }

  get failure(): Refusal | undefined {
    return this.#failure;
  }

  head(): AuditHead {
    return { chain: this.#file.chain, seq: this.#seq, hash: this.#hash };
  }

  /** Never throws. */
  append(type: AuditType, data: unknown, about: About = {}): void {
    if (this.#broken || this.#closed) return;
    try {
      const record = {
        v: 1 as const,
        chain: this.#file.chain,
        seq: this.#seq + 1,
        time: new Date(this.#clock.now()).toISOString(),
        monoNs: String(this.#clock.monotonicNs()),
        type,
        ...about,
        prev: this.#hash,
      };
      let sealed = seal({ ...record, data });
      if (sealed.line.length > MAX_LINE / 4) sealed = seal({ ...record, data: tooLong(sealed.line) });
      this.#write(Buffer.from(`${sealed.line}\n`));
      this.#seq = record.seq;
      this.#hash = sealed.hash;
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  /** Nothing can be recorded any more: what must not be left out of the log could not be put into it. */
  fail(why: string): void {
    this.#broken = true;
    this.#refuse('AUDIT_UNAVAILABLE', why);
  }

  /** Everything appended so far is on disk, in the file it should be in; else why not. */
  async durable(): Promise<Refusal | undefined> {
    this.check();
    if (this.#failure) return this.#failure;
    if (this.#synced < this.#size) await this.#sync();
    return this.#failure;
  }

  /** Syncs and closes; false when the chain had failed. Nothing can be appended afterwards. */
  async close(): Promise<boolean> {
    if (this.#closed) return false;
    this.#closed = true;
    const failed = await this.durable();
    closeSync(this.#file.fd);
    this.#freeReserve();
    this.#refuse('AUDIT_UNAVAILABLE', 'the log is closed');
    return !failed;
  }

  /** Is the file still itself? If not, nothing is written to it any more. */
  check(): void {
    if (this.#failure) return;
    let wrong: string | undefined;
    try {
      wrong = this.#disk.changed(this.#file.fd, this.#file.path, this.#size);
    } catch (error) {
      this.#refuse('AUDIT_UNAVAILABLE', (error as Error).message);
    }
    if (wrong === undefined) return;
    this.#broken = true;
    this.#refuse('AUDIT_TAMPERED', `the file ${wrong} while it was being written`);
  }

  #write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      try {
        const written = this.#disk.write(this.#file.fd, bytes.subarray(done));
        done += written;
        this.#size += written;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (this.#failure || (code !== 'ENOSPC' && code !== 'EDQUOT')) throw error;
        this.#refuse('AUDIT_UNAVAILABLE', 'no space left');
        this.#freeReserve();
      }
    }
  }

  /** An fdatasync under way may have begun before our bytes came: all who wait for it share the next one. */
  #sync(): Promise<void> {
    if (this.#next) return this.#next;
    if (!this.#running) return this.#startSync();
    this.#next = this.#running.then(() => {
      this.#next = undefined;
      return this.#startSync();
    });
    return this.#next;
  }

  #startSync(): Promise<void> {
    const upTo = this.#size;
    const running = this.#disk
      .sync(this.#file.fd)
      .then(
        () => {
          this.#synced = Math.max(this.#synced, upTo);
        },
        // After a failed sync the kernel may have dropped the pages: trying again would succeed and prove nothing.
        error => this.#refuse('AUDIT_UNAVAILABLE', (error as Error).message),
      )
      .finally(() => {
        if (this.#running === running) this.#running = undefined;
      });
    this.#running = running;
    return running;
  }

  #refuse(code: 'AUDIT_UNAVAILABLE' | 'AUDIT_TAMPERED', why: string): void {
    this.#failure ??= auditRefusal(code, `${this.#file.path}: ${why}`);
  }

  #freeReserve(): void {
    try {
      unlinkSync(this.#reserve);
    } catch {}
  }
}

/** Stands for data that no reader could hold. */
function tooLong(line: string): unknown {
  return { tooLong: { characters: line.length, sha256: createHash('sha256').update(line).digest('hex') } };
}

/** The refusal of a command that could not be recorded (P1). */
export function auditRefusal(code: 'AUDIT_UNAVAILABLE' | 'AUDIT_TAMPERED', why: string): Refusal {
  return { outcome: 'refused', by: 'audit', code, reason: `${why}. The command did not run.` };
}

/** How chain files are opened: appending only, never through a link. Made files are new and private. */
export function openToAppend(path: string, how: 'new' | 'existing'): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;
  return how === 'new' ? openSync(path, flags | constants.O_CREAT | constants.O_EXCL, 0o600) : openSync(path, flags);
}
