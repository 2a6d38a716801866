import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasProc } from '../platform.js';

/** Which process writes a chain, told so that another can find out whether it is still alive. */
export interface Owner {
  readonly host: string;
  readonly pid: number;
  /** Linux: boot, pid namespace and start time in ticks; without them a pid alone proves nothing. */
  readonly boot?: string;
  readonly pidNamespace?: string;
  readonly started?: string;
}

export function thisProcess(): Owner {
  const host = hostname();
  if (!hasProc) return { host, pid: process.pid };
  const boot = told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const pidNamespace = told(() => readlinkSync('/proc/self/ns/pid'));
  const started = startOf(process.pid);
  return {
    host,
    pid: process.pid,
    ...(boot !== undefined && { boot }),
    ...(pidNamespace !== undefined && { pidNamespace }),
    ...(started !== undefined && { started }),
  };
}

/** Only what is known to be dead is dead: another host's or namespace's process counts as alive. */
export function isDead(owner: Owner, self: Owner = thisProcess()): boolean {
  if (owner.host !== self.host) return false;
  if (owner.boot !== undefined && self.boot !== undefined && owner.boot !== self.boot) return true;
  if (owner.pidNamespace !== self.pidNamespace) return false;
  if (hasProc) {
    const started = startOf(owner.pid);
    return started === undefined || (owner.started !== undefined && started !== owner.started);
  }
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Start time in clock ticks since boot; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  const stat = told(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** Sandboxes leave out parts of /proc. */
function told(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
