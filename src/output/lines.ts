const NEWLINES = 0x0a0a0a0a;

/**
 * Number of newline bytes. Four bytes at a time, because it runs over every byte of every output: 200 MB of short lines
 * must not cost more than writing them.
 */
export function countNewlines(bytes: Uint8Array): number {
  const end = bytes.length;
  let count = 0;
  let at = 0;
  if (end >= 64) {
    const aligned = (4 - (bytes.byteOffset & 3)) & 3;
    for (; at < aligned; at += 1) if (bytes[at] === 10) count += 1;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (end - at) >> 2);
    let word = 0;
    while (word < words.length) {
      // Each byte lane of `lanes` counts to at most 255 before it is added up.
      const stop = Math.min(words.length, word + 255);
      let lanes = 0;
      for (; word < stop; word += 1) {
        const difference = words[word]! ^ NEWLINES;
        lanes += (~(((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference | 0x7f7f7f7f) >>> 7) & 0x01010101;
      }
      count += (lanes & 0xff) + ((lanes >>> 8) & 0xff) + ((lanes >>> 16) & 0xff) + (lanes >>> 24);
    }
    at += words.length * 4;
  }
  for (; at < end; at += 1) if (bytes[at] === 10) count += 1;
  return count;
}
