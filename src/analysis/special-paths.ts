import type { Effect } from '../contract/analysis.js';
import type { Findings } from './findings.js';
import { leadOf } from './word.js';

/** What is harmless below `/proc`: figures about the machine, and a process's own figures. */
const FIGURES =
  /^\/proc\/(?:cpuinfo|meminfo|loadavg|uptime|version|stat|filesystems|partitions|swaps|mounts|diskstats|devices|modules|net\/.*|sys\/.*|pressure\/.*|(?:self|\d+)\/(?:status|stat|statm|limits|io|comm|cgroup|mountinfo|mounts|cmdline|sched|oom_score(?:_adj)?))$/;

const isProcess = (path: string): boolean => /^\/proc(?:\/|$)/.test(path) && !FIGURES.test(path);

/** Reads of `/proc` that show another program's memory or environment, or that name a file in a roundabout way. */
export function noteSpecialPaths(findings: Findings): void {
  const first = (effects: readonly Effect[]): string | undefined =>
    effects.map(({ kind, target }) => (kind === 'read' && target ? leadOf(target) : '')).find(isProcess);
  for (const program of findings.programs) {
    const path = first(program.effects);
    if (path === undefined) continue;
    program.effects.push({ kind: 'disclosure', target: { text: path }, detail: 'may show environments, memory or other files' });
    program.tags.add('secrets');
  }
  const path = first(findings.effects);
  if (path !== undefined)
    findings.effect({ kind: 'disclosure', target: { text: path }, detail: 'may show environments, memory or other files' });
}
