/** Text out of bytes that come in pieces: a code point across two pieces stays whole, invalid bytes become U+FFFD. */
export interface Utf8Decoder {
  write(bytes: Uint8Array): string;
  /** What an unfinished code point at the end comes to. The decoder can be used again. */
  end(): string;
}

export function createDecoder(): Utf8Decoder {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    write: bytes => decoder.decode(bytes, { stream: true }),
    end: () => decoder.decode(),
  };
}
