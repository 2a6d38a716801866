import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessTree } from '../../contract/executor.js';
import type { Process } from '../../contract/result.js';

interface Row {
  readonly PID: string;
  readonly COMMAND: string;
}
type PsTree = (pid: number, done: (error: Error | null, rows: readonly Row[]) => void) => void;

const KILL_MS = 2_000;

/**
 * The tree of a shell where there is no `/proc`: what `ps` calls its descendants. No start times, no sessions, no markers:
 * a double fork escapes it, jobs of earlier commands do not, and nobody can be suspected.
 */
export function psTree(shell: number, whose: 'descendants' | 'with shell'): ProcessTree & { killNow(): void } {
  const descendants = async (): Promise<Process[]> => {
    const found = (await rows(shell)).map(row => ({ pid: Number(row.PID), command: row.COMMAND, reason: 'still running' }));
    return whose === 'with shell' ? [...found, { pid: shell, command: '[shell]', reason: 'still running' }] : found;
  };
  return {
    list: () => [],
    suspects: () => [],
    readsTerminal: () => 'no',
    killNow: () => send(-shell, 'SIGKILL'),
    async kill(graceMs) {
      // Parents first would orphan the children out of our sight: everyone is looked up before anyone is signalled.
      const all = await descendants();
      if (graceMs > 0) {
        for (const one of all) send(one.pid, 'SIGTERM');
        await gone(all, graceMs);
      }
      const again = [...all, ...(await descendants())];
      for (const one of again) send(one.pid, 'SIGKILL');
      await gone(again, KILL_MS);
      return again.filter(one => isAlive(one.pid));
    },
  };
}

function rows(pid: number): Promise<readonly Row[]> {
  const list = createRequire(import.meta.url)('ps-tree') as PsTree;
  return new Promise(resolve => list(pid, (error, found) => resolve(error ? [] : found.filter(row => row.COMMAND !== 'ps'))));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone, or not ours
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function gone(processes: readonly Process[], withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (processes.some(one => isAlive(one.pid)) && performance.now() < until) await sleep(10);
}
