import type { Request } from './request.js';
import type { Refusal } from './result.js';

export type AuditType =
  | 'session.opened'
  | 'session.closed'
  | 'session.lost'
  | 'command.requested'
  | 'command.evaluated'
  | 'command.started'
  | 'command.finished'
  | 'command.refused'
  | 'facts.queried'
  | 'approval.requested'
  | 'approval.answered'
  | 'answer.refused'
  | 'input.requested'
  | 'input.started'
  | 'input.written'
  | 'output.late'
  | 'grant.added'
  | 'grant.failed'
  | 'grant.revoked'
  | 'policy.loaded'
  | 'policy.kept'
  | 'policy.shadowed'
  | 'principal.paused'
  | 'principal.resumed'
  | 'follower.failed'
  | 'audit.repaired'
  | 'audit.opened'
  | 'audit.head';

/** One line of a chain. `hash` covers the RFC 8785 form of all other fields; `prev` is the hash of the record before. */
export interface AuditRecord {
  readonly v: 1;
  readonly chain: string;
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly monoNs: string;
  readonly type: AuditType;
  readonly session?: string;
  readonly command?: string;
  readonly data: unknown;
  readonly prev: string;
  readonly hash: string;
}

/** The log of one command. `record` never throws; a failure is told by the next `durable`. */
export interface CommandLog {
  record(type: AuditType, data: unknown): void;
  /** Everything recorded so far is on disk when this resolves with nothing; else the refusal to return (P1). */
  durable(): Promise<Refusal | undefined>;
}

/** One, required, chained, redacting before it hashes. After one failure it fails for good. */
export interface AuditLog {
  command(request: Request): CommandLog;
  /** An event that belongs to no command. */
  event(type: AuditType, data: unknown, session?: string): void;
  durable(): Promise<Refusal | undefined>;
  /** The chain's name and the hash of its last record. */
  head(): { readonly chain: string; readonly seq: number; readonly hash: string };
  close(): Promise<void>;
}

/** Reads the log, never stops a command. Records come in order, in batches; a throw is recorded and forgotten. */
export interface AuditFollower {
  readonly name: string;
  write(records: readonly AuditRecord[]): Promise<void>;
  /** Called once, after the last batch, when the log closes. */
  close?(): Promise<void>;
}

/** A place in a chain: its `seq`th record has this hash. Kept elsewhere it also proves that no tail was cut. */
export interface AuditHead {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

/** What is wrong with a log, and where. */
export interface AuditProblem {
  readonly kind: 'content' | 'unreadable' | 'missing-record' | 'order' | 'link' | 'torn' | 'missing-chain' | 'cut' | 'replaced';
  readonly chain: string;
  /** Absent when the chain's file is what is missing. */
  readonly file?: string;
  /** The record concerned, counted from 1. */
  readonly record?: number;
  /** The record that names what is missing, or `the expected head`. */
  readonly namedBy?: string;
  /** One sentence with file and record: `2026-11-20-9d02c1aa.jsonl record 417: content does not match its hash; …`. */
  readonly text: string;
}

/** What reading a whole log directory showed. */
export interface Verification {
  readonly intact: boolean;
  /** Without a key whoever can write the directory can also make a new consistent log. */
  readonly assurance: 'consistent, not authenticated';
  readonly chains: number;
  /** Records that stand in an unbroken chain. */
  readonly records: number;
  readonly problems: readonly AuditProblem[];
  /** The last intact place of each chain, to be kept elsewhere. */
  readonly heads: readonly AuditHead[];
}
