import { setTimeout as sleep } from 'node:timers/promises';
import type { Process } from '../../contract/result.js';
import { commandOf, isDead, type Stat, statOf } from './proc.js';

/** All of it ends within this, or its survivors are named. */
const KILL_MS = 2_000;
const MOST_SWEEPS = 20;

/** So many empty looks in a row count as empty although none was certain. */
const EMPTY_LOOKS = 50;

/** What one look at the process table found. */
export interface Look {
  readonly members: readonly Stat[];
  /** Nobody can have slipped through by forking or becoming another program meanwhile. */
  readonly certain: boolean;
}

type Sent = 'sent' | 'gone' | 'not permitted';

/**
 * End what `look` finds, again and again until it finds nothing: TERM first when there is a grace, then stop everybody
 * (what is stopped cannot fork away), then KILL. Resolves with the survivors and why they are.
 */
export async function endTree(look: () => Look, graceMs: number): Promise<Process[]> {
  if (graceMs > 0) await askToEnd(look, graceMs);
  stopAll(look);
  const until = performance.now() + KILL_MS;
  const forbidden = new Set<number>();
  for (let pause = 1, empty = 0; ; pause = Math.min(pause * 2, 50)) {
    const { members, certain } = look();
    empty = members.length === 0 ? empty + 1 : 0;
    if (empty > 0 && (certain || empty >= EMPTY_LOOKS)) return [];
    if (empty > 0) pause = 1;
    else if (performance.now() > until) return members.map(stat => survivor(stat, forbidden));
    for (const stat of members) if (sendTo(stat, 'SIGKILL') === 'not permitted') forbidden.add(stat.pid);
    await sleep(pause);
  }
}

async function askToEnd(look: () => Look, graceMs: number): Promise<void> {
  const until = performance.now() + graceMs;
  const asked = new Set<number>();
  for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
    const { members } = look();
    if (members.length === 0) return;
    for (const stat of members) {
      if (asked.has(stat.pid)) continue;
      asked.add(stat.pid);
      sendTo(stat, 'SIGTERM');
      sendTo(stat, 'SIGCONT'); // a stopped program cannot hear TERM
    }
    if (performance.now() > until) return;
    await sleep(Math.min(pause, Math.max(until - performance.now(), 1)));
  }
}

function stopAll(look: () => Look): void {
  const stopped = new Set<string>();
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep += 1) {
    let fresh = 0;
    for (const stat of look().members) {
      const key = `${stat.pid}:${stat.started}`;
      if (stopped.has(key)) continue;
      stopped.add(key);
      fresh += 1;
      sendTo(stat, 'SIGSTOP');
    }
    if (fresh === 0) return;
  }
}

/** Only to the very process that was seen: a pid alone may name another one by now. */
export function sendTo(stat: Stat, signal: NodeJS.Signals): Sent {
  if (statOf(stat.pid)?.started !== stat.started) return 'gone';
  try {
    process.kill(stat.pid, signal);
    return 'sent';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'not permitted' : 'gone';
  }
}

function survivor(stat: Stat, forbidden: ReadonlySet<number>): Process {
  const now = statOf(stat.pid) ?? stat;
  const reason = forbidden.has(stat.pid) ? 'not permitted' : now.state === 'D' ? 'uninterruptible' : 'still running';
  return { pid: stat.pid, command: isDead(now) ? `[${stat.name}]` : commandOf(stat), reason };
}
