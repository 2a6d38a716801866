import { constants } from 'node:os';

/** The number behind a signal name, 0 for an unknown one. */
export function signalNumber(name: string): number {
  return (constants.signals as Record<string, number>)[name] ?? 0;
}

/** Call `cancel` on Ctrl-C, TERM and HUP until the returned function is called. */
export function onInterrupt(cancel: (signal: string) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listener = (signal: string) => cancel(signal);
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
