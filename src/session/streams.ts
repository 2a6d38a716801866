import type { Chunk, Progress, StreamName } from '../contract/execution.js';
import type { ByteSource } from '../contract/executor.js';
import type { Captured } from '../contract/result.js';
import { type Collector, createCollector } from '../output/collector.js';
import type { Spools, SpoolWriter } from '../output/spool.js';

export interface Keeping {
  /** Bytes of a stream that a result keeps. Absent: the collector's default. */
  readonly limitBytes?: number;
  readonly spools?: Spools;
}

/** The output of one command as it comes: collected, spooled, readable by offset. */
export interface Streams {
  /** Where a source's bytes go. */
  follow(name: StreamName, source: ByteSource): void;
  write(name: StreamName, bytes: Uint8Array): void;
  output(name: StreamName, from: number, max: number): Promise<Chunk>;
  counts(): Pick<Progress, 'stdoutBytes' | 'stderrBytes' | 'stdoutLines' | 'stderrLines'>;
  /** What begins so is not the command's own, nor is anything behind it. Nothing happens to a stream too long for memory. */
  cutAt(name: StreamName, beginning: string): void;
  /** No more bytes come; what a result shows. */
  finish(): Promise<{ stdout: Captured; stderr: Captured }>;
}

/** A terminal has one stream: what results call stdout. */
export function createStreams(commandId: string, keeping: Keeping): Streams {
  const collector = (name: string): Collector => {
    const { limitBytes, spools } = keeping;
    const spool = spools && openedLate(() => spools.open(`${commandId}.${name}`));
    return createCollector({ ...(limitBytes !== undefined && { limitBytes }), ...(spool && { spool }) });
  };
  const stdout = collector('stdout');
  const stderr = collector('stderr');
  const of = (name: StreamName): Collector => (name === 'stderr' ? stderr : stdout);
  return {
    follow: (name, source) => source.onData(bytes => of(name).write(bytes)),
    write: (name, bytes) => of(name).write(bytes),
    output: (name, from, max) => of(name).read(from, max),
    counts: () => ({
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
      stdoutLines: stdout.lines,
      stderrLines: stderr.lines,
    }),
    cutAt: (name, beginning) => of(name).cutAt(beginning),
    async finish() {
      stdout.end();
      stderr.end();
      return { stdout: await stdout.captured(), stderr: await stderr.captured() };
    },
  };
}

/** Most commands write little: they never have a writer that the spool directory must keep account of. */
function openedLate(open: () => SpoolWriter): SpoolWriter {
  let writer: SpoolWriter | undefined;
  return {
    write(bytes) {
      writer ??= open();
      writer.write(bytes);
    },
    get bytes() {
      return writer?.bytes ?? 0;
    },
    read: (from, max) => writer?.read(from, max) ?? new Uint8Array(0),
    end: () => writer?.end(),
  };
}
