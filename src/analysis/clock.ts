/** Processor time of this process in ms. Budgets count it, so that a busy machine does not make a plain line ask. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
