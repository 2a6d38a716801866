import type { About } from '../create-gate.js';
import { homeDirectory } from '../platform.js';
import { version } from '../version.js';

/** `/home/ana/x` as `~/x`. */
export function shortPath(path: string, home: string = homeDirectory()): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The first lines of a gated shell (screen b). */
export function bannerLines(about: About): string[] {
  const { family, footing, policies, auditDirectory, droppedVariables, projectPolicy } = about;
  const lines = [
    `shellgate ${version} · ${family}, ${footing} · policy ${policies.join(' + ')} · log ${shortPath(auditDirectory)}`,
    "You type as the assistant; shellgate treats it as the assistant's. Reads run, the rest asks. Not a sandbox.",
  ];
  if (droppedVariables.length > 0) {
    const subject =
      droppedVariables.length === 1 ? '1 secret-looking variable is' : `${droppedVariables.length} secret-looking variables are`;
    lines.push(`${subject} not passed on: ${droppedVariables.join(' ')} (--env inherit)`);
  }
  if (projectPolicy) {
    const { inForce, ignored } = projectPolicy;
    const not = ignored === 0 ? '' : `, its ${ignored} allows are not (shellgate policy trust)`;
    lines.push(`This project brings .shellgate/policy.toml: its ${inForce} other rules are in force${not}`);
  }
  lines.push('Try: ls · touch x · (setsid sleep 99 &); sleep 99 then ^C · exit');
  return lines;
}
