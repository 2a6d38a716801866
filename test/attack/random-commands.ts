import fc from 'fast-check';

/** What one command of a random session does. Every line it writes carries its number, so nothing can go astray unseen. */
export interface Deed {
  /** Lines of its own, in turn on stdout and stderr. */
  readonly lines: number;
  /** Bytes in one go, on stdout. */
  readonly bulk: number;
  /** Writers that stay behind: ms until each writes its line. */
  readonly writers: readonly number[];
  readonly status: number;
  readonly stdin: boolean;
  /** Cancelled so many ms after its start; absent: it ends by itself. */
  readonly cancelAfter?: number;
}

export const deed: fc.Arbitrary<Deed> = fc.record(
  {
    lines: fc.nat(4),
    bulk: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 300_000 }) }),
    writers: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.nat(40), { maxLength: 3 }) },
    ),
    status: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) }),
    stdin: fc.boolean(),
    cancelAfter: fc.integer({ min: 0, max: 30 }),
  },
  { requiredKeys: ['lines', 'bulk', 'writers', 'status', 'stdin'] },
);

/** Every sixth or so is cancelled, which also ends what it left behind. */
export const deeds = (length: number): fc.Arbitrary<Deed[]> =>
  fc.array(
    fc
      .tuple(deed, fc.nat(5))
      .map(([{ cancelAfter, ...rest }, n]) => ({ ...rest, ...(n === 0 && cancelAfter !== undefined && { cancelAfter }) })),
    { minLength: length, maxLength: length },
  );

export const stdinOf = (n: number): string => `i${n}\n`;

export function textOf({ lines, bulk, writers, status, stdin }: Deed, n: number): string {
  const parts = writers.map((ms, k) => `{ sleep ${ms / 1000}; echo w${n}.${k}; echo w${n}.${k} >&2; } &`);
  for (let k = 0; k < lines; k += 1) parts.push(`echo l${n}.${k}${k % 2 === 1 ? ' >&2' : ''};`);
  if (bulk > 0) parts.push(`head -c ${bulk} /dev/zero | tr '\\0' x; echo;`);
  if (stdin) parts.push('cat;');
  return `${parts.join(' ')} (exit ${status})`;
}

/** What it writes itself, in order. A writer of its own may come in between, or after its end. */
export function writtenBy({ lines, bulk, stdin }: Deed, n: number): { stdout: string; stderr: string } {
  const own = Array.from({ length: lines }, (_, k) => `l${n}.${k}\n`);
  return {
    stdout: own.filter((_, k) => k % 2 === 0).join('') + (bulk > 0 ? `${'x'.repeat(bulk)}\n` : '') + (stdin ? stdinOf(n) : ''),
    stderr: own.filter((_, k) => k % 2 === 1).join(''),
  };
}

/** Takes the lines of the command's own writers out of a stream, and how an interactive shell announces them. */
export function withoutWriters(text: string, n: number): { own: string; writers: number } {
  let writers = 0;
  const own = text.replaceAll(/^\[\d+\] \d+\n/gm, '').replaceAll(new RegExp(`w${n}\\.\\d\\n`, 'g'), () => {
    writers += 1;
    return '';
  });
  return { own, writers };
}
