import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Live } from '../../src/contract/execution.js';
import type { Evaluation } from '../../src/contract/policy.js';
import type { CommandRequest } from '../../src/contract/request.js';
import type { CommandResult, Process, Ran } from '../../src/contract/result.js';
import type { Authorized, Watch } from '../../src/contract/shell.js';
import { createLocalExecutor } from '../../src/executor/local/index.js';
import { chooseFamily } from '../../src/family/families.js';
import { openShell, type SessionEvent, type SessionOptions, type SessionShell } from '../../src/session/session.js';

export const quiet: Watch = { judging() {}, pending() {}, started() {} };
let requests = 0;

export const requestOf = (text: string, options: Partial<CommandRequest> = {}): CommandRequest => ({
  kind: 'command',
  id: `r${++requests}`,
  sessionId: 's',
  principal: { kind: 'program', id: 'test', label: 'test' },
  text,
  tty: false,
  ...options,
});

/** Only for tests of the session itself: what gate.ts alone may do in the product. */
export const waveThrough = (request: CommandRequest, evaluation: Partial<Evaluation> = {}): Authorized =>
  ({ request, evaluation }) as unknown as Authorized;

export interface Opened extends AsyncDisposable {
  readonly shell: SessionShell;
  readonly events: { type: SessionEvent; data: Readonly<Record<string, unknown>> }[];
  /** Takes the turn, asks nobody, runs. */
  run(
    text: string,
    options?: Partial<CommandRequest>,
    on?: { signal?: AbortSignal; watch?: Partial<Watch> },
  ): Promise<CommandResult>;
  /** The same, for commands that must not be refused. */
  ran(text: string, options?: Partial<CommandRequest>): Promise<Ran & { outcome: string; exitCode?: number }>;
}

export interface Footing {
  readonly name: string;
  readonly pty: 'auto' | 'off';
  readonly mode: 'persistent' | 'stateless';
  /** Default: bash. */
  readonly shell?: readonly string[];
}

export const footings: readonly Footing[] = [
  { name: 'pty', pty: 'auto', mode: 'persistent' },
  { name: 'pipes', pty: 'off', mode: 'persistent' },
  { name: 'sh', pty: 'auto', mode: 'persistent', shell: ['/bin/sh'] },
  { name: 'stateless', pty: 'auto', mode: 'stateless' },
];

export async function opened(options: Partial<SessionOptions> & Partial<Footing> = {}): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), 'session-test-'));
  const { pty = 'auto', name: _name, ...rest } = options;
  const executor = rest.executor ?? createLocalExecutor({ runtimeDirectory: join(directory, 'run'), pty });
  const events: Opened['events'] = [];
  const shellArgv = rest.shell ?? ['/bin/bash'];
  const discard = async () => {
    if (!rest.executor) await executor.close();
    rmSync(directory, { recursive: true, force: true });
  };
  const opening = openShell({
    id: 's',
    executor,
    family: chooseFamily(shellArgv),
    shell: shellArgv,
    cwd: directory,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: directory },
    mode: 'persistent',
    home: directory,
    workspace: directory,
    size: { cols: 80, rows: 24 },
    onEvent: (type, data) => void events.push({ type, data }),
    ...rest,
  });
  const shell = await opening.catch(async (error: unknown) => {
    await discard();
    throw error;
  });
  const run: Opened['run'] = async (text, fields = {}, { signal = new AbortController().signal, watch = {} } = {}) => {
    const request = requestOf(text, fields);
    const turn = await shell.turn(request, signal);
    if ('outcome' in turn) return turn;
    return turn.start(waveThrough(request), { ...quiet, ...watch }, signal);
  };
  return {
    shell,
    events,
    run,
    async ran(text, fields) {
      const result = await run(text, fields);
      if (result.outcome === 'refused') throw new Error(`refused: ${result.code} ${result.reason}`);
      return result;
    },
    async [Symbol.asyncDispose]() {
      await shell.close();
      await discard();
    },
  };
}

export const liveOf = (take: (live: Live) => void): { watch: Partial<Watch> } => ({ watch: { started: take } });

/** A machine has other people's orphans: only what the kernel says to be the command's own counts. */
export const isOurs = (process: Process): boolean => process.reason !== 'suspect';

/** Processes whose command line holds `needle`, a number that no other test sleeps for. */
export function alive(needle: string): string[] {
  return readdirSync('/proc')
    .filter(entry => /^\d+$/.test(entry))
    .flatMap(pid => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.startsWith('sleep') && line.includes(needle) ? [`${pid} ${line}`] : [];
      } catch {
        return [];
      }
    });
}
