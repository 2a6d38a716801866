import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** A value of the environment that commands get; undefined where it is not set or not to be told. */
export type Lookup = (name: string) => string | undefined;

/**
 * `~`, `$NAME` and `${NAME}` expanded (S1-07); a name that is not set stays as it is written, as the document's system
 * has it. Relative ones count from `base`.
 */
export function expandDirectory(path: string, lookup: Lookup, base: string): string {
  const expanded = path
    .replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, bare?: string) => {
      return lookup(braced ?? bare ?? '') ?? whole;
    })
    .replace(/^~(?=\/|$)/, () => lookup('HOME') ?? homedir());
  return resolve(base, expanded);
}
