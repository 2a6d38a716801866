import { userInfo } from 'node:os';
import type { AuditFollower, AuditHead, AuditLog, AuditType, CommandLog } from '../contract/audit.js';
import { codeOf } from '../contract/error.js';
import type { Redactor } from '../contract/redactor.js';
import type { Request } from '../contract/request.js';
import type { Refusal } from '../contract/result.js';
import { privateDirectory } from '../platform.js';
import { auditRefusal, type Clock, realClock } from './chain.js';
import { headsSince } from './directory.js';
import { type Disk, realDisk } from './disk.js';
import { FollowerPump } from './followers/pump.js';
import { type ChainParts, continueToday, newChain, type OwnedChain } from './open-chain.js';
import { thisProcess } from './owner.js';
import { NO_RECORD } from './record.js';
import { recorded } from './recorded.js';
import { settleDeadChains } from './settle.js';

export interface AuditOptions {
  /** Made 0700 if missing; refused when others can enter it. */
  readonly directory: string;
  readonly redactor: Redactor;
  readonly followers?: readonly AuditFollower[];
  /** How long closing waits for followers to take the last records, in ms. Default 2000. */
  readonly followersMayTakeMs?: number;
  /** true: go on with a chain of today that was closed properly, if nobody else does. For short-lived processes. */
  readonly continueDay?: boolean;
  /** What the process runs with; recorded in the chain's first record. */
  readonly config?: unknown;
  readonly policyHash?: string;
  /** shellgate's version. */
  readonly version?: string;
  readonly clock?: Clock;
  /** For tests: a disk that fails. */
  readonly disk?: Disk;
}

export interface OpenedLog extends AuditLog {
  /** The chain's file; undefined when none could be opened. */
  readonly file: string | undefined;
  /** Why nothing can be recorded any more; undefined while all is well. */
  failure(): Refusal | undefined;
  /** What is wrong with older files of this directory, one sentence each. */
  readonly alarms: readonly string[];
}

/**
 * Open a log of our own in a private directory. Never rejects: a log that cannot be opened refuses every command with
 * `AUDIT_UNAVAILABLE` and the reason (P1).
 */
export async function openAuditLog(options: AuditOptions): Promise<OpenedLog> {
  const alarms: string[] = [];
  const { directory, disk = realDisk, clock = realClock } = options;
  try {
    privateDirectory(directory);
    const parts: ChainParts = { disk, clock, alarm: text => alarms.push(text) };
    const self = { ...thisProcess(), uid: process.getuid?.(), user: userName(), version: options.version };
    await settleDeadChains(directory, parts, self);
    const owned = (options.continueDay && continueToday(directory, parts)) || newChain(directory, parts);
    try {
      return new Log(owned, { ...options, clock }, { alarms, self });
    } catch (error) {
      await owned.release();
      throw error;
    }
  } catch (error) {
    return failedLog(auditRefusal('AUDIT_UNAVAILABLE', said(error, directory)), alarms);
  }
}

class Log implements OpenedLog {
  readonly alarms: readonly string[];
  readonly #owned: OwnedChain;
  readonly #redactor: Redactor;
  readonly #pumps: readonly FollowerPump[];
  readonly #followersMayTakeMs: number;
  readonly #openedMs: number;
  #closing: Promise<void> | undefined;

  constructor(owned: OwnedChain, options: AuditOptions, opening: { alarms: readonly string[]; self: object }) {
    this.#owned = owned;
    this.#redactor = options.redactor;
    this.alarms = opening.alarms;
    this.#followersMayTakeMs = options.followersMayTakeMs ?? 2_000;
    this.#openedMs = (options.clock ?? realClock).now();
    this.#pumps = (options.followers ?? []).map(follower => new FollowerPump(follower, owned.chain));
    this.#open(options, opening);
  }

  get file(): string {
    return this.#owned.chain.path;
  }

  failure(): Refusal | undefined {
    return this.#owned.chain.failure;
  }

  command(request: Request): CommandLog {
    const about = { session: request.sessionId, command: request.id };
    return {
      record: (type, data) => this.#record(type, data, about),
      durable: async () => {
        const refusal = await this.#owned.chain.durable();
        // The reserve may still have room for the sentence that nothing ran.
        if (refusal) this.#record('command.refused', refusal, about);
        return refusal;
      },
    };
  }

  event(type: AuditType, data: unknown, session?: string): void {
    this.#record(type, data, session === undefined ? {} : { session });
  }

  durable(): Promise<Refusal | undefined> {
    return this.#owned.chain.durable();
  }

  head(): AuditHead {
    return this.#owned.chain.head();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#pumps.map(pump => pump.drained(this.#followersMayTakeMs)));
    this.#owned.chain.check();
    this.#owned.chain.append('audit.head', { closed: true, openedMs: this.#openedMs });
    await this.#owned.chain.durable();
    await Promise.all(this.#pumps.map(pump => pump.close(this.#followersMayTakeMs)));
    await this.#owned.release();
  }

  #open(options: AuditOptions, { alarms, self }: { alarms: readonly string[]; self: object }): void {
    const { name, openedMs, repaired } = this.#owned;
    const { heads, headless } = headsSince(options.directory, openedMs, name.chain);
    const { config, policyHash } = options;
    this.#record('audit.opened', { ...self, config, policyHash, heads, headless, alarms });
    if (repaired) this.#record('audit.repaired', repaired);
  }

  #record(type: AuditType, data: unknown, about: { session?: string; command?: string } = {}): void {
    let kept: unknown;
    try {
      kept = recorded(type, data, this.#redactor);
    } catch (error) {
      this.#owned.chain.fail(`a ${type} could not be recorded: ${(error as Error).message}`);
      return;
    }
    this.#owned.chain.append(type, kept, about);
    for (const pump of this.#pumps) pump.wake();
  }
}

/** Refuses everything; nothing was opened. */
function failedLog(refusal: Refusal, alarms: readonly string[]): OpenedLog {
  return {
    file: undefined,
    alarms,
    failure: () => refusal,
    command: () => ({ record() {}, durable: async () => refusal }),
    event() {},
    durable: async () => refusal,
    head: () => ({ chain: '', seq: 0, hash: NO_RECORD }),
    close: async () => {},
  };
}

/** A container's user may have no name. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

function said(error: unknown, directory: string): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (codeOf(error)) return message;
  return `${directory}: ${code === 'ENOSPC' || code === 'EDQUOT' ? 'no space left' : message}`;
}
