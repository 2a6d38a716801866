import type { Execution } from '../../contract/execution.js';
import type { Captured } from '../../contract/result.js';
import { marker } from '../../output/marker.js';
import { TRUNCATIONS, truncate } from '../../output/truncation.js';
import type { Fields, Recorder } from '../records/recorder.js';
import { type RanResult, readStream } from '../whole-output.js';

/** Where the whole of an output is kept that is too long for a model: raw, private, expiring. */
export interface Keeper {
  /** `name` is `<invocation>.<stream>`. `end` says what was kept; undefined where nothing could be. */
  open(name: string): { write(bytes: Uint8Array): void; end(): Captured['full'] };
}

/** One stream as a result shows it. */
export interface ShownStream {
  readonly text: string;
  /** Where the whole is, when `text` is a preview. */
  readonly persisted?: { readonly decisionId: string; readonly ref: Fields };
  /** A sentence for the model where the whole is nowhere. */
  readonly note?: string;
}

interface Streams {
  readonly execution: Execution;
  readonly result: RanResult;
  readonly recorder: Recorder;
  readonly keeper: Keeper | undefined;
}

/**
 * Both streams inlined while they have at most 30,000 characters together (S2-11); else a preview of each long one, its
 * whole in a file, and a persistence record that says so.
 */
export async function shownStreams(streams: Streams): Promise<{ stdout: ShownStream; stderr: ShownStream }> {
  const { stdout, stderr } = streams.result;
  const isWhole = stdout.omittedBytes + stderr.omittedBytes === 0;
  if (isWhole && characters(stdout.text) + characters(stderr.text) <= TRUNCATIONS.inline.limitChars) {
    return { stdout: { text: stdout.text }, stderr: { text: stderr.text } };
  }
  return { stdout: await persist(streams, 'stdout'), stderr: await persist(streams, 'stderr') };
}

const characters = (text: string): number => {
  let count = 0;
  for (const _point of text) count += 1;
  return count;
};

async function persist(streams: Streams, stream: 'stdout' | 'stderr'): Promise<ShownStream> {
  const { recorder, result } = streams;
  const captured = result[stream];
  if (captured.bytes <= TRUNCATIONS.inline.previewBytes) return { text: captured.text };
  const text = previewOf(captured);
  const full = captured.full ?? (await keep(streams, stream));
  const fields = {
    stream,
    threshold: { max_inline_chars: TRUNCATIONS.inline.limitChars },
    original_size_bytes: captured.bytes,
    preview_size_bytes: Buffer.byteLength(text),
  };
  if (!full) {
    recorder.persisted({ ...fields, strategy: 'drop_with_reason', reason: 'there is no place to keep long output' });
    return { text, note: `the middle of ${stream} could not be kept` };
  }
  const kept = `only the first ${full.bytes} of ${captured.bytes} bytes of ${stream} could be kept`;
  const ref = { uri: `file://${full.ref}`, media_type: 'text/plain', digest: `sha256:${full.sha256}` };
  const decisionId = recorder.persisted({
    ...fields,
    strategy: 'preview_and_persist',
    persisted_ref: ref,
    complete: full.complete,
    ...(!full.complete && { reason: kept }),
    redaction_state: 'raw',
  });
  return { text, persisted: { decisionId, ref }, ...(!full.complete && { note: kept }) };
}

/** Copies what memory still holds whole; of what it does not, a copy would have a hole that nobody sees. */
async function keep(streams: Streams, stream: 'stdout' | 'stderr'): Promise<Captured['full']> {
  const { execution, recorder, keeper, result } = streams;
  if (result[stream].omittedBytes > 0) return undefined;
  try {
    const file = keeper?.open(`${recorder.invocationId}.${stream}`);
    if (!file) return undefined;
    await readStream(execution, stream, bytes => file.write(bytes));
    return file.end();
  } catch {
    // The command has run; that its output could not be kept must not hide how it ended.
    return undefined;
  }
}

/** Head and tail of what is kept. What the capture left out is left out here as well, so it is counted. */
function previewOf({ text, bytes }: Captured): string {
  const { previewBytes } = TRUNCATIONS.inline;
  const shown = truncate(Buffer.from(text), { strategy: 'head_tail', limitBytes: previewBytes });
  return shown.text.replace(marker(shown.omittedBytes), () => marker(bytes - shown.keptBytes));
}
