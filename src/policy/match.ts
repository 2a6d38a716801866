/**
 * What a condition says about a program or an effect. `maybe`: a word or target that nobody can know stands where the
 * condition wants a certain text. An allow counts only a `yes`; a deny or an ask that is `maybe` asks.
 */
export type Certainty = 'yes' | 'maybe' | 'no';

const RANK = { no: 0, maybe: 1, yes: 2 } as const;

export const surest = (a: Certainty, b: Certainty): Certainty => (RANK[a] >= RANK[b] ? a : b);
export const leastSure = (a: Certainty, b: Certainty): Certainty => (RANK[a] <= RANK[b] ? a : b);

/** The surest of what is said about several things. */
export function strongest<T>(items: readonly T[], certainty: (item: T) => Certainty): Certainty {
  let best: Certainty = 'no';
  for (const item of items) {
    best = surest(best, certainty(item));
    if (best === 'yes') break;
  }
  return best;
}
