import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

function isRunning(line: string): boolean {
  return readdirSync('/proc').some(entry => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === line;
    } catch {
      return false;
    }
  });
}

/** No process of exactly this command line, after three seconds at the latest. */
export async function isGone(line: string): Promise<boolean> {
  for (let tries = 0; tries < 60; tries += 1) {
    if (!isRunning(line)) return true;
    await delay(50);
  }
  return false;
}
