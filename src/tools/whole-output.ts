import { ShellgateError } from '../contract/error.js';
import type { Execution } from '../contract/execution.js';
import type { Captured, CommandResult, Refusal } from '../contract/result.js';
import { createErrorLineTruncator } from '../output/error-lines.js';
import { shareLimit } from '../output/truncation.js';

/** A result of something that ran. */
export type RanResult = Exclude<CommandResult, Refusal>;
type Stream = 'stdout' | 'stderr';

const PIECE_BYTES = 256 * 1024;
/** `no limit` ends here: more is no answer to a model but a way to fill this process's memory. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Hands over a stream of a finished command piece by piece. Resolves with the number of bytes that came. */
export async function readStream(execution: Execution, stream: Stream, take: (bytes: Uint8Array) => void): Promise<number> {
  let came = 0;
  for (let from = 0; ; ) {
    const chunk = await execution.output(stream, from, PIECE_BYTES);
    if (chunk.bytes.length > 0) take(chunk.bytes);
    came += chunk.bytes.length;
    if (chunk.end || chunk.next <= from) return came;
    from = chunk.next;
  }
}

/**
 * Both streams of a finished command under one limit in bytes (S1-02, S1-09 to S1-13); 0: everything. Errors:
 * `OUTPUT_TOO_LARGE` for everything of an output over 256 MiB.
 */
export async function limitedOutput(
  execution: Execution,
  { stdout, stderr }: RanResult,
  limitBytes: number,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const total = stdout.bytes + stderr.bytes;
  if (limitBytes === 0 && total > MOST_BYTES) {
    throw new ShellgateError('OUTPUT_TOO_LARGE', `the output has ${total} bytes; give max_output, or write it to a file`);
  }
  const [out, err] = shareLimit(limitBytes, [stdout.bytes, stderr.bytes]);
  return {
    stdout: await limited(execution, { stream: 'stdout', captured: stdout, limitBytes: out }),
    stderr: await limited(execution, { stream: 'stderr', captured: stderr, limitBytes: err }),
  };
}

interface Limited {
  readonly stream: Stream;
  readonly captured: Captured;
  readonly limitBytes: number;
}

async function limited(execution: Execution, { stream, captured, limitBytes }: Limited): Promise<string> {
  if (captured.omittedBytes === 0 && captured.bytes <= limitBytes) return captured.text;
  const truncator = createErrorLineTruncator(limitBytes, captured.bytes);
  const came = await readStream(execution, stream, bytes => truncator.write(bytes));
  if (came === captured.bytes) return truncator.end().text;
  // The spool's quota cut it: head and tail are all there is.
  const rest = Buffer.from(captured.text);
  const again = createErrorLineTruncator(limitBytes, rest.length);
  again.write(rest);
  return again.end().text;
}
