/** Milliseconds one call takes. */
export async function time(call) {
  const before = process.hrtime.bigint();
  await call();
  return Number(process.hrtime.bigint() - before) / 1e6;
}

export function quantile(samples, q) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

export const median = samples => quantile(samples, 0.5);

/** Take turns: one call of each per round, the first one rotating, so that drift of the machine hits all alike. */
export async function interleave(calls, rounds, warmUp = Math.min(20, rounds)) {
  const names = Object.keys(calls);
  const samples = Object.fromEntries(names.map(name => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + warmUp) % names.length];
      const took = await time(calls[name]);
      if (round >= 0) samples[name].push(took);
    }
  }
  return samples;
}

/** Rows of `name, median, p95, ratio of medians to the floor's`. */
export function table(title, samples, floor) {
  const base = median(samples[floor]);
  const head = title.padEnd(44) + 'median ms'.padStart(11) + 'p95 ms'.padStart(10) + `x ${floor}`.padStart(26);
  const rows = Object.entries(samples).map(([name, list]) => {
    const middle = median(list);
    const figures = middle.toFixed(3).padStart(11) + quantile(list, 0.95).toFixed(3).padStart(10);
    return `  ${name}`.padEnd(44) + figures + (middle / base).toFixed(2).padStart(26);
  });
  return [head, ...rows].join('\n');
}
