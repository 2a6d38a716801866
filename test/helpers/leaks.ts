import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';

/**
 * After every test: no child process, timer, descriptor or temporary file more than before it. A test that needs a
 * moment to wind down gets one second.
 */
interface Footprint {
  children: Set<string>;
  descriptors: number;
  timers: number;
  files: Set<string>;
}

let before: Footprint;

// Test files run side by side: each has a temporary directory of its own, so that what stays there is its own leak.
const outer = tmpdir();
const own = mkdtempSync(join(outer, 'sg-'));
process.env['TMPDIR'] = own;
afterAll(() => {
  process.env['TMPDIR'] = outer;
  rmSync(own, { recursive: true, force: true });
});

function childrenOf(pid: number): string[] {
  const parent = String(pid);
  return readdirSync('/proc').filter(entry => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === parent;
    } catch {
      return false;
    }
  });
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').filter(fd => {
    try {
      return !readlinkSync(`/proc/self/fd/${fd}`).startsWith('anon_inode');
    } catch {
      return false;
    }
  }).length;
}

function footprint(): Footprint {
  return {
    children: new Set(childrenOf(process.pid)),
    descriptors: descriptors(),
    timers: process.getActiveResourcesInfo().filter(name => name === 'Timeout').length,
    files: new Set(readdirSync(own)),
  };
}

function leaks(now: Footprint): string[] {
  const found: string[] = [];
  for (const pid of now.children) if (!before.children.has(pid)) found.push(`child process ${pid}`);
  if (now.descriptors > before.descriptors) found.push(`${now.descriptors - before.descriptors} descriptors`);
  if (now.timers > before.timers) found.push(`${now.timers - before.timers} timers`);
  for (const name of now.files) if (!before.files.has(name)) found.push(`temporary file ${name}`);
  return found;
}

// Registered first, so run last: after the test's own onTestFinished and afterEach.
beforeEach(({ onTestFinished }) => {
  before = footprint();
  onTestFinished(async () => {
    const deadline = Date.now() + 1_000;
    let found = leaks(footprint());
    while (found.length > 0 && Date.now() < deadline) {
      await new Promise(resolve => setTimeout(resolve, 20));
      found = leaks(footprint());
    }
    if (found.length > 0) throw new Error(`left behind: ${found.join(', ')}`);
  });
});
