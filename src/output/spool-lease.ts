import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process id alone is reused; with its start time it names one process. */
interface Holder {
  readonly pid: number;
  readonly started: string;
}

/** Start time of a process in clock ticks since boot; empty where the kernel does not tell. */
function startedAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return holder.started === '' || startedAt(holder.pid) === holder.started;
}

const leasePath = (directory: string, instance: string): string => join(directory, `${instance}.lock`);

/** Say that the files of this instance are in use until `release`. */
export function takeLease(directory: string, instance: string): { release(): void } {
  const path = leasePath(directory, instance);
  const holder: Holder = { pid: process.pid, started: startedAt(process.pid) };
  writeFileSync(path, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
  return {
    release() {
      try {
        unlinkSync(path);
      } catch {
        // Someone removed it before; the files are free either way.
      }
    },
  };
}

/** Does a living process still use the files of this instance? A lease that cannot be read counts as held. */
export function isLeased(directory: string, instance: string): boolean {
  try {
    const holder = JSON.parse(readFileSync(leasePath(directory, instance), 'utf8')) as Holder;
    return isAlive(holder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
