import { truncate } from '../output/truncation.js';

/** A text cut in the middle to what its reader asked for, in bytes of UTF-8. Undefined: nothing was asked. */
export function shortened(text: string, limitBytes: number | undefined): string {
  if (limitBytes === undefined) return text;
  return truncate(Buffer.from(text), { strategy: 'head_tail', limitBytes: Math.max(1, limitBytes) }).text;
}
