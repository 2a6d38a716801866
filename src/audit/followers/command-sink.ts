import type { AuditFollower } from '../../contract/audit.js';

/** A running program that takes text on its standard input. Handed in by whoever may start processes. */
export interface SinkProcess {
  /** Resolves when the pipe took the text; rejects when the program is gone. */
  write(text: string): Promise<void>;
  /** Ends its input and resolves when it has exited; whoever made it sees to it that it does. */
  close(): Promise<void>;
}

/** Starts a program that is not gated: it belongs to the person who configured it, never to a model. */
export type StartSink = (argv: readonly string[]) => SinkProcess;

/**
 * Pipes every record as one JSON line to a program: `['logger', '-t', 'shellgate']`, vector, a shipper. The program is
 * started with the first record and again after it died; a batch it did not take is recorded as `follower.failed` and
 * stays in the log, from where it can be exported.
 */
export function commandSink(argv: readonly string[], start: StartSink): AuditFollower {
  let running: SinkProcess | undefined;
  return {
    name: `command sink ${argv[0] ?? ''}`,
    async write(records) {
      running ??= start(argv);
      try {
        await running.write(records.map(record => `${JSON.stringify(record)}\n`).join(''));
      } catch (error) {
        running = undefined;
        throw error;
      }
    },
    async close() {
      await running?.close();
    },
  };
}
