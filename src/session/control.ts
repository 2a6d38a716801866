import type { ByteSource } from '../contract/executor.js';
import type { RawReport, ShellFamily } from '../contract/shell-family.js';

/** The host's end of the control stream: hands each report to whoever waits for its nonce. Others count as stray. */
export interface Control {
  /** `listener` gets the report with this nonce, once. */
  expect(nonce: string, listener: (report: RawReport) => void): void;
  forget(nonce: string): void;
  readonly ended: boolean;
}

export function createControl(family: ShellFamily, source: ByteSource, stray: (text: string) => void): Control {
  const waiting = new Map<string, (report: RawReport) => void>();
  let rest: Uint8Array = new Uint8Array(0);
  let ended = false;
  source.onData(bytes => {
    const cut = family.reports(rest.length === 0 ? bytes : Buffer.concat([rest, bytes]), nonce => waiting.has(nonce));
    rest = cut.rest;
    if (cut.stray !== '') stray(cut.stray);
    for (const report of cut.reports) {
      const listener = waiting.get(report.nonce);
      waiting.delete(report.nonce);
      listener?.(report);
    }
  });
  source.onEnd(() => {
    ended = true;
  });
  return {
    expect: (nonce, listener) => void waiting.set(nonce, listener),
    forget: nonce => void waiting.delete(nonce),
    get ended() {
      return ended;
    },
  };
}
