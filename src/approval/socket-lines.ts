import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

/** A question of the largest size in display form, and its analysis, with room to spare. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** A peer that does not read is let go. */
const MOST_UNSENT = 128 * 1024 * 1024;

export function sendLine(socket: Socket, message: object): void {
  if (socket.destroyed || !socket.writable) return;
  socket.write(`${JSON.stringify(message)}\n`);
  if (socket.writableLength > MOST_UNSENT) socket.destroy();
}

/** One call for each line of JSON. A line that is none, or is too long, ends the connection. */
export function receiveLines(socket: Socket, receive: (message: unknown) => void): void {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let size = 0;
  socket.on('data', data => {
    const text = decoder.write(data);
    const lines = text.split('\n');
    const rest = lines.pop()!;
    for (const line of lines) {
      pieces.push(line);
      if (!take(pieces.join(''))) return;
      [pieces, size] = [[], 0];
    }
    pieces.push(rest);
    size += rest.length;
    if (size > LONGEST_LINE) socket.destroy();
  });

  function take(line: string): boolean {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      socket.destroy();
      return false;
    }
    receive(message);
    return !socket.destroyed;
  }
}
