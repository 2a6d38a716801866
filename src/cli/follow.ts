import type { Execution, StreamName } from '../contract/execution.js';
import type { CommandResult } from '../contract/result.js';
import { createSgrFilter } from '../output/sgr-only.js';

/** Takes a piece of output; resolves when it may be given more. */
export type Sink = (bytes: Uint8Array) => Promise<void> | void;

const PIECE = 256 * 1024;

/** Hand a command's output to the sinks as it grows, each stream in order and whole, then its result. */
export async function follow(execution: Execution, sinks: Partial<Record<StreamName, Sink>>): Promise<CommandResult> {
  const offsets = new Map<StreamName, number>();
  const drain = async () => {
    for (const [stream, sink] of Object.entries(sinks) as [StreamName, Sink][]) {
      for (;;) {
        const chunk = await execution.output(stream, offsets.get(stream) ?? 0, PIECE);
        if (chunk.bytes.length === 0) break;
        offsets.set(stream, chunk.next);
        await sink(chunk.bytes);
      }
    }
  };
  for await (const _progress of execution.events()) await drain();
  const result = await execution.result;
  await drain();
  return result;
}

/** For a stream that a person may be looking at: on a terminal, text and colours only (the prompt's law); else every byte. */
export function shownSink(stream: NodeJS.WriteStream): Sink {
  const sink = streamSink(stream);
  if (!stream.isTTY) return sink;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const filter = createSgrFilter();
  return bytes => sink(Buffer.from(filter.write(decoder.decode(bytes, { stream: true }))));
}

/** A sink that writes to a stream and waits while it is full. A reader that went away ends nothing but the writing. */
export function streamSink(stream: NodeJS.WriteStream): Sink {
  let gone = false;
  stream.on('error', () => {
    gone = true;
  });
  return bytes =>
    new Promise<void>(resolve => {
      if (gone || stream.write(bytes)) resolve();
      else {
        const done = () => {
          stream.off('drain', done).off('error', done).off('close', done);
          resolve();
        };
        stream.once('drain', done).once('error', done).once('close', done);
      }
    });
}
