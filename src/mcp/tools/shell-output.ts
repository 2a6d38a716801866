import { z } from 'zod';
import type { Desk } from '../desk.js';
import { screenOf } from '../statuses.js';
import { type McpTool, reply } from '../tool.js';
import { isOneCall, ONE_CALL, whichCall } from './which-call.js';

const DEFAULT_BYTES = 16_384;
const MOST_BYTES = 30_000;

const input = z
  .strictObject({
    ...whichCall,
    stream: z.enum(['stdout', 'stderr', 'terminal']).optional().describe('Default stdout; terminal for commands with tty.'),
    from: z.number().int().nonnegative().optional().describe('Byte to start at. Default 0; go on at "next".'),
    max_bytes: z.number().int().positive().max(MOST_BYTES).optional().describe(`Default ${DEFAULT_BYTES}.`),
  })
  .refine(isOneCall, ONE_CALL);

/** A piece of a command's whole output, by offset, while it runs and after. */
export function shellOutput({ calls }: Desk): McpTool<typeof input> {
  return {
    name: 'shell_output',
    title: 'Output of a command',
    description: 'A piece of what a command has printed so far, read by byte offset. Works while it runs and afterwards.',
    input,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    async call({ command, request, stream = 'stdout', from = 0, max_bytes = DEFAULT_BYTES }) {
      const call = calls.find({ command, request });
      const chunk = await call.execution.output(stream, from, max_bytes);
      const { text, bytes } = wholeCharacters(chunk.bytes, { isLast: chunk.end, isFull: chunk.bytes.length === max_bytes });
      // Nothing, and then a later offset: what the quota did not let be kept.
      const missing = chunk.bytes.length === 0 ? chunk.next - from : 0;
      const next = from + bytes + missing;
      const more = !chunk.end || next < chunk.next;
      const notes = [
        ...(missing > 0 ? [`${missing} bytes from ${from} on were too much to keep.`] : []),
        ...(more ? [call.result ? `There is more: go on from ${next}.` : moreMayCome(call.name, next)] : []),
      ];
      const shows = stream === 'terminal' ? screenOf(await call.execution.screen()) : {};
      const said = { command: call.name, stream, text, from, next, end: !more, ...shows };
      return reply({
        ...said,
        ...(missing > 0 && { missingBytes: missing }),
        ...(notes.length > 0 && { note: notes.join(' ') }),
      });
    },
  };
}

const moreMayCome = (name: string, next: number): string => `More may come: go on from ${next}, or shell_status ${name}.`;

/** How a piece came to end where it does. */
interface Edge {
  /** At the end of the output. */
  readonly isLast: boolean;
  /** Because no more was asked for; else because no more is there yet. */
  readonly isFull: boolean;
}

/** The text of a piece without a character that its end cuts in two; `bytes` is what the text stands for. */
export function wholeCharacters(bytes: Uint8Array, { isLast, isFull }: Edge): { text: string; bytes: number } {
  const cut = isLast ? 0 : cutBytes(bytes);
  // Whoever asks for less than one character would never get on.
  const kept = isFull && cut === bytes.length ? bytes : bytes.subarray(0, bytes.length - cut);
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept), bytes: kept.length };
}

/** How many bytes at the end begin a UTF-8 character that is not complete; 0 for anything that is no UTF-8. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80 || byte >= 0xf8) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}
