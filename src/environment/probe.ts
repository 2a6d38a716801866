import { codeOf } from '../contract/error.js';
import type { Gate, Session } from '../contract/gate.js';
import { lookupLine, PROBE_PRINCIPAL, SHELL_VERSION_LINE, SYSTEM_LINE, versionLine } from '../contract/probe-lines.js';
import type { CommandResult } from '../contract/result.js';
import type { ShellEnvironmentSnapshot, ShellIdiom } from './snapshot.js';

export interface ProbeOptions {
  readonly family: ShellIdiom;
  readonly tools: readonly string[];
  /** Deadline of each command, in ms. */
  readonly timeoutMs: number;
  /** Where to look; absent: where the gate's sessions start. */
  readonly cwd: string | undefined;
}

/** What there was to learn, and whether there was a shell at all to learn it from. */
export interface Probed {
  readonly snapshot: ShellEnvironmentSnapshot;
  readonly complete: boolean;
}

/** Failures that tell something about the place, not about a mistake of ours (S3-27). */
const EXPECTED = new Set(['SHELL_UNAVAILABLE', 'SHELL_TOO_OLD', 'TOO_MANY_SESSIONS', 'DIRECTORY_MISSING']);

const LOOK_MS = 20;
/** Shells that look at the same time. A program that hangs holds up one of them. */
const SHELLS = 4;

/**
 * Looks around in shells of its own, so that no user's shell is touched, waited for or believed. Each command passes the
 * gate by itself; what would have to be asked is not asked. Errors: unexpected ones only.
 */
export async function probe(gate: Gate, options: ProbeOptions): Promise<Probed> {
  const { family, tools, cwd } = options;
  const found = new Map<string, Found>(tools.map(name => [name, UNKNOWN]));
  let about: Pick<ShellEnvironmentSnapshot, 'shellVersion' | 'osDescription'> = { shellVersion: null, osDescription: null };
  let workingDirectory = cwd ?? null;
  const looks = [
    async (session: Session) => {
      workingDirectory ??= session.cwd ?? null;
      const shellVersion = await firstLine(session, shellLine(family), options);
      about = { shellVersion, osDescription: await firstLine(session, systemLine(family), options) };
    },
    ...tools.map(name => async (session: Session) => void found.set(name, await look(session, name, options))),
  ];
  const complete = await inShells(gate, looks, cwd);
  const named = [...found];
  const snapshot: ShellEnvironmentSnapshot = {
    family,
    ...about,
    workingDirectory,
    toolVersions: Object.fromEntries(named.map(([name, { version }]) => [name, version])),
    notInstalled: named.filter(([, { is }]) => is === 'missing').map(([name]) => name),
    unversioned: named.filter(([, { is, version }]) => is === 'there' && version === null).map(([name]) => name),
  };
  return { snapshot, complete };
}

/** Every look once, each in the next shell that is free. false: there was no shell to look from. */
async function inShells(
  gate: Gate,
  looks: readonly ((session: Session) => Promise<void>)[],
  cwd: string | undefined,
): Promise<boolean> {
  const waiting = [...looks];
  let opened = 0;
  const work = async (): Promise<void> => {
    const session = await open(gate, cwd);
    if (!session) return;
    opened += 1;
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next(session);
    } finally {
      await session.close();
    }
  };
  const all = await Promise.allSettled(Array.from({ length: Math.min(SHELLS, looks.length) }, work));
  const unexpected = all.find(each => each.status === 'rejected');
  if (unexpected) throw unexpected.reason;
  return opened > 0;
}

async function open(gate: Gate, cwd: string | undefined): Promise<Session | undefined> {
  try {
    return await gate.openSession({ label: 'probe', ...(cwd !== undefined && { cwd }) });
  } catch (error) {
    if (EXPECTED.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

const shellLine = (family: ShellIdiom): string =>
  family === 'powershell' ? '$PSVersionTable.PSVersion.ToString()' : SHELL_VERSION_LINE;

const systemLine = (family: ShellIdiom): string =>
  family === 'powershell' ? '[System.Runtime.InteropServices.RuntimeInformation]::OSDescription' : SYSTEM_LINE;

interface Found {
  readonly is: 'there' | 'missing' | 'unknown';
  readonly version: string | null;
}

const UNKNOWN: Found = { is: 'unknown', version: null };

async function look(session: Session, name: string, options: ProbeOptions): Promise<Found> {
  if (options.family === 'posix') {
    const there = await run(session, lookupLine(name), options);
    if (there?.outcome !== 'exited') return UNKNOWN;
    if (there.exitCode !== 0) return { is: 'missing', version: null };
  }
  const version = await firstLine(session, versionLine(name), options);
  return { is: version === null && options.family !== 'posix' ? 'unknown' : 'there', version };
}

/** The first line that is not empty, of stdout before stderr (S3-28); null unless it exited with 0. */
async function firstLine(session: Session, text: string, options: ProbeOptions): Promise<string | null> {
  const result = await run(session, text, options);
  if (result?.outcome !== 'exited' || result.exitCode !== 0) return null;
  for (const { text: printed } of [result.stdout, result.stderr]) {
    const line = printed.split('\n').find(each => each.trim() !== '');
    if (line !== undefined) return line.trim();
  }
  return null;
}

/** undefined where a person would have to be asked: nobody is, for a probe. */
async function run(session: Session, text: string, { timeoutMs }: ProbeOptions): Promise<CommandResult | undefined> {
  const options = { timeoutMs, principal: PROBE_PRINCIPAL };
  const { evaluation } = await session.check(text, options);
  if (evaluation.decision !== 'allow') return undefined;
  const execution = session.start(text, options);
  // What changed since may ask after all; a question would hold the probe up for an hour.
  const timer = setInterval(async () => {
    const { phase } = await execution.status();
    if (phase === 'pending') execution.cancel('nobody is asked for a probe');
  }, LOOK_MS);
  return execution.result.finally(() => clearInterval(timer));
}
