import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { footings, opened } from '../session/opened.js';
import { type Deed, deeds, stdinOf, textOf, withoutWriters, writtenBy } from './random-commands.js';
import { soaking } from './soaking.js';

/** Commands of one session; each run of the property opens a new one. */
const LENGTH = 25;
const RUNS = soaking ? 45 : 5;

interface Late {
  readonly command: string;
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: number;
}

/** Runs the commands in one session and says what went wrong: bytes lost, or given to another command. */
async function faultsOf(footing: (typeof footings)[number], list: readonly Deed[]): Promise<string[]> {
  const faults: string[] = [];
  const owed = new Map<string, { stdout: number; stderr: number }>();
  await using session = await opened({ ...footing, limitBytes: 1024 * 1024 });
  for (const [n, one] of list.entries()) {
    const abort = new AbortController();
    const started = () => void (one.cancelAfter !== undefined && setTimeout(() => abort.abort(), one.cancelAfter));
    const id = `deed${n}`;
    const result = await session.run(
      textOf(one, n),
      { id, ...(one.stdin && { stdin: stdinOf(n) }) },
      { signal: abort.signal, watch: { started } },
    );
    if (result.outcome === 'refused') return [`${n} was refused: ${result.code} ${result.reason}`];
    const expected = writtenBy(one, n);
    const seen = { stdout: withoutWriters(result.stdout.text, n), stderr: withoutWriters(result.stderr.text, n) };
    if (result.outcome === 'cancelled') {
      for (const name of ['stdout', 'stderr'] as const) {
        if (!isBeginning(seen[name].own, expected[name])) faults.push(`${n} cancelled: ${name} ${seen[name].own.slice(0, 80)}`);
      }
      continue;
    }
    if (result.outcome !== 'exited' || result.exitCode !== one.status)
      faults.push(`${n}: ${JSON.stringify(result).slice(0, 200)}`);
    for (const name of ['stdout', 'stderr'] as const) {
      if (seen[name].own !== expected[name]) faults.push(`${n}: ${name} ${JSON.stringify(seen[name].own.slice(0, 80))}`);
    }
    const line = `w${n}.0\n`.length;
    const left = (writers: number) => (one.writers.length - writers) * line;
    // A stateless command's shell ends with it, and with that what it left behind.
    if (footing.mode === 'persistent') owed.set(id, { stdout: left(seen.stdout.writers), stderr: left(seen.stderr.writers) });
  }
  // A cancel spares the writers of earlier commands, so every line must come; the rest of the count is told at the close.
  if (footing.mode === 'persistent') await session.ran('wait');
  await session.shell.close();
  const came = new Map<string, number>();
  for (const { type, data } of session.events) {
    if (type !== 'output.late') continue;
    const { command, stream, bytes } = data as unknown as Late;
    came.set(`${command} ${stream}`, (came.get(`${command} ${stream}`) ?? 0) + bytes);
  }
  for (const [id, left] of owed) {
    for (const name of ['stdout', 'stderr'] as const) {
      const late = came.get(`${id} ${name}`) ?? 0;
      if (late !== left[name]) faults.push(`${id}: ${late} of ${left[name]} late bytes on ${name}`);
    }
  }
  return faults;
}

/**
 * A cancelled command may have written any part of its lines, and a program that was killed any part of its bytes; a POSIX
 * shell says how it died.
 */
const isBeginning = (text: string, whole: string): boolean =>
  whole.replaceAll('x', '').startsWith(text.replaceAll(/^(?:Terminated|Killed)\n/gm, '').replaceAll('x', ''));

describe.each(footings)('random commands with background writers on $name', footing => {
  test(
    'no byte is lost and none is given to another command',
    async () => {
      verifies('P5', 'P6', 'P8');
      await fc.assert(
        fc.asyncProperty(deeds(LENGTH), async list => {
          expect(await faultsOf(footing, list)).toEqual([]);
        }),
        { numRuns: footing.name === 'pty' ? RUNS : Math.ceil(RUNS / 2), interruptAfterTimeLimit: soaking ? 280_000 : 40_000 },
      );
    },
    soaking ? 300_000 : 60_000,
  );
});
