/** The known word that a misspelled one is nearest to: no more than a third of its letters is wrong, or one goes on like the other. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const [given, one] = [word.toLowerCase(), candidate.toLowerCase()];
    const distance = goesOn(given, one) ? 1 : editDistance(given, one);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** `timeout` and `timeout_ms`. */
const goesOn = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= 3 && a !== b && (a.startsWith(b) || b.startsWith(a));

function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, above[j]! + 1, row[j - 1]! + 1));
    }
    above = row;
  }
  return above[b.length]!;
}
