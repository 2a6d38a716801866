import type { Session } from '../contract/gate.js';
import type { Principal } from '../contract/principal.js';

/** What every adapter may be told. */
export interface AdapterOptions {
  /** Who asks, for the question and the log. Default: a model called by the SDK. */
  readonly principal?: Principal;
  /** Who answers in the host's own dialog. Default: the program that runs the SDK. */
  readonly approver?: Principal;
  /** Deadline of a command that names none, in ms. Default 120,000. */
  readonly timeoutMs?: number;
  /** The longest deadline a model may ask for, in ms. Default 600,000. */
  readonly maxTimeoutMs?: number;
}

/** A session as one SDK drives it, every option settled. */
export interface Adapter extends Required<AdapterOptions> {
  readonly session: Session;
  /** Name of the SDK in the log. */
  readonly channel: string;
}

export function adapterOf(
  session: Session,
  options: AdapterOptions,
  sdk: { readonly channel: string; readonly label: string },
): Adapter {
  const { channel, label } = sdk;
  return {
    session,
    channel,
    principal: options.principal ?? { kind: 'model', id: channel, label: `a model (${label})` },
    approver: options.approver ?? { kind: 'program', id: channel, label: `the host of ${label}` },
    timeoutMs: options.timeoutMs ?? 120_000,
    maxTimeoutMs: options.maxTimeoutMs ?? 600_000,
  };
}
