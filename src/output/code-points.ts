const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Bytes of the UTF-8 code point that starts with this byte; 1 for a byte that starts none. */
function lengthOf(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0) return lead <= 0xef ? 3 : 1;
  return lead >= 0xc2 ? 2 : 1;
}

/**
 * Largest end <= `end` (in bytes) that does not stand inside a code point. Bytes that are no UTF-8 may be cut anywhere:
 * at most three bytes are given up, and none of plain ASCII.
 */
export function headEnd(bytes: Uint8Array, end: number): number {
  if (end >= bytes.length && bytes.length === 0) return 0;
  const cut = Math.min(end, bytes.length);
  for (let lead = cut - 1; lead >= 0 && lead >= cut - 3; lead -= 1) {
    const byte = bytes[lead]!;
    if (!isContinuation(byte)) return lead + lengthOf(byte) > cut ? lead : cut;
  }
  return cut;
}

/**
 * Smallest start >= `start` (in bytes) that does not stand inside a code point. It looks only forward, because what stood
 * before the tail of a stream is gone.
 */
export function tailStart(bytes: Uint8Array, start: number): number {
  let cut = Math.max(0, start);
  for (let skipped = 0; skipped < 3 && isContinuation(bytes[cut]); skipped += 1) cut += 1;
  return cut;
}
