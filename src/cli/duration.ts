import { ShellgateError } from '../contract/error.js';

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `90`, `90s`, `5m`, `1h`, `500ms` to milliseconds; a bare number is seconds. Error: `OPTION_INVALID`. */
export function parseDuration(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const value = match ? Math.round(Number(match[1]) * UNITS[match[2] ?? 's']!) : 0;
  if (value <= 0) {
    throw new ShellgateError('OPTION_INVALID', `"${text}" is no duration; write 90, 90s, 5m, 1h or 500ms`, { place: option });
  }
  return value;
}
