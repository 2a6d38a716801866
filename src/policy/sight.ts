import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';

/** Clocks of file systems are coarse: what was written so shortly ago may be written again without looking different. */
const YOUNG_NS = 2_000_000_000n;
/** More is no policy; it is known by its times alone. */
const MAX_BYTES = 1024n * 1024n;

interface Seen {
  readonly stat: string;
  readonly young: boolean;
  /** Hash of the content, where the times alone do not say enough. */
  readonly content?: string;
}

/** What files and directories looked like when they were read. Cheap to compare with now: one `stat` each. */
export class Sight {
  #seen: ReadonlyMap<string, Seen> = new Map();

  /** Remembers how these look now. To be taken before they are read, so that a change in between is noticed. */
  take(paths: readonly string[]): void {
    this.#seen = new Map(paths.map(path => [path, look(path)]));
  }

  /** Does any of these look different, or was any of them not looked at? Never throws. */
  changed(paths: readonly string[]): boolean {
    return paths.length !== this.#seen.size || paths.some(path => !this.#isSame(path));
  }

  #isSame(path: string): boolean {
    const before = this.#seen.get(path);
    const stat = statOf(path);
    if (before?.stat !== textOf(stat)) return false;
    return !before.young || before.content === contentOf(path, stat);
  }
}

function look(path: string): Seen {
  const stat = statOf(path);
  const young = stat !== undefined && typeof stat !== 'string' && stat.ctimeNs > BigInt(Date.now()) * 1_000_000n - YOUNG_NS;
  return { stat: textOf(stat), young, ...(young && { content: contentOf(path, stat) }) };
}

/** undefined: nothing is there. A text: why nobody can look. */
function statOf(path: string): BigIntStats | string | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

function textOf(stat: BigIntStats | string | undefined): string {
  if (stat === undefined || typeof stat === 'string') return stat ?? 'nothing';
  const { dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs } = stat;
  return [dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs].join(':');
}

function contentOf(path: string, stat: BigIntStats | string | undefined): string {
  if (stat === undefined || typeof stat === 'string' || !stat.isFile() || stat.size > MAX_BYTES) return '';
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return '';
  }
}
