/** Takes the mark that ends a terminal command out of its output, wherever the chunks are cut. */
export interface MarkFilter {
  write(bytes: Uint8Array): void;
  /** Give out what was kept back as the possible beginning of a mark. */
  flush(): void;
}

export interface MarkSink {
  write(bytes: Uint8Array): void;
  marked(): void;
}

const MARK = /\x1b\]5379;([0-9a-f]{24})\x07/g;
const BEGINNING = /\x1b(?:\](?:5(?:3(?:7(?:9(?:;[0-9a-f]{0,24})?)?)?)?)?)?$/;
const MARK_BYTES = 32;
const ESCAPE = 0x1b;

/** Every mark is taken out: an aborted line may leave one behind its command's end. Only `mark` itself is told. */
export function createMarkFilter(mark: string, sink: MarkSink): MarkFilter {
  let kept: Uint8Array = new Uint8Array(0);
  const give = (bytes: Uint8Array): void => {
    if (bytes.length > 0) sink.write(bytes);
  };
  return {
    write(bytes) {
      const piece = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
      let done = 0;
      if (piece.includes(ESCAPE)) {
        // latin1 keeps one character a byte, so offsets in the text are offsets in the bytes.
        const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
        for (const found of text.matchAll(MARK)) {
          give(piece.subarray(done, found.index));
          done = found.index + found[0].length;
          if (found[1] === mark) sink.marked();
        }
      }
      const cut = beginning(piece, done);
      give(piece.subarray(done, cut));
      kept = Uint8Array.from(piece.subarray(cut));
    },
    flush() {
      give(kept);
      kept = new Uint8Array(0);
    },
  };
}

/** Where the end of `piece` may be the beginning of a mark; its length when it is not. */
function beginning(piece: Uint8Array, from: number): number {
  const last = piece.subarray(Math.max(from, piece.length - MARK_BYTES));
  const at = Buffer.from(last).toString('latin1').search(BEGINNING);
  return at < 0 ? piece.length : piece.length - last.length + at;
}
