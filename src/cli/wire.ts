import type { Analysis, Program } from '../contract/analysis.js';
import type { Evaluation } from '../contract/policy.js';
import type { CommandResult } from '../contract/result.js';

/** What one request's line says beside the result. */
export interface Labels {
  readonly id: string | number;
  readonly session: string;
}

/**
 * A result as `batch` and `run --json` print it (design 10). A shell that ended has no directory any more: then `cwd` is
 * where its session goes on.
 */
export function resultLine(labels: Labels, result: CommandResult, sessionCwd?: string): Record<string, unknown> {
  if (result.outcome === 'refused') {
    const { outcome, by, code, reason, feedback } = result;
    return { ...labels, outcome, by, code, reason, ...(feedback !== undefined && { feedback }) };
  }
  const { stdout, stderr } = result;
  const full = { ...(stdout.full && { stdout: stdout.full }), ...(stderr.full && { stderr: stderr.full }) };
  return {
    ...labels,
    outcome: result.outcome,
    ...(result.outcome === 'exited' && { exitCode: result.exitCode }),
    ...(result.outcome === 'exited' && result.pipeStatus && { pipeStatus: result.pipeStatus }),
    ...(result.outcome === 'signaled' && { signal: result.signal }),
    ...(result.outcome === 'session-lost' && { reason: result.reason }),
    stdout: stdout.text,
    stderr: stderr.text,
    bytes: { stdout: stdout.bytes, stderr: stderr.bytes },
    omittedBytes: { stdout: stdout.omittedBytes, stderr: stderr.omittedBytes },
    ...(Object.keys(full).length > 0 && { full }),
    cwd: result.cwd ?? sessionCwd,
    durationMs: result.durationMs,
    shell: result.shell,
    sessionRestarted: result.sessionRestarted,
    ...(result.ranInstead !== undefined && { ranInstead: result.ranInstead }),
    survivors: result.survivors,
    leftRunning: result.leftRunning,
  };
}

/** A verdict as `policy check` and `explain --json` print it (design 10). */
export type Judgement = { readonly id: string | number } & Pick<Evaluation, 'decision' | 'risk' | 'matches'> &
  Pick<Analysis, 'opaque'> & {
    readonly programs: readonly Pick<Program, 'name' | 'argv' | 'effects' | 'tags' | 'via' | 'opaque'>[];
  };

export function judgement({ id }: { readonly id: string | number }, analysis: Analysis, evaluation: Evaluation): Judgement {
  return {
    id,
    decision: evaluation.decision,
    risk: evaluation.risk,
    matches: evaluation.matches,
    programs: analysis.programs.map(({ name, argv, effects, tags, via, opaque }) => ({ name, argv, effects, tags, via, opaque })),
    opaque: analysis.opaque,
  };
}
